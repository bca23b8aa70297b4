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

#include "verbs/nrdma_queue_pair.h"

#include <errno.h>

#include "t_rdma.h"
#include "verbs/nrdma_soft_roce.h"

#define PLAIN_OPS (IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ)
#define IMM_OPS (IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM)
#define ATOMIC_OPS (IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)

/* A device whose extended queue pairs support these operations only; otherwise it fails with this errno. */
static struct verbs_context device;
static struct ibv_pd pd;
static struct ibv_cq send_cq, recv_cq;
static struct ibv_srq srq;
static struct ibv_qp_ex qp_ex;
static uint64_t granted_ops;
static int refusal;
static bool has_wr_api;
static int extended_calls, classic_calls, srd_calls;

/* A libefa before version 55 takes 0 alone: reserved fields must be clear. */
static uint8_t highest_level;

static void check_asked(const struct ibv_qp_init_attr *attr)
{
	CHECK_EQ(0x1234, (uintptr_t)attr->qp_context);
	CHECK(attr->send_cq == &send_cq);
	CHECK(attr->recv_cq == &recv_cq);
	CHECK(attr->srq == &srq);
	CHECK_EQ(10, attr->cap.max_send_wr);
	CHECK_EQ(11, attr->cap.max_recv_wr);
	CHECK_EQ(12, attr->cap.max_send_sge);
	CHECK_EQ(13, attr->cap.max_recv_sge);
	CHECK_EQ(14, attr->cap.max_inline_data);
	CHECK_EQ(1, attr->sq_sig_all);
}

/* A provider may change the capacities even when it refuses. */
static void grant_more(struct ibv_qp_cap *cap)
{
	cap->max_send_wr += 100;
	cap->max_recv_wr += 100;
	cap->max_send_sge += 100;
	cap->max_recv_sge += 100;
	cap->max_inline_data += 100;
}

static struct ibv_qp *create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	CHECK(context == &device.context);
	CHECK(attr->pd == &pd);
	CHECK_EQ(IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, attr->comp_mask);
	check_asked((struct ibv_qp_init_attr *)attr);
	extended_calls++;
	grant_more(&attr->cap);
	if (attr->send_ops_flags & ~granted_ops) {
		errno = refusal;
		return NULL;
	}
	qp_ex.qp_base.qp_num = 77;
	return &qp_ex.qp_base;
}

static struct ibv_qp *create_qp(struct ibv_pd *of, struct ibv_qp_init_attr *attr)
{
	CHECK(of == &pd);
	check_asked(attr);
	classic_calls++;
	grant_more(&attr->cap);
	qp_ex.qp_base.qp_num = 78;
	return &qp_ex.qp_base;
}

static struct ibv_qp *create_no_qp(struct ibv_pd *of, struct ibv_qp_init_attr *attr)
{
	create_qp(of, attr);
	errno = EINVAL;
	return NULL;
}

/* libefa's function creates both kinds: without operations in comp_mask, a queue pair for the classic API. */
static struct ibv_qp *create_srd(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr,
				 struct efadv_qp_init_attr *efa, uint32_t length)
{
	/* As versions 26 to 64 have it; the header may have more. */
	uint8_t srd[16] = { [8] = EFADV_QP_DRIVER_TYPE_SRD };
	uint8_t level = ((const uint8_t *)efa)[14];
	bool extended = attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;

	CHECK(context == &device.context);
	CHECK(attr->pd == &pd);
	CHECK_EQ(IBV_QPT_DRIVER, attr->qp_type);
	CHECK_EQ(0, attr->comp_mask & ~(uint32_t)(IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS));
	CHECK_EQ(sizeof(srd), length);
	srd[14] = level;
	CHECK_BYTES(srd, efa, sizeof(srd));
	check_asked((struct ibv_qp_init_attr *)attr);
	srd_calls++;
	grant_more(&attr->cap);
	if (level > highest_level) {
		errno = EINVAL;
		return NULL;
	}
	if (extended && attr->send_ops_flags & ~granted_ops) {
		errno = refusal;
		return NULL;
	}
	qp_ex.qp_base.qp_num = 77;
	return &qp_ex.qp_base;
}

