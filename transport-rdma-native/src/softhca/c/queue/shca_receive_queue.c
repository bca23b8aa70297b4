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

#include "queue/shca_receive_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory/shca_region.h"
#include "personality/shca_personality.h"

int shca_receive_queue_init(struct shca_receive_queue *queue, uint32_t depth, uint32_t max_sge)
{
	size_t slots = shca_slots_for(depth);

	queue->depth = depth;
	queue->mask = (uint32_t)slots - 1;
	queue->max_sge = max_sge;
	queue->posted = 0;
	queue->taken = 0;
	atomic_init(&queue->freed, 0);
	/* The content is undefined: posting fills an entry. So no page of it is used before. */
	queue->ring = malloc(slots * (sizeof(*queue->ring) + max_sge * sizeof(*queue->sges)));
	if (!queue->ring)
		return -ENOMEM;
	queue->sges = (struct ibv_sge *)(queue->ring + slots);
	return 0;
}

void shca_receive_queue_destroy(struct shca_receive_queue *queue)
{
	free(queue->ring);
	queue->ring = NULL;
	queue->sges = NULL;
}

int shca_receive_queue_post(struct shca_receive_queue *queue, const struct ibv_recv_wr *wr)
{
	struct shca_receive *receive = &queue->ring[queue->posted & queue->mask];

	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > queue->max_sge)
		return EINVAL;
	if (wr->num_sge == 0 && shca_personality()->receive_needs_sge)
		return EINVAL;
	/* Acquire: the thread that polled the slot's last use is done with it. */
	if (queue->posted - atomic_load_explicit(&queue->freed, memory_order_acquire) >= queue->depth)
		return ENOMEM;
	receive->wr_id = wr->wr_id;
	receive->num_sge = (uint32_t)wr->num_sge;
	receive->sges = &queue->sges[(size_t)(queue->posted & queue->mask) * queue->max_sge];
	if (wr->num_sge)
		memcpy(receive->sges, wr->sg_list, (size_t)wr->num_sge * sizeof(*wr->sg_list));
	queue->posted++;
	return 0;
}

const struct shca_receive *shca_receive_queue_peek(const struct shca_receive_queue *queue)
{
	return queue->taken == queue->posted ? NULL : &queue->ring[queue->taken & queue->mask];
}

const struct shca_receive *shca_receive_queue_take(struct shca_receive_queue *queue)
{
	if (queue->taken == queue->posted)
		return NULL;
	return &queue->ring[queue->taken++ & queue->mask];
}

bool shca_receive_queue_take_into(struct shca_receive_queue *queue, uint32_t least, struct shca_receive *into)
{
	const struct shca_receive *receive = shca_receive_queue_peek(queue);

	if (!receive || (least && shca_list_length(receive->sges, receive->num_sge) < least))
		return false;
	queue->taken++;
	into->wr_id = receive->wr_id;
	into->num_sge = receive->num_sge;
	if (receive->num_sge)
		memcpy(into->sges, receive->sges, receive->num_sge * sizeof(*into->sges));
	return true;
}
