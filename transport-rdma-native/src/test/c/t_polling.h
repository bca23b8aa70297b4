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
 * A provider that plays a script: completions and errors in an order that the test sets. It has
 * both APIs, and checks that the extended one is used as its manual demands.
 */
#ifndef T_POLLING_H
#define T_POLLING_H

#include <arpa/inet.h>
#include <errno.h>

#include "datapath/nrdma_datapath.h"

#include "t.h"

#define SCRIPT_MAX 256
#define ALL_FLAGS (IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_IMM | IBV_WC_EX_WITH_QP_NUM | \
		   IBV_WC_EX_WITH_SRC_QP | IBV_WC_EX_WITH_SLID | IBV_WC_EX_WITH_SL)
#define IMM 0x01020304u

/* What the provider returns next: a completion, or an error, which is consumed unless it is permanent. */
struct step {
	struct ibv_wc wc;
	union ibv_gid sender;
	int error;
	bool endless;
};

static struct ibv_context context;

static struct {
	struct ibv_cq_ex ex;	/* first, so that a pointer to it is a pointer to this */
	struct efadv_cq efa;
	struct step script[SCRIPT_MAX];
	int length;
	int position;
	bool polling;		/* between start_poll and end_poll */
	bool has_current;
	int starts;
	int ends;
	int poll_calls;
} fake;

/* ---- the extended API ---- */

static int advance(void)
{
	struct step *step = &fake.script[fake.position];

	fake.has_current = false;
	if (fake.position == fake.length)
		return ENOENT;
	if (step->error) {
		fake.position += !step->endless;
		return step->error;
	}
	fake.ex.wr_id = step->wc.wr_id;
	fake.ex.status = step->wc.status;
	fake.has_current = true;
	return 0;
}

static int start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr)
{
	int err;

	CHECK(cq == &fake.ex);
	CHECK_EQ(0, attr->comp_mask);
	CHECK(!fake.polling);
	err = advance();
	fake.polling = !err;
	fake.starts += !err;
	return err;
}

static int next_poll(struct ibv_cq_ex *cq)
{
	CHECK(cq == &fake.ex);
	CHECK(fake.polling);
	fake.position += fake.has_current;
	return advance();
}

static void end_poll(struct ibv_cq_ex *cq)
{
	CHECK(cq == &fake.ex);
	CHECK(fake.polling);
	fake.position += fake.has_current;
	fake.has_current = false;
	fake.polling = false;
	fake.ends++;
}

/* Returns the current entry. All but two of its fields are valid only if it succeeded. */
static struct ibv_wc *current(bool only_of_success)
{
	struct ibv_wc *wc = &fake.script[fake.position].wc;

	CHECK(fake.polling && fake.has_current);
	CHECK(!only_of_success || wc->status == IBV_WC_SUCCESS);
	return wc;
}

static enum ibv_wc_opcode read_opcode(__attribute__((unused)) struct ibv_cq_ex *cq)
{
	return current(true)->opcode;
}

static uint32_t read_vendor_err(__attribute__((unused)) struct ibv_cq_ex *cq)
{
	struct ibv_wc *wc = current(false);

	CHECK(wc->status != IBV_WC_SUCCESS);
	return wc->vendor_err;
}

static uint32_t read_byte_len(__attribute__((unused)) struct ibv_cq_ex *cq)
{
	return current(true)->byte_len;
}

static __be32 read_imm_data(__attribute__((unused)) struct ibv_cq_ex *cq)
{
	struct ibv_wc *wc = current(true);

	CHECK(wc->wc_flags & IBV_WC_WITH_IMM);
	return wc->imm_data;
}

static uint32_t read_qp_num(__attribute__((unused)) struct ibv_cq_ex *cq)
{
	return current(false)->qp_num;
}

static uint32_t read_src_qp(__attribute__((unused)) struct ibv_cq_ex *cq)
{
	return current(true)->src_qp;
}

static unsigned int read_wc_flags(__attribute__((unused)) struct ibv_cq_ex *cq)
{
	return current(true)->wc_flags;
}

static uint32_t read_slid(__attribute__((unused)) struct ibv_cq_ex *cq)
{
	return current(true)->slid;
}

static uint8_t read_sl(__attribute__((unused)) struct ibv_cq_ex *cq)
{
	return current(true)->sl;
}

/* As libefa's: only a sender without an address handle has its GID reported. */
static int read_sgid(struct efadv_cq *cq, union ibv_gid *gid)
{
	CHECK(cq == &fake.efa);
	if (current(true)->slid != 0xffff)
		return -ENOENT;
	*gid = fake.script[fake.position].sender;
	return 0;
}

/* ---- the classic API ---- */

