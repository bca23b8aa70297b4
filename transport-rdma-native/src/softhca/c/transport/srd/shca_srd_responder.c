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

/* The responder: requests of any number of senders, executed as they come. */
#include <string.h>

#include "address/shca_address_number.h"
#include "base/shca_copy.h"
#include "fault/shca_fault.h"
#include "memory/shca_region.h"
#include "queue/shca_srd_order.h"
#include "transport/srd/shca_srd.h"

/* A packet with the header that was in front of its payload, which is the rest. */
struct request {
	struct shca_qp *qp;
	struct shca_link *link;
	const struct shca_packet *packet;
	struct shca_srd_header header;
	const uint8_t *payload;
	uint32_t size;
	struct shca_srd_record *record;
};

static void answer(const struct request *request, enum shca_srd_status status)
{
	shca_srd_owe_answer(request->qp, request->link, request->packet, &request->header, status);
	if (status == SHCA_SRD_OK)
		request->record->progress = SHCA_SRD_DONE;
	else if (request->record)
		request->record->progress = SHCA_SRD_REFUSED;
}

/* ---- receives ---- */

static bool is_ready(struct shca_qp *qp)
{
	return !(shca_faults_are_active() && shca_fault_receiver_not_ready()) && shca_qp_peek_receive(qp);
}

/* Completes the receive that is next, for a message or an immediate. */
static void complete_receive(const struct request *request, enum ibv_wc_opcode opcode, enum shca_srd_status status)
{
	struct shca_qp *qp = request->qp;
	struct shca_cqe cqe;

	shca_qp_start_receive_cqe(qp, &qp->receive, &cqe);
	cqe.opcode = opcode;
	cqe.status = (uint8_t)shca_srd_wc_status(status);
	cqe.vendor_err = status;
	shca_cqe_set_received(&cqe, request->packet);
	cqe.solicited = false;
	cqe.src_qp = request->packet->source;
	cqe.slid = (uint16_t)shca_address_number_of(qp->pd, &request->header.source);
	cqe.in_any_order = true;
	shca_qp_put_from(qp, &cqe, &request->header.source);
}

static void take_receive(struct shca_qp *qp)
{
	qp->receive.sges = qp->receive_sges;
	shca_qp_take_receive(qp, 0, &qp->receive);
}

/* A message that is too long for the receive leaves it alone; no document says what EFA does. */
static void receive_send(const struct request *request)
{
	const struct shca_packet *packet = request->packet;
	struct shca_qp *qp = request->qp;
	const struct shca_receive *receive;

	if (packet->offset || packet->length != request->size)
		return;
	if (!is_ready(qp)) {
		answer(request, SHCA_SRD_RNR);
		return;
	}
	receive = shca_qp_peek_receive(qp);
	if (packet->length > shca_list_length(receive->sges, receive->num_sge)) {
		answer(request, SHCA_SRD_REMOTE_LENGTH);
		return;
	}
	take_receive(qp);
	receive = &qp->receive;
	if (shca_scatter(qp->pd, receive->sges, receive->num_sge, 0, request->payload, request->size,
			 IBV_ACCESS_LOCAL_WRITE) != IBV_WC_SUCCESS) {
		complete_receive(request, IBV_WC_RECV, SHCA_SRD_INVALID_LKEY);
		answer(request, SHCA_SRD_ABORT);
		return;
	}
	complete_receive(request, IBV_WC_RECV, SHCA_SRD_OK);
	answer(request, SHCA_SRD_OK);
}

/* ---- remote memory ---- */

/* The target must have an address handle for the initiator, to be able to answer it. */
static bool is_known(const struct request *request)
{
	return shca_address_number_of(request->qp->pd, &request->header.source) != SHCA_UNKNOWN_SENDER;
}

static bool is_accessible(const struct request *request, unsigned int access)
{
	const struct shca_packet *packet = request->packet;
	struct shca_region *region;

	if (!packet->length)
		return true;
	region = shca_region_pin(request->qp->pd, packet->key, packet->address, packet->length, access);
	if (region)
		shca_region_unpin(region);
	return region;
}

static bool copy_in(const struct request *request)
{
	const struct shca_packet *packet = request->packet;
	uint64_t to = packet->address + packet->offset;
	struct shca_region *region;

	if (!request->size)
		return true;
	region = shca_region_pin(request->qp->pd, packet->key, to, request->size, IBV_ACCESS_REMOTE_WRITE);
	if (!region)
		return false;
	shca_copy(shca_region_at(region, to), request->payload, request->size);
	shca_region_unpin(region);
	return true;
}