static struct ibv_qp_ex *qp_to_qp_ex(struct ibv_qp *qp)
{
	CHECK(qp == &qp_ex.qp_base);
	return has_wr_api ? &qp_ex : NULL;
}

static int destroy_result;

static int destroy_qp(struct ibv_qp *qp)
{
	CHECK(qp == &qp_ex.qp_base);
	return destroy_result;
}

static struct nrdma_qp_init new_init(uint8_t type, uint64_t ops, int error)
{
	static struct nrdma_cq send_side = { .cq = &send_cq }, recv_side = { .cq = &recv_cq };

	memset(&device, 0, sizeof(device));
	device.sz = sizeof(device);
	device.create_qp_ex = create_qp_ex;
	device.context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	pd.context = &device.context;
	granted_ops = ops;
	refusal = error;
	has_wr_api = true;
	extended_calls = classic_calls = srd_calls = 0;
	highest_level = 0;
	t_verbs()->ibv_create_qp = create_qp;
	t_verbs()->ibv_qp_to_qp_ex = qp_to_qp_ex;
	t_verbs()->ibv_destroy_qp = destroy_qp;
	return (struct nrdma_qp_init) {
		.pd = (uintptr_t)&pd, .send_cq = (uintptr_t)&send_side, .recv_cq = (uintptr_t)&recv_side,
		.srq = (uintptr_t)&srq, .context = 0x1234, .max_send_wr = 10, .max_recv_wr = 11,
		.max_send_sge = 12, .max_recv_sge = 13, .max_inline = 14, .type = type, .sq_sig_all = 1,
		.extended = 1, .vendor_id = 0x15b3,
	};
}

/* Creates a queue pair by init, checks and destroys it. Without operations it is a classic one. */
static void check_created(struct nrdma_qp_init *init, uint64_t ops)
{
	int64_t handle = nrdma_create_qp(init);
	struct nrdma_qp *qp = nrdma_ptr(handle);

	CHECK(handle > 0);
	if (handle <= 0)
		return;
	CHECK(qp->qp == &qp_ex.qp_base);
	CHECK(qp->qp_ex == (ops ? &qp_ex : NULL));
	CHECK(!ops || qp->send_ops == (ops | (init->vendor_id == NRDMA_SOFT_ROCE_VENDOR ? 0 : NRDMA_SEND_LISTS)));
	CHECK_EQ(init->type != IBV_QPT_RC, qp->datagram);
	CHECK_EQ(ops != 0, init->extended);
	CHECK_EQ(classic_calls ? 78 : 77, init->qp_num);
	CHECK_EQ(110, init->max_send_wr);
	CHECK_EQ(111, init->max_recv_wr);
	CHECK_EQ(112, init->max_send_sge);
	CHECK_EQ(113, init->max_recv_sge);
	CHECK_EQ(114, init->max_inline);
	CHECK_EQ(0, nrdma_destroy_qp(qp));
}

static void extended_connection_steps_down_to_what_the_device_has(void)
{
	static const uint64_t steps[] = { PLAIN_OPS | IMM_OPS | ATOMIC_OPS, PLAIN_OPS | IMM_OPS, PLAIN_OPS };
	int i;

	for (i = 0; i < 3; i++) {
		struct nrdma_qp_init init = new_init(IBV_QPT_RC, steps[i], EOPNOTSUPP);

		check_created(&init, steps[i]);
		CHECK_EQ(i + 1, extended_calls);
		CHECK_EQ(0, classic_calls);
	}
}

static void extended_queue_pair_of_soft_roce_is_given_no_lists(void)
{
	struct nrdma_qp_init init = new_init(IBV_QPT_RC, PLAIN_OPS | IMM_OPS | ATOMIC_OPS, 0);

	init.vendor_id = NRDMA_SOFT_ROCE_VENDOR;
	check_created(&init, granted_ops);
}

