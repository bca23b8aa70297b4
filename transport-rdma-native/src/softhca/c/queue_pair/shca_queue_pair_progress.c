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

/* The steps of a queue pair: at a packet, when a ring has room, at a deadline, and after a post. */
#include "queue_pair/shca_queue_pair_progress.h"

#include "base/shca_upcalls.h"
#include "queue_pair/shca_queue_pair_internal.h"
#include "wire/shca_link.h"

static struct shca_qp *to_qp(struct shca_wire_user *user)
{
	return shca_container_of(user, struct shca_qp, wire);
}

bool shca_qp_receive(struct shca_link *link, const struct shca_packet *packet, const void *payload)
{
	struct shca_qp *qp = shca_qp_table_find(packet->destination);

	if (SHCA_UNLIKELY(!qp))
		return false;
	pthread_mutex_lock(&qp->lock);
	qp->ops->receive(qp, link, packet, payload);
	pthread_mutex_unlock(&qp->lock);
	return true;
}

void shca_qp_acknowledge_all(struct shca_link *link)
{
	struct shca_wire_user *user;

	while ((user = link->acks)) {
		struct shca_qp *qp = to_qp(user);
		struct shca_link *by;

		pthread_mutex_lock(&qp->lock);
		link->acks = user->next_ack;
		user->next_ack = NULL;
		user->is_on_acks = false;
		/* If the ring is full, shca_link_begin has put the queue pair among the blocked ones. */
		qp->ops->acknowledge(qp);
		by = qp->answer_link;
		pthread_mutex_unlock(&qp->lock);
		/* Two processes may have two links. The thread that drains this link rings its doorbell. */
		if (by && by != link)
			shca_link_ring_doorbell(by);
	}
}

void shca_qp_unblock(struct shca_wire_user *user)
{
	struct shca_qp *qp = to_qp(user);
	struct shca_link *requests, *answers;

	pthread_mutex_lock(&qp->lock);
	if (qp->ops->acknowledge(qp))
		qp->ops->transmit(qp);
	requests = qp->link;
	answers = qp->answer_link;
	pthread_mutex_unlock(&qp->lock);
	if (answers)
		shca_link_ring_doorbell(answers);
	if (requests && requests != answers)
		shca_link_ring_doorbell(requests);
}

uint64_t shca_qp_tick(struct shca_wire_user *user, uint64_t now)
{
	struct shca_qp *qp = to_qp(user);
	struct shca_link *link;
	uint64_t deadline;

	pthread_mutex_lock(&qp->lock);
	deadline = qp->ops->tick(qp, now);
	link = qp->link;
	pthread_mutex_unlock(&qp->lock);
	/* The tick may have retransmitted something. */
	if (link)
		shca_link_ring_doorbell(link);
	return deadline;
}

void shca_qp_kick_and_unlock(struct shca_qp *qp)
{
	struct shca_link *link;

	qp->ops->transmit(qp);
	link = qp->link;
	pthread_mutex_unlock(&qp->lock);
	if (!link)
		return;
	if (link->is_loop)
		shca_engine_drain_own(link);
	else
		shca_link_ring_doorbell(link);
}

void shca_qp_kick(struct shca_qp *qp)
{
	pthread_mutex_lock(&qp->lock);
	shca_qp_kick_and_unlock(qp);
}
