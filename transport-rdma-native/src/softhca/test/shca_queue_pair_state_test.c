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
 * Checks every transition with every attribute against the table of the specification (11.2.5.3, "modify queue pair"),
 * which is written here once more in words.
 */
#include "t_child.h"
#include "t_pair.h"

#define STATES	8	/* including one that does not exist */
#define BITS	26

static const struct {
	const char *word;
	int bit;
} words[] = {
	{ "cur_state", IBV_QP_CUR_STATE }, { "notify", IBV_QP_EN_SQD_ASYNC_NOTIFY },
	{ "access", IBV_QP_ACCESS_FLAGS }, { "pkey", IBV_QP_PKEY_INDEX }, { "port", IBV_QP_PORT },
	{ "qkey", IBV_QP_QKEY }, { "av", IBV_QP_AV }, { "mtu", IBV_QP_PATH_MTU }, { "timeout", IBV_QP_TIMEOUT },
	{ "retry", IBV_QP_RETRY_CNT }, { "rnr_retry", IBV_QP_RNR_RETRY }, { "rq_psn", IBV_QP_RQ_PSN },
	{ "rd_atomic", IBV_QP_MAX_QP_RD_ATOMIC }, { "rnr_timer", IBV_QP_MIN_RNR_TIMER }, { "sq_psn", IBV_QP_SQ_PSN },
	{ "dest_rd_atomic", IBV_QP_MAX_DEST_RD_ATOMIC }, { "mig", IBV_QP_PATH_MIG_STATE },
	{ "dest", IBV_QP_DEST_QPN },
};

/* Some rows of the specification allow an alternate path; this device has none and accepts none. */
struct row {
	enum ibv_qp_state from;
	enum ibv_qp_state to;
	const char *required;
	const char *optional;
};

#define RESET	IBV_QPS_RESET
#define INIT	IBV_QPS_INIT
#define RTR	IBV_QPS_RTR
#define RTS	IBV_QPS_RTS
#define SQD	IBV_QPS_SQD
#define SQE	IBV_QPS_SQE
#define ERR	IBV_QPS_ERR

static const struct row reliable[] = {
	{ RESET, RESET, "", "" },
	{ RESET, INIT, "pkey port access", "" },
	{ INIT, INIT, "", "pkey port access" },
	{ INIT, RTR, "av mtu dest rq_psn dest_rd_atomic rnr_timer", "pkey access" },
	{ RTR, RTS, "sq_psn timeout retry rnr_retry rd_atomic", "cur_state access rnr_timer mig" },
	{ RTS, RTS, "", "cur_state access rnr_timer mig" },
	{ RTS, SQD, "", "notify" },
	{ SQD, RTS, "", "cur_state access rnr_timer mig" },
	{ SQD, SQD, "", "port av timeout retry rnr_retry rd_atomic dest_rd_atomic access pkey rnr_timer mig" },
	{ INIT, RESET, "", "" }, { RTR, RESET, "", "" }, { RTS, RESET, "", "" }, { SQD, RESET, "", "" },
	{ ERR, RESET, "", "" },
	{ INIT, ERR, "", "" }, { RTR, ERR, "", "" }, { RTS, ERR, "", "" }, { SQD, ERR, "", "" }, { ERR, ERR, "", "" },
	{ 0, 0, NULL, NULL },
};

static const struct row datagrams[] = {
	{ RESET, RESET, "", "" },
	{ RESET, INIT, "pkey port qkey", "" },
	{ INIT, INIT, "", "pkey port qkey" },
	{ INIT, RTR, "", "pkey qkey" },
	{ RTR, RTS, "sq_psn", "cur_state qkey" },
	{ RTS, RTS, "", "cur_state qkey" },
	{ RTS, SQD, "", "notify" },
	{ SQD, RTS, "", "cur_state qkey" },
	{ SQD, SQD, "", "pkey qkey" },
	{ SQE, RTS, "", "cur_state qkey" },
	{ INIT, RESET, "", "" }, { RTR, RESET, "", "" }, { RTS, RESET, "", "" }, { SQD, RESET, "", "" },
	{ SQE, RESET, "", "" }, { ERR, RESET, "", "" },
	{ INIT, ERR, "", "" }, { RTR, ERR, "", "" }, { RTS, ERR, "", "" }, { SQD, ERR, "", "" }, { SQE, ERR, "", "" },
	{ ERR, ERR, "", "" },
	{ 0, 0, NULL, NULL },
};

