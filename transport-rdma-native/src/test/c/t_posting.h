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
 * A provider that records what was posted, in the same form for both APIs, and refuses work when
 * its queue is full.
 */
#ifndef T_POSTING_H
#define T_POSTING_H

#include <arpa/inet.h>
#include <errno.h>

#include "datapath/nrdma_datapath.h"

#include "t.h"

#define POSTED_MAX 512
#define SGE_MAX 40

#define CONNECTION_OPS (IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | \
			IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | \
			IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | \
			IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)

/* A work request as the provider understood it; fields that its opcode does not use are 0. */
struct posted {
	uint64_t wr_id;
	int opcode;
	unsigned int flags;
	uint32_t imm;		/* the bytes as they are in memory */
	uint64_t remote_addr;
	uint32_t rkey;
	uint64_t compare_add;
	uint64_t swap;
	uint64_t ah;
	uint32_t remote_qpn;
	uint32_t qkey;
	uint64_t num_sge;
	struct ibv_sge sge[SGE_MAX];
	uint64_t inline_length;
	char inline_bytes[SGE_MAX * 8];
};

static struct ibv_context context;
static struct ibv_qp_ex qp_ex;		/* its first member is the struct ibv_qp */
static struct ibv_srq srq;

static struct {
	struct posted posted[POSTED_MAX];
	int count;
	int calls;
	int capacity;
	int full_result;	/* for a post that does not fit: errno, -errno or -1 */
	bool names_culprit;
	bool datagram;
	/* the open session */
	bool in_session;
	int session_start;
	int session_error;
	int sessions;
} fake;

/* ---- the provider ---- */

static void copy_inline(struct posted *to, const struct ibv_sge *sge, int num_sge)
{
	int i;

	for (i = 0; i < num_sge; i++) {
		CHECK(to->inline_length + sge[i].length <= sizeof(to->inline_bytes));
		memcpy(to->inline_bytes + to->inline_length, (void *)(uintptr_t)sge[i].addr, sge[i].length);
		to->inline_length += sge[i].length;
	}
}

static void copy_list(struct posted *to, const struct ibv_sge *sge, int num_sge)
{
	CHECK(num_sge <= SGE_MAX);
	to->num_sge = (uint64_t)num_sge;
	memcpy(to->sge, sge, (size_t)num_sge * sizeof(*sge));
}

static bool has_imm(int opcode)
{
	return opcode == IBV_WR_SEND_WITH_IMM || opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

static void understand_send(const struct ibv_send_wr *wr, struct posted *to)
{
	*to = (struct posted) { .wr_id = wr->wr_id, .opcode = (int)wr->opcode, .flags = wr->send_flags };
	if (has_imm(to->opcode))
		to->imm = wr->imm_data;
	if (fake.datagram) {
		to->ah = (uintptr_t)wr->wr.ud.ah;
		to->remote_qpn = wr->wr.ud.remote_qpn;
		to->qkey = wr->wr.ud.remote_qkey;
	} else if (wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP || wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		to->remote_addr = wr->wr.atomic.remote_addr;
		to->rkey = wr->wr.atomic.rkey;
		to->compare_add = wr->wr.atomic.compare_add;
		to->swap = wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ? wr->wr.atomic.swap : 0;
	} else if (wr->opcode != IBV_WR_SEND && wr->opcode != IBV_WR_SEND_WITH_IMM) {
		to->remote_addr = wr->wr.rdma.remote_addr;
		to->rkey = wr->wr.rdma.rkey;
	}
	if (wr->send_flags & IBV_SEND_INLINE)
		copy_inline(to, wr->sg_list, wr->num_sge);
	else
		copy_list(to, wr->sg_list, wr->num_sge);
}

static int full(void)
{
	if (fake.full_result == -1)
		errno = ENOMEM;
	return fake.full_result;
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	CHECK(qp == &qp_ex.qp_base);
	CHECK(!fake.in_session);
	fake.calls++;
	for (; wr; wr = wr->next) {
		if (fake.count == fake.capacity) {
			if (fake.names_culprit)
				*bad = wr;
			return full();
		}
		understand_send(wr, &fake.posted[fake.count++]);
	}
	return 0;
}

static int post_receives(struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	fake.calls++;
	for (; wr; wr = wr->next) {
		struct posted *to = &fake.posted[fake.count];

		if (fake.count == fake.capacity) {
			if (fake.names_culprit)
				*bad = wr;
			return full();
		}
		*to = (struct posted) { .wr_id = wr->wr_id };
		copy_list(to, wr->sg_list, wr->num_sge);
		fake.count++;
	}
	return 0;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	CHECK(qp == &qp_ex.qp_base);
	return post_receives(wr, bad);
}

static int post_srq_recv(struct ibv_srq *queue, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	CHECK(queue == &srq);
	return post_receives(wr, bad);
}

static void wr_start(struct ibv_qp_ex *qp)
{
	CHECK(qp == &qp_ex && !fake.in_session);
	fake.in_session = true;
	fake.session_start = fake.count;
	fake.session_error = 0;
	fake.sessions++;
}

static int wr_complete(struct ibv_qp_ex *qp)
{
	CHECK(qp == &qp_ex && fake.in_session);
	fake.in_session = false;
	if (!fake.session_error)
		return 0;
	fake.count = fake.session_start;
	return full();
}

static struct posted *build(struct ibv_qp_ex *qp, int opcode)
{
	static struct posted nowhere;
	struct posted *to = &nowhere;

	CHECK(qp == &qp_ex && fake.in_session);
	if (fake.count == fake.capacity)
		fake.session_error = 1;
	else
		to = &fake.posted[fake.count++];
	*to = (struct posted) { .wr_id = qp->wr_id, .opcode = opcode, .flags = qp->wr_flags };
	return to;
}

static struct posted *last(struct ibv_qp_ex *qp)
{
	static struct posted nowhere;

	CHECK(qp == &qp_ex && fake.in_session);
	if (!fake.session_error)
		return &fake.posted[fake.count - 1];
	nowhere = (struct posted) { .wr_id = 0 };
	return &nowhere;
}

static void wr_send(struct ibv_qp_ex *qp)
{
	build(qp, IBV_WR_SEND);
}

static void wr_send_imm(struct ibv_qp_ex *qp, __be32 imm)
{
	build(qp, IBV_WR_SEND_WITH_IMM)->imm = imm;
}

static struct posted *build_rdma(struct ibv_qp_ex *qp, int opcode, uint32_t rkey, uint64_t addr)
{
	struct posted *to = build(qp, opcode);

	to->rkey = rkey;
	to->remote_addr = addr;
	return to;
}

static void wr_rdma_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr)
{
	build_rdma(qp, IBV_WR_RDMA_WRITE, rkey, addr);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr, __be32 imm)
{
	build_rdma(qp, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, addr)->imm = imm;
}

