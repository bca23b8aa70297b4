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

/* Creating queue pairs: what is granted, what is refused, and their numbers. */
#include <pthread.h>
#include <stdatomic.h>

#include "t_child.h"
#include "t_pair.h"

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_cq *cq;

static void open_device(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	T_MUST(list && list[0]);
	context = ibv_open_device(list[0]);
	T_MUST(context);
	ibv_free_device_list(list);
	pd = ibv_alloc_pd(context);
	cq = ibv_create_cq(context, 16, NULL, NULL, 0);
	T_MUST(pd && cq);
}

static void close_device(void)
{
	CHECK_EQ(0, ibv_destroy_cq(cq));
	CHECK_EQ(0, ibv_dealloc_pd(pd));
	CHECK_EQ(0, ibv_close_device(context));
}

static struct ibv_qp_init_attr usual(void)
{
	return (struct ibv_qp_init_attr){
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 3, .max_recv_wr = 5, .max_send_sge = 1, .max_recv_sge = 1 },
	};
}

static void refused(struct ibv_qp_init_attr init, int error)
{
	struct ibv_qp *qp;

	errno = 0;
	qp = ibv_create_qp(pd, &init);
	CHECK(!qp);
	CHECK_EQ(error, errno);
	if (qp)
		ibv_destroy_qp(qp);
}

static void granted(struct ibv_qp_init_attr init)
{
	struct ibv_qp_cap asked = init.cap;
	struct ibv_qp *qp = ibv_create_qp(pd, &init);

	CHECK(qp);
	if (!qp)
		return;
	CHECK(init.cap.max_send_wr >= asked.max_send_wr);
	CHECK(init.cap.max_recv_wr >= asked.max_recv_wr);
	CHECK(init.cap.max_send_sge >= asked.max_send_sge);
	CHECK(init.cap.max_recv_sge >= asked.max_recv_sge);
	CHECK(init.cap.max_inline_data >= asked.max_inline_data);
	CHECK_EQ(IBV_QPS_RESET, qp->state);
	CHECK(qp->context == context && qp->pd == pd && qp->send_cq == cq && qp->recv_cq == cq);
	CHECK_EQ(0, ibv_destroy_qp(qp));
}

#define CHECK_CAP(field, most)					\
	do {							\
		struct ibv_qp_init_attr t_init = usual();	\
								\
		t_init.cap.field = (uint32_t)(most);		\
		granted(t_init);				\
		t_init.cap.field = (uint32_t)(most) + 1;	\
		refused(t_init, EINVAL);			\
	} while (0)

static void capabilities_have_limits(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_device_attr device;

	open_device();
	CHECK_EQ(0, ibv_query_device(context, &device));
	CHECK_CAP(max_send_wr, device.max_qp_wr);
	CHECK_CAP(max_recv_wr, device.max_qp_wr);
	CHECK_CAP(max_send_sge, device.max_sge);
	CHECK_CAP(max_recv_sge, device.max_sge);
	init = usual();
	init.cap = (struct ibv_qp_cap){ .max_send_wr = 0 };
	granted(init);
	init.cap.max_inline_data = UINT32_MAX;
	refused(init, EINVAL);
	close_device();
}

static void types_and_parts_are_checked(void)
{
	struct ibv_qp_init_attr init;

	open_device();
	init = usual();
	init.qp_type = IBV_QPT_UD;
	granted(init);
	init.qp_type = IBV_QPT_UC;
	refused(init, EOPNOTSUPP);
	init.qp_type = IBV_QPT_RAW_PACKET;
	refused(init, EOPNOTSUPP);
	init = usual();
	init.send_cq = NULL;
	refused(init, EINVAL);
	init = usual();
	init.recv_cq = NULL;
	refused(init, EINVAL);
	close_device();
}

static void parts_of_another_context_are_refused(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_context *first;
	struct ibv_cq *foreign;
	struct ibv_pd *own;

	open_device();
	first = context;
	foreign = cq;
	own = pd;
	open_device();
	init = usual();
	init.recv_cq = foreign;
	refused(init, EINVAL);
	close_device();
	context = first;
	cq = foreign;
	pd = own;
	close_device();
}

