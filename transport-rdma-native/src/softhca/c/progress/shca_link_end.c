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

/* The end of links. Packets that the peer sent before its own end still count. */
#include "progress/shca_link_end.h"

#include "cm/shca_cm_progress.h"
#include "progress/shca_drain.h"
#include "queue_pair/shca_queue_pair_progress.h"

static void empty(struct shca_link *link)
{
	pthread_mutex_lock(&link->rx_lock);
	shca_drain_rest(link);
	shca_link_empty(link);
	/* Acknowledgements still owed go into private memory. */
	shca_qp_acknowledge_all(link);
	pthread_mutex_unlock(&link->rx_lock);
}

void shca_link_end_dead(struct shca_link *link)
{
	bool was_up = shca_link_mark_dead(link);

	empty(link);
	if (was_up) {
		while (atomic_load(&link->has_blocked))
			shca_drain_unblock(link);
		shca_cm_link_died(link);
	}
	shca_link_make_free(link);
}

void shca_link_end_all(void)
{
	uint32_t count = shca_link_count();

	for (uint32_t i = 0; i < count; i++) {
		struct shca_link *link = shca_link_at(i);

		if (atomic_load(&link->state) == SHCA_LINK_FREE)
			continue;
		shca_link_mark_dead(link);
		empty(link);
		shca_link_make_free(link);
	}
}