static void wr_rdma_read(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr)
{
	build_rdma(qp, IBV_WR_RDMA_READ, rkey, addr);
}

static void wr_atomic_cmp_swp(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr,
			      uint64_t compare, uint64_t swap)
{
	struct posted *to = build_rdma(qp, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, addr);

	to->compare_add = compare;
	to->swap = swap;
}

static void wr_atomic_fetch_add(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr, uint64_t add)
{
	build_rdma(qp, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, addr)->compare_add = add;
}

static void wr_set_ud_addr(struct ibv_qp_ex *qp, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
	struct posted *to = last(qp);

	CHECK(fake.datagram);
	to->ah = (uintptr_t)ah;
	to->remote_qpn = qpn;
	to->qkey = qkey;
}

static void wr_set_sge_list(struct ibv_qp_ex *qp, size_t num_sge, const struct ibv_sge *sge)
{
	copy_list(last(qp), sge, (int)num_sge);
}

static void wr_set_inline_data_list(struct ibv_qp_ex *qp, size_t count, const struct ibv_data_buf *buf)
{
	struct posted *to = last(qp);
	size_t i;

	for (i = 0; i < count; i++) {
		struct ibv_sge sge = { .addr = (uintptr_t)buf[i].addr, .length = (uint32_t)buf[i].length };

		copy_inline(to, &sge, 1);
	}
}

static void wr_set_inline_data(struct ibv_qp_ex *qp, void *addr, size_t length)
{
	struct ibv_data_buf one = { .addr = addr, .length = length };

	wr_set_inline_data_list(qp, 1, &one);
}

static struct nrdma_qp new_qp(bool extended, bool datagram, uint64_t send_ops)
{
	memset(&fake, 0, sizeof(fake));
	fake.capacity = POSTED_MAX;
	fake.full_result = ENOMEM;
	fake.names_culprit = true;
	fake.datagram = datagram;
	context.ops.post_send = post_send;
	context.ops.post_recv = post_recv;
	context.ops.post_srq_recv = post_srq_recv;
	srq.context = &context;
	memset(&qp_ex, 0, sizeof(qp_ex));
	qp_ex.qp_base.context = &context;
	qp_ex.wr_start = wr_start;
	qp_ex.wr_complete = wr_complete;
	qp_ex.wr_set_sge_list = wr_set_sge_list;
	qp_ex.wr_set_inline_data = wr_set_inline_data;
	qp_ex.wr_set_inline_data_list = wr_set_inline_data_list;
	/* As providers do: functions that were not asked for, or not for this kind of queue pair, stay NULL. */
	qp_ex.wr_set_ud_addr = datagram ? wr_set_ud_addr : NULL;
	qp_ex.wr_send = send_ops & IBV_QP_EX_WITH_SEND ? wr_send : NULL;
	qp_ex.wr_send_imm = send_ops & IBV_QP_EX_WITH_SEND_WITH_IMM ? wr_send_imm : NULL;
	qp_ex.wr_rdma_write = send_ops & IBV_QP_EX_WITH_RDMA_WRITE ? wr_rdma_write : NULL;
	qp_ex.wr_rdma_write_imm = send_ops & IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM ? wr_rdma_write_imm : NULL;
	qp_ex.wr_rdma_read = send_ops & IBV_QP_EX_WITH_RDMA_READ ? wr_rdma_read : NULL;
	qp_ex.wr_atomic_cmp_swp = send_ops & IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP ? wr_atomic_cmp_swp : NULL;
	qp_ex.wr_atomic_fetch_add = send_ops & IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD ? wr_atomic_fetch_add : NULL;
	return (struct nrdma_qp) {
		.qp = &qp_ex.qp_base,
		.qp_ex = extended ? &qp_ex : NULL,
		.send_ops = extended ? send_ops | NRDMA_SEND_LISTS : 0,
		.datagram = datagram,
	};
}

#endif