static void extended_datagram_queue_asks_for_sends_only(void)
{
	struct nrdma_qp_init init = new_init(IBV_QPT_UD, IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM,
					     EOPNOTSUPP);

	check_created(&init, granted_ops);
	CHECK_EQ(1, extended_calls);
	init = new_init(IBV_QPT_UD, IBV_QP_EX_WITH_SEND, ENOSYS);
	check_created(&init, granted_ops);
	CHECK_EQ(2, extended_calls);
}

static void device_without_extended_queue_pairs_gets_a_classic_one(void)
{
	struct nrdma_qp_init init = new_init(IBV_QPT_RC, 0, EOPNOTSUPP);

	check_created(&init, 0);
	CHECK_EQ(3, extended_calls);
	CHECK_EQ(1, classic_calls);
	init = new_init(IBV_QPT_RC, 0, EOPNOTSUPP);
	device.create_qp_ex = NULL;
	check_created(&init, 0);
}

static struct nrdma_qp_init new_srd_init(uint64_t ops, int error)
{
	t_efa()->efadv_create_qp_ex = create_srd;
	return new_init(IBV_QPT_DRIVER, ops, error);
}

/* All adapters of EFA send messages, most read, and the newer ones write. */
static void srd_steps_down_to_what_the_device_has(void)
{
	static const uint64_t sends = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;
	const uint64_t steps[] = { PLAIN_OPS | IMM_OPS, sends | IBV_QP_EX_WITH_RDMA_READ, sends };
	int i;

	for (i = 0; i < 3; i++) {
		struct nrdma_qp_init init = new_srd_init(steps[i], EOPNOTSUPP);

		check_created(&init, steps[i]);
		CHECK_EQ(i + 1, srd_calls);
	}
	CHECK_EQ(0, extended_calls + classic_calls);
}

static void classic_srd_is_created_by_libefa_too(void)
{
	struct nrdma_qp_init init = new_srd_init(PLAIN_OPS | IMM_OPS, 0);

	init.extended = 0;
	has_wr_api = false;
	check_created(&init, 0);
	CHECK_EQ(1, srd_calls);
	init = new_srd_init(0, EOPNOTSUPP);
	check_created(&init, 0);
	CHECK_EQ(4, srd_calls);
	CHECK_EQ(0, extended_calls + classic_calls);
}

static void failure_of_srd_that_fewer_operations_would_share_is_final(void)
{
	struct nrdma_qp_init init = new_srd_init(0, ENOMEM);

	CHECK_EQ(-ENOMEM, nrdma_create_qp(&init));
	CHECK_EQ(1, srd_calls);
}

static void srd_has_the_level_that_it_asks_for(void)
{
	struct nrdma_qp_init init = new_srd_init(PLAIN_OPS | IMM_OPS, 0);

	init.service_level = highest_level = 8;
	check_created(&init, PLAIN_OPS | IMM_OPS);
	CHECK_EQ(1, srd_calls);
	CHECK_EQ(8, init.service_level);
}

static void srd_does_without_a_level_that_is_refused(void)
{
	struct nrdma_qp_init init = new_srd_init(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM, EOPNOTSUPP);

	init.service_level = 8;
	check_created(&init, IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM);
	CHECK_EQ(4, srd_calls);
	CHECK_EQ(0, init.service_level);
	init = new_srd_init(0, EOPNOTSUPP);
	init.service_level = 8;
	init.extended = 0;
	check_created(&init, 0);
	CHECK_EQ(2, srd_calls);
	CHECK_EQ(0, init.service_level);
}

static struct ibv_qp *create_no_srd(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr,
				    struct efadv_qp_init_attr *efa, uint32_t length)
{
	create_srd(context, attr, efa, length);
	errno = EINVAL;
	return NULL;
}