/* The transitions that are left to an application where rdma_cm connects. */
static const struct row iwarp[] = {
	{ RESET, RESET, "", "" },
	{ RESET, INIT, "", "pkey port access" },
	{ INIT, INIT, "", "pkey port access" },
	{ INIT, RTR, "", "pkey port access" },
	{ RTR, RTR, "", "port access" },
	{ INIT, RESET, "", "" }, { INIT, ERR, "", "" },
	{ RTR, RESET, "", "" }, { RTR, ERR, "", "" },
	{ ERR, RESET, "", "" }, { ERR, ERR, "", "" },
	{ 0, 0, NULL, NULL },
};

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_qp *qp;
static union ibv_gid gid;

static void open_qp(enum ibv_qp_type type)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_qp_init_attr init = {
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = type,
	};

	T_MUST(list && list[0]);
	context = ibv_open_device(list[0]);
	T_MUST(context);
	ibv_free_device_list(list);
	T_MUST(!ibv_query_gid(context, 1, 0, &gid));
	pd = ibv_alloc_pd(context);
	cq = ibv_create_cq(context, 64, NULL, NULL, 0);
	T_MUST(pd && cq);
	init.send_cq = init.recv_cq = cq;
	qp = ibv_create_qp(pd, &init);
	T_MUST(qp);
}

static void close_qp(void)
{
	CHECK_EQ(0, ibv_destroy_qp(qp));
	CHECK_EQ(0, ibv_destroy_cq(cq));
	CHECK_EQ(0, ibv_dealloc_pd(pd));
	CHECK_EQ(0, ibv_close_device(context));
}

static struct ibv_qp_attr good_values(void)
{
	struct ibv_qp_attr attr = {
		.path_mtu = IBV_MTU_1024, .path_mig_state = IBV_MIG_MIGRATED, .qkey = 0x1234, .rq_psn = 1, .sq_psn = 2,
		.dest_qp_num = qp->qp_num, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE, .port_num = 1,
		.max_rd_atomic = 1, .max_dest_rd_atomic = 1, .min_rnr_timer = 12, .timeout = 14, .retry_cnt = 7,
		.rnr_retry = 7, .en_sqd_async_notify = 1, .cur_qp_state = qp->state,
		.ah_attr = { .is_global = 1, .port_num = 1 },
	};

	attr.ah_attr.grh.dgid = gid;
	attr.alt_ah_attr = attr.ah_attr;
	attr.alt_port_num = 1;
	return attr;
}

static enum ibv_qp_state actual_state(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	CHECK_EQ(0, ibv_query_qp(qp, &attr, IBV_QP_STATE, &init));
	CHECK_EQ(attr.qp_state, qp->state);
	return attr.qp_state;
}

static int modify(enum ibv_qp_state to, int mask)
{
	struct ibv_qp_attr attr = good_values();

	attr.qp_state = to;
	return ibv_modify_qp(qp, &attr, mask | IBV_QP_STATE);
}

static int mask_of(const char *text)
{
	char copy[256], *rest = NULL;
	int mask = 0;

	strcpy(copy, text);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		size_t i = 0;

		while (strcmp(word, words[i].word))
			i++;
		mask |= words[i].bit;
	}
	return mask;
}

static const struct row *row_of(const struct row *table, enum ibv_qp_state from, enum ibv_qp_state to)
{
	for (; table->required; table++)
		if (table->from == from && table->to == to)
			return table;
	return NULL;
}

static void step(const struct row *table, enum ibv_qp_state to)
{
	T_MUST(!modify(to, mask_of(row_of(table, qp->state, to)->required)));
}

