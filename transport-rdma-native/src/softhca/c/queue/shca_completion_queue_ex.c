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
 * The extended completion queue. Getters that a queue was not created for stay NULL, as in every provider: a program
 * that calls one crashes here as it would there.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/shca_error.h"
#include "personality/shca_personality.h"
#include "queue/shca_completion_queue.h"

#define WC_FLAGS (IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_IMM | IBV_WC_EX_WITH_QP_NUM | IBV_WC_EX_WITH_SRC_QP | \
		  IBV_WC_EX_WITH_SLID | IBV_WC_EX_WITH_SL | IBV_WC_EX_WITH_DLID_PATH_BITS)

static struct shca_cq *to_cq(struct ibv_cq_ex *ex)
{
	return shca_container_of(ex, struct shca_cq, ex);
}

/* A single-threaded queue takes no lock. A concurrent second poll is an error of the program, which gets EBUSY. */
static int lock(struct shca_cq *cq)
{
	if (!cq->single_threaded)
		return pthread_mutex_lock(&cq->poll_lock);
	return atomic_exchange_explicit(&cq->in_use, true, memory_order_acquire) ? EBUSY : 0;
}

static void unlock(struct shca_cq *cq)
{
	if (!cq->single_threaded)
		pthread_mutex_unlock(&cq->poll_lock);
	else
		atomic_store_explicit(&cq->in_use, false, memory_order_release);
}

/* Returns 0, ENOENT, or EINVAL for a completion of a queue pair that is gone. */
static int advance(struct shca_cq *cq)
{
	int err = shca_cq_advance(cq);

	if (err)
		return err;
	cq->ex.wr_id = cq->current.wr_id;
	cq->ex.status = cq->current.status;
	return 0;
}

static int start_poll(struct ibv_cq_ex *ex, struct ibv_poll_cq_attr *attr)
{
	struct shca_cq *cq = to_cq(ex);
	int ret;

	if (attr->comp_mask)
		return EINVAL;
	if (!shca_cq_find(cq))
		return ENOENT;
	ret = lock(cq);
	if (ret)
		return ret;
	ret = advance(cq);
	/* EINVAL, or another thread took the completion. */
	if (ret) {
		shca_cq_release_current(cq);
		unlock(cq);
	}
	return ret;
}

static int next_poll(struct ibv_cq_ex *ex)
{
	return advance(to_cq(ex));
}

static void end_poll(struct ibv_cq_ex *ex)
{
	struct shca_cq *cq = to_cq(ex);

	shca_cq_release_current(cq);
	unlock(cq);
}

/* In an unsuccessful completion only wr_id, status, vendor_err and qp_num are valid: the rest is 0. */
static const struct shca_cqe *successful(struct ibv_cq_ex *ex)
{
	static const struct shca_cqe nothing;
	const struct shca_cqe *current = &to_cq(ex)->current;

	return current->status == IBV_WC_SUCCESS ? current : &nothing;
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *ex)
{
	return successful(ex)->opcode;
}

static uint32_t read_vendor_err(struct ibv_cq_ex *ex)
{
	return to_cq(ex)->current.vendor_err;
}

static unsigned int read_wc_flags(struct ibv_cq_ex *ex)
{
	return successful(ex)->wc_flags;
}

static uint32_t read_byte_len(struct ibv_cq_ex *ex)
{
	return successful(ex)->byte_len;
}

static __be32 read_imm_data(struct ibv_cq_ex *ex)
{
	return successful(ex)->immediate;
}

static uint32_t read_qp_num(struct ibv_cq_ex *ex)
{
	return to_cq(ex)->current.qp_num;
}

static uint32_t read_src_qp(struct ibv_cq_ex *ex)
{
	return successful(ex)->src_qp;
}

static uint8_t read_sl(struct ibv_cq_ex *ex)
{
	return successful(ex)->sl;
}

static uint32_t read_slid(struct ibv_cq_ex *ex)
{
	return successful(ex)->slid;
}

static uint8_t read_dlid_path_bits(struct ibv_cq_ex *ex)
{
	(void)ex;
	return 0;
}

static void set_getters(struct ibv_cq_ex *ex, uint64_t flags)
{
	ex->start_poll = start_poll;
	ex->next_poll = next_poll;
	ex->end_poll = end_poll;
	ex->read_opcode = read_opcode;
	ex->read_vendor_err = read_vendor_err;
	ex->read_wc_flags = read_wc_flags;
	if (flags & IBV_WC_EX_WITH_BYTE_LEN)
		ex->read_byte_len = read_byte_len;
	if (flags & IBV_WC_EX_WITH_IMM)
		ex->read_imm_data = read_imm_data;
	if (flags & IBV_WC_EX_WITH_QP_NUM)
		ex->read_qp_num = read_qp_num;
	if (flags & IBV_WC_EX_WITH_SRC_QP)
		ex->read_src_qp = read_src_qp;
	if (flags & IBV_WC_EX_WITH_SL)
		ex->read_sl = read_sl;
	if (flags & IBV_WC_EX_WITH_SLID)
		ex->read_slid = read_slid;
	if (flags & IBV_WC_EX_WITH_DLID_PATH_BITS)
		ex->read_dlid_path_bits = read_dlid_path_bits;
}

static bool is_supported(const struct ibv_cq_init_attr_ex *attr)
{
	if (!shca_personality()->extended_cq || attr->wc_flags & ~(uint64_t)WC_FLAGS)
		return false;
	if (attr->comp_mask & ~(uint32_t)IBV_CQ_INIT_ATTR_MASK_FLAGS)
		return false;
	return !(attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) ||
	       !(attr->flags & ~(uint32_t)IBV_CREATE_CQ_ATTR_SINGLE_THREADED);
}

struct ibv_cq_ex *shca_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr)
{
	struct shca_cq *cq;

	if (!is_supported(attr))
		return shca_null(EOPNOTSUPP);
	if (shca_personality()->rounds_depths)
		attr->cqe = attr->cqe ? shca_slots_for(attr->cqe) : 0;
	cq = shca_cq_new(context, attr->cqe, attr->cq_context, attr->channel, attr->comp_vector);
	if (!cq)
		return NULL;
	cq->single_threaded = attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS &&
			      attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED;
	set_getters(&cq->ex, attr->wc_flags);
	return &cq->ex;
}

/* Only a receiver without an address handle for the sender needs its GID, and gets it. */
static int read_sgid(struct efadv_cq *efa, union ibv_gid *gid)
{
	struct shca_cq *cq = shca_container_of((struct shca_cq_efa *)efa, struct shca_cq, efa);

	if (cq->current.slid != SHCA_UNKNOWN_SENDER)
		return -ENOENT;
	*gid = cq->current_source;
	return 0;
}

struct ibv_cq_ex *shca_create_cq_with_sources(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr)
{
	struct ibv_cq_ex *ex = shca_create_cq_ex(context, attr);
	struct shca_cq *cq;

	if (!ex)
		return NULL;
	cq = to_cq(ex);
	cq->sources = calloc(cq->mask + 1, sizeof(*cq->sources));
	if (cq->sources) {
		cq->efa.wc_read_sgid = read_sgid;
		return ex;
	}
	ibv_destroy_cq(&cq->ibv);
	return shca_null(ENOMEM);
}
