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

/* The numbers of queue pairs: slot and index. The index moves on, so that a number recurs late. */
#include "queue_pair/shca_queue_pair_internal.h"
#include "queue_pair/shca_queue_pair_progress.h"
#include "registry/shca_fabric.h"

/* Its pages are allocated when they are written. */
struct shca_qp *_Atomic shca_qp_table[SHCA_QP_INDEXES];
/* For writers of the table and walks over it. Taken before any queue pair's lock. */
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t next_index = 2;			/* under table_lock */

struct shca_qp *shca_qp_find(uint32_t number)
{
	return shca_qp_table_find(number);
}

bool shca_qp_table_add(struct shca_qp *qp)
{
	uint32_t tries;

	pthread_mutex_lock(&table_lock);
	for (tries = 0; tries < shca_qp_indexes(); tries++) {
		uint32_t index = next_index++ % shca_qp_indexes();
		uint32_t number = shca_qpn(shca_fabric_slot(), index);

		/* 0 and 1 are the numbers of the management queue pairs. */
		if (number < 2 || atomic_load_explicit(&shca_qp_table[index], memory_order_relaxed))
			continue;
		qp->ibv.qp_num = number;
		atomic_store_explicit(&shca_qp_table[index], qp, memory_order_release);
		break;
	}
	pthread_mutex_unlock(&table_lock);
	return tries < shca_qp_indexes();
}

void shca_qp_table_remove(struct shca_qp *qp)
{
	pthread_mutex_lock(&table_lock);
	atomic_store_explicit(&shca_qp_table[qp->ibv.qp_num % shca_qp_indexes()], NULL, memory_order_relaxed);
	pthread_mutex_unlock(&table_lock);
}

void shca_qp_fail_all(void)
{
	pthread_mutex_lock(&table_lock);
	for (uint32_t i = 0; i < shca_qp_indexes(); i++) {
		struct shca_qp *qp = atomic_load_explicit(&shca_qp_table[i], memory_order_relaxed);

		if (!qp)
			continue;
		pthread_mutex_lock(&qp->lock);
		if (qp->ibv.state != IBV_QPS_RESET)
			shca_qp_fail(qp, -1);
		pthread_mutex_unlock(&qp->lock);
	}
	pthread_mutex_unlock(&table_lock);
}