/* Without a level nothing is tried twice, and a failure of another kind ends it all. */
static void a_level_costs_one_more_try(void)
{
	struct nrdma_qp_init init = new_srd_init(0, ENOMEM), before;

	init.service_level = highest_level = 8;
	CHECK_EQ(-ENOMEM, nrdma_create_qp(&init));
	CHECK_EQ(1, srd_calls);
	init = new_srd_init(0, EINVAL);
	t_efa()->efadv_create_qp_ex = create_no_srd;
	CHECK_EQ(-EINVAL, nrdma_create_qp(&init));
	CHECK_EQ(4, srd_calls);
	init = before = new_srd_init(0, EINVAL);
	t_efa()->efadv_create_qp_ex = create_no_srd;
	init.service_level = before.service_level = 8;
	CHECK_EQ(-EINVAL, nrdma_create_qp(&init));
	CHECK_EQ(5, srd_calls);
	CHECK_BYTES(&before, &init, sizeof(init));
}

static void only_srd_has_a_level(void)
{
	struct nrdma_qp_init init = new_init(IBV_QPT_UD, IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM, 0);

	init.service_level = 8;
	check_created(&init, IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM);
	CHECK_EQ(1, extended_calls);
	CHECK_EQ(0, init.service_level);
}

/* verbs' own functions know no type of EFA, so they are not asked instead. */
static void srd_needs_libefa(void)
{
	struct nrdma_qp_init init = new_init(IBV_QPT_DRIVER, PLAIN_OPS | IMM_OPS, 0);

	CHECK(!nrdma_efa_symbols());
	CHECK_EQ(-ENOSYS, nrdma_create_qp(&init));
	init = new_srd_init(PLAIN_OPS | IMM_OPS, 0);
	t_efa()->efadv_create_qp_ex = NULL;	/* before v26 of rdma-core */
	CHECK_EQ(-ENOSYS, nrdma_create_qp(&init));
	CHECK_EQ(0, extended_calls + classic_calls);
}

static void classic_queue_pair_can_be_forced(void)
{
	struct nrdma_qp_init init = new_init(IBV_QPT_RC, PLAIN_OPS | IMM_OPS | ATOMIC_OPS, 0);

	init.extended = 0;
	check_created(&init, 0);
	CHECK_EQ(0, extended_calls);
}

/* Created, but without the functions: libibverbs then reports that, and posting is classic. */
static void extended_queue_pair_without_functions_is_a_classic_one(void)
{
	struct nrdma_qp_init init = new_init(IBV_QPT_RC, PLAIN_OPS | IMM_OPS | ATOMIC_OPS, 0);

	has_wr_api = false;
	check_created(&init, 0);
	init = new_init(IBV_QPT_RC, PLAIN_OPS | IMM_OPS | ATOMIC_OPS, 0);
	t_verbs()->ibv_qp_to_qp_ex = NULL;
	check_created(&init, 0);
}

static void failure_that_a_classic_one_would_share_is_final(void)
{
	struct nrdma_qp_init init = new_init(IBV_QPT_RC, 0, ENOMEM);

	CHECK_EQ(-ENOMEM, nrdma_create_qp(&init));
	CHECK_EQ(1, extended_calls);
	CHECK_EQ(0, classic_calls);
}

/* Java can then ask again with less inline data. */
static void refused_init_is_unchanged(void)
{
	struct nrdma_qp_init init = new_init(IBV_QPT_RC, 0, EINVAL), before = init;

	t_verbs()->ibv_create_qp = create_no_qp;
	CHECK_EQ(-EINVAL, nrdma_create_qp(&init));
	CHECK_BYTES(&before, &init, sizeof(init));
}

static void queue_pair_that_is_busy_stays(void)
{
	struct nrdma_qp_init init = new_init(IBV_QPT_RC, PLAIN_OPS, EOPNOTSUPP);
	struct nrdma_qp *qp = nrdma_ptr(nrdma_create_qp(&init));

	destroy_result = EBUSY;
	CHECK_EQ(-EBUSY, nrdma_destroy_qp(qp));
	destroy_result = 0;
	CHECK_EQ(0, nrdma_destroy_qp(qp));
}