/* Sends a datagram from unregistered memory: the send queue stops, and nothing else does. */
static void fail_a_send(void)
{
	struct ibv_ah_attr to = { .is_global = 1, .port_num = 1, .grh = { .dgid = gid, .hop_limit = 1 } };
	struct ibv_sge sge = { .addr = (uintptr_t)&to, .length = 1, .lkey = 0xdead00 };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND }, *bad;
	struct ibv_wc wc;

	wr.wr.ud.ah = ibv_create_ah(pd, &to);
	T_MUST(wr.wr.ud.ah);
	wr.wr.ud.remote_qpn = qp->qp_num;
	T_MUST(!ibv_post_send(qp, &wr, &bad));
	T_MUST(ibv_poll_cq(cq, 1, &wc) == 1 && wc.status == IBV_WC_LOC_PROT_ERR);
	T_MUST(!ibv_destroy_ah(wr.wr.ud.ah));
}

static void bring_to(const struct row *table, enum ibv_qp_state state)
{
	T_MUST(!modify(RESET, 0));
	if (state == RESET)
		return;
	step(table, INIT);
	if (state == INIT)
		return;
	if (state == ERR) {
		step(table, ERR);
		return;
	}
	step(table, RTR);
	if (state == RTR)
		return;
	step(table, RTS);
	if (state == SQD)
		step(table, SQD);
	if (state == SQE)
		fail_a_send();
	T_MUST(actual_state() == state);
}

static void attempt(const struct row *table, enum ibv_qp_state from, enum ibv_qp_state to, int mask, bool is_legal)
{
	enum ibv_qp_state is = actual_state();
	int ret;

	if (is != from)
		bring_to(table, from);
	ret = modify(to, mask);
	if (ret != (is_legal ? 0 : EINVAL))
		T_FAIL("%d -> %d with 0x%x: %d", from, to, mask, ret);
	CHECK_EQ(is_legal ? to : from, actual_state());
}

static void attempt_all(const struct row *table, enum ibv_qp_state from, enum ibv_qp_state to)
{
	const struct row *row = row_of(table, from, to);
	int required, optional;

	if (!row) {
		attempt(table, from, to, 0, false);
		for (int bit = 0; bit < BITS; bit++)
			attempt(table, from, to, 1 << bit, false);
		attempt(table, from, to, (1 << 21) - 1 - IBV_QP_ALT_PATH - IBV_QP_CAP, false);
		return;
	}
	required = mask_of(row->required);
	optional = mask_of(row->optional);
	attempt(table, from, to, required, true);
	attempt(table, from, to, required | optional, true);
	for (int i = 1; i < BITS; i++) {
		int bit = 1 << i;

		if (required & bit)
			attempt(table, from, to, (required | optional) & ~bit, false);
		else
			attempt(table, from, to, required | bit, optional & bit);
	}
}

static void whole_table(enum ibv_qp_type type, const struct row *table, unsigned int reachable)
{
	open_qp(type);
	for (enum ibv_qp_state from = RESET; from < STATES; from++)
		for (enum ibv_qp_state to = RESET; to < STATES; to++)
			if (reachable & 1u << from)
				attempt_all(table, from, to);
	close_qp();
}

#define ALL_BUT_SQE	(1u << RESET | 1u << INIT | 1u << RTR | 1u << RTS | 1u << SQD | 1u << ERR)

static void reliable_connections_obey_the_table(void)
{
	whole_table(IBV_QPT_RC, reliable, ALL_BUT_SQE);
}

static void datagrams_obey_the_table(void)
{
	whole_table(IBV_QPT_UD, datagrams, ALL_BUT_SQE | 1u << SQE);
}

static void only_rdma_cm_connects_iwarp(void)
{
	whole_table(IBV_QPT_RC, iwarp, 1u << RESET | 1u << INIT | 1u << RTR | 1u << ERR);
}

/* ---- values ---- */