static void receive_write(const struct request *request)
{
	const struct shca_packet *packet = request->packet;
	struct shca_srd_record *record = request->record;

	if (packet->offset > packet->length || request->size > packet->length - packet->offset)
		return;
	if (!record->received && !is_known(request)) {
		answer(request, SHCA_SRD_UNKNOWN_PEER);
		return;
	}
	if ((!record->received && !is_accessible(request, IBV_ACCESS_REMOTE_WRITE)) || !copy_in(request)) {
		answer(request, SHCA_SRD_BAD_ADDRESS);
		return;
	}
	record->received += request->size;
	if (record->received < packet->length)
		return;
	/* All bytes are there, in whatever order they came: now, and not before, the immediate. */
	if (packet->flags & SHCA_IMMEDIATE) {
		if (!is_ready(request->qp)) {
			answer(request, SHCA_SRD_RNR);
			return;
		}
		take_receive(request->qp);
		complete_receive(request, IBV_WC_RECV_RDMA_WITH_IMM, SHCA_SRD_OK);
	}
	answer(request, SHCA_SRD_OK);
}

/* Not remembered as done: reading again changes nothing. */
static void receive_read(const struct request *request)
{
	const struct shca_packet *packet = request->packet;
	struct shca_srd_answer *owed;

	if (!is_known(request)) {
		answer(request, SHCA_SRD_UNKNOWN_PEER);
		return;
	}
	if (!is_accessible(request, IBV_ACCESS_REMOTE_READ)) {
		answer(request, SHCA_SRD_BAD_ADDRESS);
		return;
	}
	owed = shca_srd_owe_answer(request->qp, request->link, packet, &request->header, SHCA_SRD_OK);
	owed->is_data = packet->length;
	owed->key = packet->key;
	owed->address = packet->address;
	owed->length = packet->length;
	owed->first_segment = shca_srd_next_of(shca_srd_segments(packet->length));
}

/* ---- all of them ---- */

/* In other states a queue pair of EFA does not exist for its peers. */
static bool accepts_packets(const struct shca_qp *qp)
{
	return qp->ibv.state == IBV_QPS_RTR || qp->ibv.state == IBV_QPS_RTS || qp->ibv.state == IBV_QPS_SQD;
}

/* Returns false if the packet belongs to an attempt that was answered. An executed one is answered again. */
static bool is_open(const struct request *request)
{
	const struct shca_srd_header *header = &request->header;
	struct shca_srd_record *record = request->record;

	if (record->generation == header->generation && record->progress == SHCA_SRD_DONE) {
		shca_srd_owe_answer(request->qp, request->link, request->packet, header, SHCA_SRD_OK);
		return false;
	}
	if (record->generation != header->generation || record->attempt != header->attempt) {
		*record = (struct shca_srd_record){
			.generation = header->generation, .attempt = header->attempt, .progress = SHCA_SRD_OPEN,
		};
		return true;
	}
	return record->progress == SHCA_SRD_OPEN;
}

void shca_srd_request(struct shca_qp *qp, struct shca_link *link, const struct shca_packet *packet,
		      const void *payload)
{
	struct request request = { .qp = qp, .link = link, .packet = packet };
	struct shca_srd_source *source;

	if (packet->payload < sizeof(request.header) || packet->psn >= shca_srd_max_index())
		return;
	memcpy(&request.header, payload, sizeof(request.header));
	request.payload = (const uint8_t *)payload + sizeof(request.header);
	request.size = packet->payload - (uint32_t)sizeof(request.header);
	/* The wrong queue key has no status of its own: the device only counts it. */
	if (!accepts_packets(qp) || request.header.qkey != qp->attr.qkey) {
		shca_srd_refuse(link, packet, payload);
		return;
	}
	source = shca_srd_may_owe(qp) ?
		 shca_srd_source_of(shca_srd_of(qp), packet->source, request.header.epoch) : NULL;
	if (!source)
		return;
	request.record = &source->records[packet->psn];
	if (!is_open(&request))
		return;
	switch (packet->type) {
	case SHCA_SRD_SEND:
		receive_send(&request);
		break;
	case SHCA_SRD_WRITE:
		receive_write(&request);
		break;
	default:
		receive_read(&request);
		break;
	}
}