static struct nrdma_qp_attr all_attributes(void)
{
	return (struct nrdma_qp_attr) {
		.mask = IBV_QP_STATE | IBV_QP_AV, .qkey = 1, .rq_psn = 2, .sq_psn = 3, .dest_qp_num = 4,
		.access_flags = 5, .ah = {
			.dgid = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 },
			.flow_label = 6, .dlid = 7, .sgid_index = 8, .hop_limit = 9, .traffic_class = 10,
			.sl = 11, .src_path_bits = 12, .static_rate = 13, .is_global = 1, .port_num = 14,
		},
		.pkey_index = 15, .state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .max_rd_atomic = 16,
		.max_dest_rd_atomic = 17, .min_rnr_timer = 18, .port_num = 19, .timeout = 20, .retry_cnt = 21,
		.rnr_retry = 22, .sq_draining = 1, .max_send_wr = 23, .max_recv_wr = 24, .max_send_sge = 25,
		.max_recv_sge = 26, .max_inline = 27,
	};
}

/* The attributes in the device; modify writes them, query reads them. */
static struct ibv_qp_attr device_attr;

static int modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	CHECK(qp == &qp_ex.qp_base);
	CHECK_EQ(IBV_QP_STATE | IBV_QP_AV, mask);
	device_attr = *attr;
	return 0;
}

static int query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		    __attribute__((unused)) struct ibv_qp_init_attr *init)
{
	CHECK(qp == &qp_ex.qp_base);
	CHECK_EQ(IBV_QP_STATE | IBV_QP_AV | IBV_QP_CAP, mask);
	*attr = device_attr;
	return 0;
}

static void attributes_round_trip(void)
{
	struct nrdma_qp_attr written = all_attributes(), read;
	struct nrdma_qp qp = { .qp = &qp_ex.qp_base };

	t_verbs()->ibv_modify_qp = modify_qp;
	t_verbs()->ibv_query_qp = query_qp;
	CHECK_EQ(0, T_NATIVE(nrdma_queue_pair_methods, jint, modifyQueuePair, jlong, jlong)
		 (T_ENV, t_handle(&qp), t_handle(&written)));
	memset(&read, 0xa5, sizeof(read));
	CHECK_EQ(0, T_NATIVE(nrdma_queue_pair_methods, jint, queryQueuePair, jlong, jlong, jint)
		 (T_ENV, t_handle(&qp), t_handle(&read), IBV_QP_STATE | IBV_QP_AV));
	CHECK_BYTES(&written, &read, sizeof(written));
	CHECK_EQ(IBV_QPS_RTR, device_attr.qp_state);
	CHECK_EQ(IBV_MTU_1024, device_attr.path_mtu);
	CHECK_EQ(16, device_attr.ah_attr.grh.dgid.raw[15]);
	CHECK_EQ(14, device_attr.ah_attr.port_num);
	CHECK_EQ(17, device_attr.max_dest_rd_atomic);
	CHECK_EQ(27, device_attr.cap.max_inline_data);
}

int main(void)
{
	T_RUN(srd_needs_libefa);	/* first: the others open it */
	T_RUN(extended_connection_steps_down_to_what_the_device_has);
	T_RUN(extended_queue_pair_of_soft_roce_is_given_no_lists);
	T_RUN(extended_datagram_queue_asks_for_sends_only);
	T_RUN(srd_steps_down_to_what_the_device_has);
	T_RUN(classic_srd_is_created_by_libefa_too);
	T_RUN(failure_of_srd_that_fewer_operations_would_share_is_final);
	T_RUN(srd_has_the_level_that_it_asks_for);
	T_RUN(srd_does_without_a_level_that_is_refused);
	T_RUN(a_level_costs_one_more_try);
	T_RUN(only_srd_has_a_level);
	T_RUN(device_without_extended_queue_pairs_gets_a_classic_one);
	T_RUN(classic_queue_pair_can_be_forced);
	T_RUN(extended_queue_pair_without_functions_is_a_classic_one);
	T_RUN(failure_that_a_classic_one_would_share_is_final);
	T_RUN(refused_init_is_unchanged);
	T_RUN(queue_pair_that_is_busy_stays);
	T_RUN(attributes_round_trip);
	return t_result();
}