/* Checks the last value that is accepted for an attribute, and the first that is not. */
#define CHECK_LIMIT(from, to, mask, field, last, beyond)				\
	do {										\
		struct ibv_qp_attr t_attr;						\
											\
		bring_to(reliable, from);						\
		t_attr = good_values();							\
		t_attr.qp_state = to;							\
		t_attr.field = (beyond);						\
		CHECK_EQ(EINVAL, ibv_modify_qp(qp, &t_attr, (mask) | IBV_QP_STATE));	\
		CHECK_EQ(from, actual_state());						\
		t_attr.field = (last);							\
		CHECK_EQ(0, ibv_modify_qp(qp, &t_attr, (mask) | IBV_QP_STATE));		\
	} while (0)

static void values_have_limits(void)
{
	int init = mask_of("pkey port access");
	int rtr = mask_of("av mtu dest rq_psn dest_rd_atomic rnr_timer");
	int rts = mask_of("sq_psn timeout retry rnr_retry rd_atomic");
	struct ibv_device_attr device;

	open_qp(IBV_QPT_RC);
	CHECK_EQ(0, ibv_query_device(context, &device));
	CHECK_LIMIT(RESET, INIT, init, pkey_index, 0, 1);
	CHECK_LIMIT(RESET, INIT, init, port_num, 1, 2);
	CHECK_LIMIT(RESET, INIT, init, port_num, 1, 0);
	CHECK_LIMIT(RESET, INIT, init, qp_access_flags, 0x1f, 0x3f);
	CHECK_LIMIT(INIT, RTR, rtr, path_mtu, IBV_MTU_256, 0);
	CHECK_LIMIT(INIT, RTR, rtr, path_mtu, IBV_MTU_256, 6);
	CHECK_LIMIT(INIT, RTR, rtr, dest_qp_num, 0xffffff, 0x1000000);
	CHECK_LIMIT(INIT, RTR, rtr, rq_psn, 0xffffff, 0x1000000);
	CHECK_LIMIT(INIT, RTR, rtr, max_dest_rd_atomic, device.max_qp_rd_atom, device.max_qp_rd_atom + 1);
	CHECK_LIMIT(INIT, RTR, rtr, min_rnr_timer, 31, 32);
	CHECK_LIMIT(INIT, RTR, rtr, ah_attr.is_global, 1, 0);
	CHECK_LIMIT(INIT, RTR, rtr, ah_attr.port_num, 1, 2);
	CHECK_LIMIT(INIT, RTR, rtr, ah_attr.sl, 15, 16);
	CHECK_LIMIT(INIT, RTR, rtr, ah_attr.grh.sgid_index, 0, 255);
	CHECK_LIMIT(INIT, RTR, rtr, ah_attr.grh.dgid, gid, (union ibv_gid){ .raw = { 0 } });
	CHECK_LIMIT(RTR, RTS, rts, sq_psn, 0xffffff, 0x1000000);
	CHECK_LIMIT(RTR, RTS, rts, timeout, 31, 32);
	CHECK_LIMIT(RTR, RTS, rts, retry_cnt, 7, 8);
	CHECK_LIMIT(RTR, RTS, rts, rnr_retry, 7, 8);
	CHECK_LIMIT(RTR, RTS, rts, max_rd_atomic, device.max_qp_init_rd_atom, device.max_qp_init_rd_atom + 1);
	CHECK_LIMIT(RTR, RTS, rts | IBV_QP_PATH_MIG_STATE, path_mig_state, IBV_MIG_MIGRATED, IBV_MIG_ARMED);
	CHECK_LIMIT(RTR, RTS, rts | IBV_QP_CUR_STATE, cur_qp_state, RTR, RTS);
	close_qp();
}

/* ---- stored attributes ---- */

