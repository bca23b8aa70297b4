/*
 * Copyright 2026 The netty-transport-rdma Project
 *
 * The netty-transport-rdma Project licenses this file to you under the Apache License,
 * version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at:
 *
 *   https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the
 * License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND,
 * either express or implied. See the License for the specific language governing permissions
 * and limitations under the License.
 */

/* The responder's answers, and the data of reads. They leave after the batch of packets that caused them. */
#include <string.h>

#include "base/shca_copy.h"
#include "memory/shca_region.h"
#include "queue/shca_srd_order.h"
#include "transport/srd/shca_srd.h"
#include "wire/shca_watch.h"

/* ---- owing ---- */

bool shca_srd_may_owe(struct shca_qp *qp)
{
	struct shca_srd *srd = shca_srd_of(qp);

	if (srd->answer_count == SHCA_SRD_ANSWERS)
		shca_srd_acknowledge(qp);
	return srd->answer_count < SHCA_SRD_ANSWERS;
}

/* A read that comes again is answered from its start; the data of the attempt before is not wanted any more. */
static struct shca_srd_answer *entry_for(struct shca_srd *srd, uint32_t qpn, uint32_t index, uint32_t attempt)
{
	for (uint32_t i = 0; attempt > 1 && i < srd->answer_count; i++)
		if (srd->answers[i].qpn == qpn && srd->answers[i].index == index)
			return &srd->answers[i];
	return &srd->answers[srd->answer_count++];
}

struct shca_srd_answer *shca_srd_owe_answer(struct shca_qp *qp, struct shca_link *link,
					    const struct shca_packet *packet, const struct shca_srd_header *header,
					    enum shca_srd_status status)
{
	struct shca_srd_answer *answer = entry_for(shca_srd_of(qp), packet->source, packet->psn, header->attempt);

	memset(answer, 0, sizeof(*answer));
	answer->link = link;
	answer->link_life = link->life;
	answer->qpn = packet->source;
	answer->index = packet->psn;
	answer->attempt = header->attempt;
	answer->name = shca_srd_name(header->generation, header->epoch);
	answer->status = (uint8_t)status;
	answer->waker = packet->wakers >> 4;
	qp->answer_link = link;
	if (!qp->wire.is_on_acks) {
		qp->wire.is_on_acks = true;
		qp->wire.next_ack = link->acks;
		link->acks = &qp->wire;
	}
	return answer;
}

/* ---- sending; each returns false when the ring is full ---- */

static void start(struct shca_packet *packet, enum shca_packet_type type, const struct shca_qp *qp,
		  const struct shca_srd_answer *answer)
{
	shca_packet_start(packet, type, qp->ibv.qp_num, answer->qpn, answer->index);
	packet->key = answer->attempt;
	packet->address = answer->name;
}

static bool send_status(struct shca_qp *qp, const struct shca_srd_answer *answer)
{
	struct shca_packet *packet = shca_link_begin(answer->link, &qp->wire, 0);

	if (!packet)
		return false;
	start(packet, SHCA_SRD_ANSWER, qp, answer);
	packet->syndrome = answer->status;
	shca_link_end(answer->link, packet, answer->waker);
	return true;
}

static bool send_segment(struct shca_qp *qp, struct shca_srd_answer *answer)
{
	uint32_t segments = shca_srd_segments(answer->length);
	uint32_t offset = (answer->first_segment + answer->segments_sent) % segments * SHCA_SEGMENT;
	uint32_t left = answer->length - offset;
	uint32_t length = left < SHCA_SEGMENT ? left : SHCA_SEGMENT;
	uint64_t from = answer->address + offset;
	struct shca_region *region = shca_region_pin(qp->pd, answer->key, from, length, IBV_ACCESS_REMOTE_READ);
	struct shca_packet *packet;

	/* Deregistered after the request was accepted. */
	if (!region) {
		answer->is_data = false;
		answer->status = SHCA_SRD_BAD_ADDRESS;
		return true;
	}
	packet = shca_link_begin(answer->link, &qp->wire, length);
	if (packet) {
		start(packet, SHCA_SRD_DATA, qp, answer);
		packet->offset = offset;
		packet->length = answer->length;
		shca_copy(shca_link_payload(answer->link, packet), shca_region_at(region, from), length);
		shca_link_end(answer->link, packet, answer->waker);
		answer->segments_sent++;
	}
	shca_region_unpin(region);
	return packet != NULL;
}

static bool send_answer(struct shca_qp *qp, struct shca_srd_answer *answer)
{
	/* The sender is gone, and the link may lead to another process by now. */
	if (answer->link->life != answer->link_life)
		return true;
	while (answer->is_data) {
		if (answer->segments_sent == shca_srd_segments(answer->length))
			return true;
		if (!send_segment(qp, answer))
			return false;
	}
	return send_status(qp, answer);
}

/* Sends answers in an order that chance chooses; those for a full ring stay. */
bool shca_srd_acknowledge(struct shca_qp *qp)
{
	struct shca_srd *srd = shca_srd_of(qp);
	struct shca_link *last = NULL;
	uint32_t count = srd->answer_count, kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t chosen = i + shca_srd_next_of(count - i);
		struct shca_srd_answer answer = srd->answers[chosen];

		srd->answers[chosen] = srd->answers[i];
		if (last && answer.link != last)
			shca_link_ring_doorbell(last);
		last = answer.link;
		if (!send_answer(qp, &answer))
			srd->answers[kept++] = answer;
	}
	srd->answer_count = kept;
	if (last)
		shca_link_ring_doorbell(last);
	if (kept)
		shca_watch_add(&qp->wire);
	return kept == 0;
}

/* If the ring is full the request comes again. */
void shca_srd_refuse(struct shca_link *link, const struct shca_packet *request, const void *payload)
{
	struct shca_srd_header header;
	struct shca_packet *packet;

	if (request->payload < sizeof(header))
		return;
	memcpy(&header, payload, sizeof(header));
	packet = shca_link_begin(link, NULL, 0);
	if (!packet)
		return;
	shca_packet_start(packet, SHCA_SRD_ANSWER, request->destination, request->source, request->psn);
	packet->syndrome = SHCA_SRD_BAD_DEST_QPN;
	packet->key = header.attempt;
	packet->address = shca_srd_name(header.generation, header.epoch);
	shca_link_end(link, packet, request->wakers >> 4);
}
