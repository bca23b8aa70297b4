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

/*
 * The numbers of queue pairs: slot, block and index in the block. Each set of links takes one block after the other for
 * itself, and each block's indexes in order, so that a number recurs late. A block that no queue pair is in, and no set
 * is going through, may be any set's next one.
 */
#include "device/shca_context.h"
#include "queue_pair/shca_queue_pair_internal.h"
#include "queue_pair/shca_queue_pair_progress.h"
#include "registry/shca_fabric.h"
#include "wire/shca_link.h"

/* Its pages are allocated when they are written. */
struct shca_qp *_Atomic shca_qp_table[SHCA_QP_INDEXES];
/* For writers of the table, walks over it, and what follows. Taken before a link's and a queue pair's locks. */
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
/* By block: how many queue pairs are in it. */
static uint32_t in_block[SHCA_QP_BLOCKS];
static uint32_t next_block;
/* By set: the index that it takes next, and the end of the block that this is in; equal: it needs another block. */
static struct { uint32_t next, end; } cursors[SHCA_LINK_SETS];

struct shca_link_set *shca_qp_links(const struct shca_qp *qp)
{
	return to_shca_context(qp->ibv.context)->links;
}

struct shca_qp *shca_qp_hold(uint32_t number)
{
	struct shca_qp *qp;

	pthread_mutex_lock(&table_lock);
	qp = shca_qp_table_find(number);
	if (!qp)
		pthread_mutex_unlock(&table_lock);
	return qp;
}

void shca_qp_release(void)
{
	pthread_mutex_unlock(&table_lock);
}

bool shca_qp_exists(uint32_t number)
{
	if (!shca_qp_hold(number))
		return false;
	shca_qp_release();
	return true;
}

static uint32_t block_size(void)
{
	return shca_qp_indexes() / SHCA_QP_BLOCKS;
}

static uint32_t owner_of(uint32_t block)
{
	return atomic_load(shca_fabric_set_of_block(shca_fabric_slot(), block));
}

/* Whether the set goes on in the block: it has numbers left there, and the process has not left the fabric since. */
static bool is_in(uint32_t set, uint32_t block)
{
	return cursors[set].next != cursors[set].end && cursors[set].next / block_size() == block &&
	       owner_of(block) == set;
}

static bool is_taken(uint32_t block, uint32_t set)
{
	uint32_t owner = owner_of(block);

	return owner != set && (in_block[block] || is_in(owner, block));
}

/*
 * A drain of the old set may have found the block its own, for a late packet to a queue pair that is gone, and look the
 * number up now. Were it given to a queue pair of the new set, whose destruction does not wait for this drain, that
 * could be freed under it. So no number of the block is given before such drains have ended:
 *
 *	a drain of the old set		a thread of the new set
 *
 *	the block is ours
 *					the block is ours now
 *					waits for the drains of the old set
 *	finds no queue pair, ends
 *					gives a number: later drains of the old set drop its packets
 */
static void own_block(uint32_t block, uint32_t set)
{
	uint32_t before = owner_of(block);

	if (before == set)
		return;
	atomic_store(shca_fabric_set_of_block(shca_fabric_slot(), block), (uint8_t)set);
	shca_links_quiesce(&shca_link_sets[before]);
}

/* False: all belong to others. */
static bool take_block(uint32_t set)
{
	for (uint32_t tries = 0; tries < SHCA_QP_BLOCKS; tries++) {
		uint32_t block = next_block++ % SHCA_QP_BLOCKS;

		if (is_taken(block, set))
			continue;
		own_block(block, set);
		cursors[set].next = block * block_size();
		cursors[set].end = cursors[set].next + block_size();
		return true;
	}
	return false;
}

/* False: the block of the set has no free number any more. */
static bool take_number(struct shca_qp *qp, uint32_t set)
{
	while (is_in(set, cursors[set].next / block_size())) {
		uint32_t index = cursors[set].next++;
		uint32_t number = shca_qpn(shca_fabric_slot(), index);

		/* 0 and 1 are the numbers of the management queue pairs. */
		if (number < 2 || atomic_load_explicit(&shca_qp_table[index], memory_order_relaxed))
			continue;
		in_block[index / block_size()]++;
		qp->ibv.qp_num = number;
		atomic_store_explicit(&shca_qp_table[index], qp, memory_order_release);
		return true;
	}
	return false;
}

bool shca_qp_table_add(struct shca_qp *qp)
{
	uint32_t set = shca_link_set_number(shca_qp_links(qp));
	bool taken;

	pthread_mutex_lock(&table_lock);
	taken = take_number(qp, set);
	for (uint32_t tries = 0; !taken && tries < SHCA_QP_BLOCKS && take_block(set); tries++)
		taken = take_number(qp, set);
	pthread_mutex_unlock(&table_lock);
	return taken;
}

void shca_qp_table_remove(struct shca_qp *qp)
{
	uint32_t index = qp->ibv.qp_num % shca_qp_indexes();

	pthread_mutex_lock(&table_lock);
	in_block[index / block_size()]--;
	atomic_store_explicit(&shca_qp_table[index], NULL, memory_order_relaxed);
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