static void parts_in_use_stay(void)
{
	struct ibv_srq_init_attr srq_init = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ibv_qp_init_attr init;
	struct ibv_srq *srq;
	struct ibv_qp *qp;

	open_device();
	srq = ibv_create_srq(pd, &srq_init);
	T_MUST(srq);
	init = usual();
	init.srq = srq;
	qp = ibv_create_qp(pd, &init);
	T_MUST(qp);
	CHECK_EQ(0, init.cap.max_recv_wr);
	CHECK_EQ(EBUSY, ibv_destroy_cq(cq));
	CHECK_EQ(EBUSY, ibv_destroy_srq(srq));
	CHECK_EQ(EBUSY, ibv_dealloc_pd(pd));
	CHECK_EQ(0, ibv_destroy_qp(qp));
	CHECK_EQ(0, ibv_destroy_srq(srq));
	close_device();
}

/*
 * The 16-bit indices are used one after another, so that packets in flight to an old number do not find a new queue
 * pair there.
 */
static void numbers_recur_late(void)
{
	enum { MANY = 3000 };
	static uint32_t numbers[MANY];

	open_device();
	for (int i = 0; i < MANY; i++) {
		struct ibv_qp_init_attr init = usual();
		struct ibv_qp *qp = ibv_create_qp(pd, &init);

		T_MUST(qp);
		numbers[i] = qp->qp_num;
		CHECK(qp->qp_num > 1 && qp->qp_num <= 0xffffff);
		CHECK_EQ(0, ibv_destroy_qp(qp));
		for (int j = 0; j < i; j++)
			if (numbers[j] == numbers[i])
				T_FAIL("number 0x%x again after %d others", numbers[i], i - j);
	}
	close_device();
}

static struct ibv_qp_init_attr_ex extended(uint32_t comp_mask, uint64_t ops, enum ibv_qp_type type)
{
	return (struct ibv_qp_init_attr_ex){
		.send_cq = cq, .recv_cq = cq, .qp_type = type, .comp_mask = comp_mask, .pd = pd,
		.send_ops_flags = ops, .cap = { .max_send_wr = 1, .max_recv_wr = 1 },
	};
}

static struct ibv_qp *create_extended(uint32_t comp_mask, uint64_t ops, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr_ex init = extended(comp_mask, ops, type);

	errno = 0;
	return ibv_create_qp_ex(context, &init);
}

static void extended_attributes_are_checked(void)
{
	uint32_t usual_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	struct ibv_qp *qp;

	open_device();
	qp = create_extended(usual_mask, IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_READ, IBV_QPT_RC);
	CHECK(qp && ibv_qp_to_qp_ex(qp));
	CHECK_EQ(0, ibv_destroy_qp(qp));
	qp = create_extended(IBV_QP_INIT_ATTR_PD, 0, IBV_QPT_RC);
	CHECK(qp && !ibv_qp_to_qp_ex(qp));
	CHECK_EQ(0, ibv_destroy_qp(qp));
	CHECK(!create_extended(usual_mask, IBV_QP_EX_WITH_BIND_MW, IBV_QPT_RC));
	CHECK_EQ(EOPNOTSUPP, errno);
	CHECK(!create_extended(usual_mask, IBV_QP_EX_WITH_RDMA_READ, IBV_QPT_UD));
	CHECK_EQ(EOPNOTSUPP, errno);
	CHECK(!create_extended(IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, IBV_QP_EX_WITH_SEND, IBV_QPT_RC));
	CHECK_EQ(EINVAL, errno);
	close_device();
}

/* A program may name the field of flags and ask for none of them. */
static void only_empty_flags_are_accepted(void)
{
	uint32_t mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS;
	struct ibv_qp_init_attr_ex init;
	struct ibv_qp *qp;

	open_device();
	qp = create_extended(mask, 0, IBV_QPT_RC);
	CHECK(qp);
	CHECK_EQ(0, ibv_destroy_qp(qp));
	qp = create_extended(mask | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, IBV_QP_EX_WITH_SEND, IBV_QPT_UD);
	CHECK(qp && ibv_qp_to_qp_ex(qp));
	CHECK_EQ(0, ibv_destroy_qp(qp));
	init = extended(mask, 0, IBV_QPT_UD);
	init.create_flags = IBV_QP_CREATE_BLOCK_SELF_MCAST_LB;
	CHECK(!ibv_create_qp_ex(context, &init));
	CHECK_EQ(EOPNOTSUPP, errno);
	close_device();
}