static void query_says_what_modify_set(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr set, attr;

	open_qp(IBV_QPT_RC);
	set = good_values();
	bring_to(reliable, RTS);
	CHECK_EQ(0, ibv_query_qp(qp, &attr, 0, &init));
	CHECK_EQ(RTS, attr.qp_state);
	CHECK_EQ(RTS, attr.cur_qp_state);
	CHECK_EQ(set.path_mtu, attr.path_mtu);
	CHECK_EQ(set.rq_psn, attr.rq_psn);
	CHECK_EQ(set.sq_psn, attr.sq_psn);
	CHECK_EQ(set.dest_qp_num, attr.dest_qp_num);
	CHECK_EQ(set.qp_access_flags, attr.qp_access_flags);
	CHECK_EQ(set.port_num, attr.port_num);
	CHECK_EQ(set.max_rd_atomic, attr.max_rd_atomic);
	CHECK_EQ(set.max_dest_rd_atomic, attr.max_dest_rd_atomic);
	CHECK_EQ(set.min_rnr_timer, attr.min_rnr_timer);
	CHECK_EQ(set.timeout, attr.timeout);
	CHECK_EQ(set.retry_cnt, attr.retry_cnt);
	CHECK_EQ(set.rnr_retry, attr.rnr_retry);
	CHECK_BYTES(&gid, &attr.ah_attr.grh.dgid, sizeof(gid));
	CHECK_EQ(4, attr.cap.max_send_wr);
	CHECK_EQ(IBV_QPT_RC, init.qp_type);
	CHECK(init.send_cq == cq && init.recv_cq == cq && !init.srq);
	CHECK_EQ(4, init.cap.max_recv_wr);

	CHECK_EQ(0, modify(RESET, 0));
	CHECK_EQ(0, ibv_query_qp(qp, &attr, 0, &init));
	CHECK_EQ(0, attr.dest_qp_num);
	CHECK_EQ(0, attr.qp_access_flags);
	close_qp();
}

/* A refused call changes nothing, not even the attributes with valid values. */
static void refusal_changes_nothing(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	open_qp(IBV_QPT_RC);
	bring_to(reliable, RTS);
	attr = good_values();
	attr.min_rnr_timer = 3;
	attr.qp_access_flags = 0x100000;
	CHECK_EQ(EINVAL, ibv_modify_qp(qp, &attr, IBV_QP_MIN_RNR_TIMER | IBV_QP_ACCESS_FLAGS));
	CHECK_EQ(0, ibv_query_qp(qp, &attr, 0, &init));
	CHECK_EQ(12, attr.min_rnr_timer);
	close_qp();
}

/* A call without IBV_QP_STATE is a transition from the state to itself. */
static void attributes_may_change_in_a_state(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	open_qp(IBV_QPT_RC);
	bring_to(reliable, RTR);
	attr = good_values();
	attr.min_rnr_timer = 3;
	CHECK_EQ(EINVAL, ibv_modify_qp(qp, &attr, IBV_QP_MIN_RNR_TIMER));
	bring_to(reliable, RTS);
	CHECK_EQ(0, ibv_modify_qp(qp, &attr, IBV_QP_MIN_RNR_TIMER));
	CHECK_EQ(RTS, actual_state());
	CHECK_EQ(0, ibv_query_qp(qp, &attr, 0, &init));
	CHECK_EQ(3, attr.min_rnr_timer);
	close_qp();
}

static void drained_queue_is_announced_when_asked(void)
{
	struct ibv_async_event event;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	open_qp(IBV_QPT_RC);
	bring_to(reliable, RTS);
	CHECK_EQ(0, modify(SQD, IBV_QP_EN_SQD_ASYNC_NOTIFY));
	CHECK_EQ(0, ibv_get_async_event(context, &event));
	CHECK_EQ(IBV_EVENT_SQ_DRAINED, event.event_type);
	CHECK(event.element.qp == qp);
	ibv_ack_async_event(&event);
	CHECK_EQ(0, ibv_query_qp(qp, &attr, 0, &init));
	CHECK_EQ(0, attr.sq_draining);
	close_qp();
}

static void iwarp_obeys_its_table(void)
{
	t_in_child("SOFTHCA_PERSONALITY", "iwarp", only_rdma_cm_connects_iwarp);
}

int main(void)
{
	T_RUN(iwarp_obeys_its_table);
	T_RUN(reliable_connections_obey_the_table);
	T_RUN(datagrams_obey_the_table);
	T_RUN(values_have_limits);
	T_RUN(query_says_what_modify_set);
	T_RUN(refusal_changes_nothing);
	T_RUN(attributes_may_change_in_a_state);
	T_RUN(drained_queue_is_announced_when_asked);
	return t_result();
}