/* As providers do: an error is returned alone, and undefined fields are not written. */
static int poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
{
	int n;

	CHECK(cq == (struct ibv_cq *)&fake.ex);
	fake.poll_calls++;
	memset(wc, 0xa5, (size_t)num_entries * sizeof(*wc));
	for (n = 0; n < num_entries && fake.position < fake.length; n++) {
		struct step *step = &fake.script[fake.position];

		if (step->error && n)
			break;
		fake.position += !step->endless;
		if (step->error)
			return -step->error;
		if (step->wc.status == IBV_WC_SUCCESS) {
			wc[n] = step->wc;
			wc[n].vendor_err = 0xa5a5a5a5;
		} else {
			wc[n].wr_id = step->wc.wr_id;
			wc[n].status = step->wc.status;
			wc[n].qp_num = step->wc.qp_num;
			wc[n].vendor_err = step->wc.vendor_err;
		}
	}
	return n;
}

/* ---- scripts ---- */

/* Returns a queue of either kind, with the getters of wc_flags and no others. */
static struct nrdma_cq new_cq(bool extended, uint64_t wc_flags)
{
	memset(&fake, 0, sizeof(fake));
	context.ops.poll_cq = poll_cq;
	fake.ex.context = &context;
	fake.ex.cqe = SCRIPT_MAX;
	fake.ex.start_poll = start_poll;
	fake.ex.next_poll = next_poll;
	fake.ex.end_poll = end_poll;
	fake.ex.read_opcode = read_opcode;
	fake.ex.read_vendor_err = read_vendor_err;
	fake.ex.read_wc_flags = read_wc_flags;
	fake.ex.read_byte_len = wc_flags & IBV_WC_EX_WITH_BYTE_LEN ? read_byte_len : NULL;
	fake.ex.read_imm_data = wc_flags & IBV_WC_EX_WITH_IMM ? read_imm_data : NULL;
	fake.ex.read_qp_num = wc_flags & IBV_WC_EX_WITH_QP_NUM ? read_qp_num : NULL;
	fake.ex.read_src_qp = wc_flags & IBV_WC_EX_WITH_SRC_QP ? read_src_qp : NULL;
	fake.ex.read_slid = wc_flags & IBV_WC_EX_WITH_SLID ? read_slid : NULL;
	fake.ex.read_sl = wc_flags & IBV_WC_EX_WITH_SL ? read_sl : NULL;
	return (struct nrdma_cq) {
		.cq = ibv_cq_ex_to_cq(&fake.ex),
		.cq_ex = extended ? &fake.ex : NULL,
		.wc_flags = extended ? wc_flags : 0,
	};
}

static void add(struct ibv_wc wc)
{
	fake.script[fake.length++].wc = wc;
}

static void add_error(int error)
{
	fake.script[fake.length++].error = error;
}

static struct ibv_wc received(uint64_t wr_id)
{
	return (struct ibv_wc) {
		.wr_id = wr_id, .status = IBV_WC_SUCCESS, .opcode = IBV_WC_RECV, .byte_len = 100,
		.imm_data = htonl(IMM), .qp_num = 17, .src_qp = 18,
		.wc_flags = IBV_WC_GRH | IBV_WC_WITH_IMM, .slid = 19, .sl = 3,
	};
}

static struct ibv_wc sent(uint64_t wr_id)
{
	return (struct ibv_wc) {
		.wr_id = wr_id, .status = IBV_WC_SUCCESS, .opcode = IBV_WC_SEND, .byte_len = 0xbad,
		.imm_data = 0xbad, .qp_num = 17, .src_qp = 0xbad, .wc_flags = IBV_WC_WITH_IMM,
		.slid = 0xbad, .sl = 0xb,
	};
}

static struct ibv_wc failed(uint64_t wr_id)
{
	return (struct ibv_wc) {
		.wr_id = wr_id, .status = IBV_WC_RNR_RETRY_EXC_ERR, .opcode = IBV_WC_RECV,
		.vendor_err = 0x77, .byte_len = 0xbad, .qp_num = 17, .wc_flags = IBV_WC_WITH_IMM,
	};
}

static void check_wc(const struct nrdma_wc *expected, const struct nrdma_wc *actual)
{
	CHECK_EQ(expected->wr_id, actual->wr_id);
	CHECK_EQ(expected->status, actual->status);
	CHECK_EQ(expected->opcode, actual->opcode);
	CHECK_EQ(expected->byte_len, actual->byte_len);
	CHECK_EQ(expected->imm_or_vendor_err, actual->imm_or_vendor_err);
	CHECK_EQ(expected->qp_num, actual->qp_num);
	CHECK_EQ(expected->src_qp, actual->src_qp);
	CHECK_EQ(expected->flags, actual->flags);
	CHECK_EQ(expected->sl, actual->sl);
	CHECK_EQ(expected->slid, actual->slid);
	CHECK_EQ(0, actual->reserved);
}

/* Checks that every start had its end, and that no poll is still open. */
static void check_balance(void)
{
	CHECK_EQ(fake.starts, fake.ends);
	CHECK(!fake.polling);
}

#endif