/* As rdma-core answers for every device without vendors' options: so that rdma_cm's programs do without them. */
static void vendor_options_are_refused(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_ece ece = { 0 };
	struct ibv_qp *qp;

	open_device();
	init = usual();
	qp = ibv_create_qp(pd, &init);
	T_MUST(qp);
	CHECK_EQ(EOPNOTSUPP, ibv_query_ece(qp, &ece));
	CHECK_EQ(EOPNOTSUPP, ibv_set_ece(qp, &ece));
	ece.vendor_id = 1;
	CHECK_EQ(EOPNOTSUPP, ibv_set_ece(qp, &ece));
	CHECK_EQ(0, ibv_destroy_qp(qp));
	close_device();
}

/* ---- destruction during traffic ---- */

static struct t_pair pair;
static atomic_bool stop;

/* The results do not matter: the threads only keep everything busy. */
static void *poll_right(void *unused)
{
	struct ibv_wc wc;

	while (!atomic_load(&stop))
		ibv_poll_cq(pair.right.recv_cq, 1, &wc);
	return unused;
}

static void *post_left(void *unused)
{
	struct ibv_wc wc;

	while (!atomic_load(&stop)) {
		int ret = t_post(&pair.left, 1, IBV_WR_RDMA_READ, IBV_SEND_SIGNALED, 0, 100000, &pair.right, 0);

		CHECK(ret == 0 || ret == ENOMEM);
		ret = t_post(&pair.left, 2, IBV_WR_SEND, IBV_SEND_SIGNALED, 0, 100, NULL, 0);
		CHECK(ret == 0 || ret == ENOMEM);
		while (ibv_poll_cq(pair.left.send_cq, 1, &wc) > 0)
			CHECK(wc.wr_id == 1 || wc.wr_id == 2);
	}
	return unused;
}

static void queue_pair_goes_amid_traffic(void)
{
	for (int round = 0; round < 20; round++) {
		struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
		pthread_t threads[2];

		t_pair_open(&pair, &t_usual);
		for (int i = 0; i < T_DEPTH; i++)
			t_receive(&pair.right, 1, 0, 100);
		atomic_store(&stop, false);
		T_MUST(!pthread_create(&threads[0], NULL, post_left, NULL));
		T_MUST(!pthread_create(&threads[1], NULL, poll_right, NULL));
		usleep((useconds_t)t_random_below(2000));
		if (round % 2)
			CHECK_EQ(0, ibv_modify_qp(pair.right.qp, &attr, IBV_QP_STATE));
		CHECK_EQ(0, ibv_destroy_qp(pair.right.qp));
		atomic_store(&stop, true);
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		/* t_pair_close needs one. */
		struct ibv_qp_init_attr init = { .send_cq = pair.right.send_cq, .recv_cq = pair.right.recv_cq,
						 .qp_type = IBV_QPT_RC };

		pair.right.qp = ibv_create_qp(pair.pd, &init);
		T_MUST(pair.right.qp);
		t_pair_close(&pair);
	}
}

/* Checks what both smaller personalities lack. */
static void small_device_refuses(void)
{
	struct ibv_qp_init_attr init;

	open_device();
	CHECK(!create_extended(IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, IBV_QP_EX_WITH_SEND, IBV_QPT_RC));
	CHECK_EQ(EOPNOTSUPP, errno);
	CHECK(!create_extended(IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS, 0, IBV_QPT_RC));
	CHECK_EQ(EOPNOTSUPP, errno);
	init = usual();
	granted(init);
	close_device();
}

static void minimal_device_refuses(void)
{
	struct ibv_qp_init_attr init;

	small_device_refuses();
	open_device();
	init = usual();
	init.cap.max_inline_data = 1;
	refused(init, EINVAL);
	init = usual();
	init.cap.max_send_sge = 2;
	refused(init, EINVAL);
	close_device();
}

static void iwarp_and_minimal_have_less(void)
{
	t_in_child("SOFTHCA_PERSONALITY", "iwarp", small_device_refuses);
	t_in_child("SOFTHCA_PERSONALITY", "minimal", minimal_device_refuses);
}

int main(void)
{
	t_seed();
	T_RUN(iwarp_and_minimal_have_less);
	T_RUN(capabilities_have_limits);
	T_RUN(types_and_parts_are_checked);
	T_RUN(parts_of_another_context_are_refused);
	T_RUN(parts_in_use_stay);
	T_RUN(numbers_recur_late);
	T_RUN(extended_attributes_are_checked);
	T_RUN(only_empty_flags_are_accepted);
	T_RUN(vendor_options_are_refused);
	T_RUN(queue_pair_goes_amid_traffic);
	return t_result();
}
