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

/* The personalities: each does what it reports as supported, and refuses what it does not. */
#include "device/shca_context.h"
#include "device/shca_device.h"
#include "personality/shca_personality.h"
#include "t_child.h"
#include "t_context.h"

#define VARIABLE	"SOFTHCA_PERSONALITY"

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_cq *cq;

static void open_all(void)
{
	context = t_context_open();
	pd = ibv_alloc_pd(context);
	cq = ibv_create_cq(context, 16, NULL, NULL, 0);
	T_MUST(pd && cq);
}

static void close_all(void)
{
	CHECK_EQ(0, ibv_destroy_cq(cq));
	CHECK_EQ(0, ibv_dealloc_pd(pd));
	CHECK_EQ(0, ibv_close_device(context));
}

static struct ibv_qp *create_qp(enum ibv_qp_type type, struct ibv_qp_cap cap)
{
	struct ibv_qp_init_attr init = { .qp_type = type, .send_cq = cq, .recv_cq = cq, .cap = cap };

	return ibv_create_qp(pd, &init);
}

static struct ibv_cq_ex *create_cq_ex(void)
{
	struct ibv_cq_init_attr_ex init = { .cqe = 16, .wc_flags = IBV_WC_EX_WITH_BYTE_LEN };

	return ibv_create_cq_ex(context, &init);
}

static struct ibv_srq *create_srq(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 8, .max_sge = 1 } };

	return ibv_create_srq(pd, &init);
}

static struct ibv_qp *create_qp_ex(void)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq, .pd = pd,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
	};

	return ibv_create_qp_ex(context, &init);
}

/* ---- reported limits are enforced ---- */

static void one_more_than_a_limit_is_refused(void)
{
	struct ibv_qp_cap least = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 };
	struct ibv_device_attr attr;
	struct ibv_qp_cap cap;
	struct ibv_qp *qp;

	T_MUST(!ibv_query_device(context, &attr));
	cap = least;
	cap.max_send_wr = (uint32_t)attr.max_qp_wr + 1;
	CHECK_REFUSED(EINVAL, create_qp(IBV_QPT_RC, cap));
	cap = least;
	cap.max_recv_wr = (uint32_t)attr.max_qp_wr + 1;
	CHECK_REFUSED(EINVAL, create_qp(IBV_QPT_RC, cap));
	cap = least;
	cap.max_send_sge = (uint32_t)attr.max_sge + 1;
	CHECK_REFUSED(EINVAL, create_qp(IBV_QPT_RC, cap));
	cap = least;
	cap.max_inline_data = shca_personality()->max_inline + 1;
	CHECK_REFUSED(EINVAL, create_qp(IBV_QPT_RC, cap));
	CHECK_REFUSED(EINVAL, ibv_create_cq(context, attr.max_cqe + 1, NULL, NULL, 0));

	cap = (struct ibv_qp_cap){
		.max_send_wr = 64, .max_recv_wr = 64, .max_send_sge = (uint32_t)attr.max_sge,
		.max_recv_sge = (uint32_t)attr.max_sge, .max_inline_data = shca_personality()->max_inline,
	};
	qp = create_qp(IBV_QPT_RC, cap);
	T_MUST(qp);
	CHECK_EQ(0, ibv_destroy_qp(qp));
}

static void device_says_what_the_personality_has(void)
{
	const struct shca_personality *personality = shca_personality();
	struct ibv_device_attr attr;
	struct ibv_port_attr port;

	CHECK_EQ(0, ibv_query_device(context, &attr));
	CHECK_EQ(personality->max_qp, attr.max_qp);
	CHECK_EQ(personality->max_qp_wr, attr.max_qp_wr);
	CHECK_EQ(personality->max_sge, attr.max_sge);
	CHECK_EQ(personality->max_sge_rd, attr.max_sge_rd);
	CHECK_EQ(personality->max_cqe, attr.max_cqe);
	CHECK_EQ(personality->max_srq, attr.max_srq);
	CHECK_EQ(personality->max_rd_atomic, attr.max_qp_rd_atom);
	CHECK_EQ(personality->max_rd_atomic, attr.max_qp_init_rd_atom);
	CHECK_EQ(personality->atomics, attr.atomic_cap != IBV_ATOMIC_NONE);
	CHECK_EQ(SHCA_VENDOR_ID, attr.vendor_id);
	CHECK(strstr(attr.fw_ver, "soft"));
	CHECK_EQ(personality->node_type, context->device->node_type);
	CHECK_EQ(personality->transport_type, context->device->transport_type);
	CHECK_EQ(0, ibv_query_port(context, SHCA_PORT, &port));
	CHECK_EQ(personality->mtu, port.active_mtu);
	CHECK_EQ(personality->max_message, port.max_msg_sz);
}

/* ---- each personality ---- */

static void destroy_extras(struct ibv_cq_ex *cq_ex, struct ibv_srq *srq, struct ibv_qp *qp)
{
	CHECK_EQ(0, ibv_destroy_cq(ibv_cq_ex_to_cq(cq_ex)));
	CHECK_EQ(0, ibv_destroy_srq(srq));
	CHECK_EQ(0, ibv_destroy_qp(qp));
}

static void rc_has_everything(void)
{
	struct ibv_qp_cap cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 };
	struct ibv_cq_ex *cq_ex;
	struct ibv_srq *srq;
	struct ibv_qp *qp;

	open_all();
	CHECK_TEXT("rc", shca_personality()->name);
	device_says_what_the_personality_has();
	one_more_than_a_limit_is_refused();
	cq_ex = create_cq_ex();
	srq = create_srq();
	qp = create_qp_ex();
	T_MUST(cq_ex && srq && qp);
	destroy_extras(cq_ex, srq, qp);
	qp = create_qp(IBV_QPT_UD, cap);
	T_MUST(qp);
	CHECK_EQ(0, ibv_destroy_qp(qp));
	CHECK_REFUSED(EOPNOTSUPP, create_qp(IBV_QPT_UC, cap));
	close_all();
}

static void iwarp_lacks_what_siw_lacks(void)
{
	struct ibv_qp_cap cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 };
	struct ibv_recv_wr *bad, empty = { .wr_id = 1 };
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = SHCA_PORT };
	struct ibv_srq *srq;
	struct ibv_qp *qp;

	open_all();
	CHECK_TEXT("iwarp", shca_personality()->name);
	device_says_what_the_personality_has();
	one_more_than_a_limit_is_refused();
	CHECK_EQ(IBV_NODE_RNIC, context->device->node_type);
	CHECK_EQ(IBV_TRANSPORT_IWARP, context->device->transport_type);
	CHECK_REFUSED(EOPNOTSUPP, create_cq_ex());
	CHECK_REFUSED(EOPNOTSUPP, create_qp_ex());
	CHECK_REFUSED(EOPNOTSUPP, create_qp(IBV_QPT_UD, cap));
	srq = create_srq();
	T_MUST(srq);
	CHECK_EQ(0, ibv_destroy_srq(srq));
	qp = create_qp(IBV_QPT_RC, cap);
	T_MUST(qp);
	T_MUST(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS));
	/* Negative, as from siw's driver. */
	CHECK_EQ(-EINVAL, ibv_post_recv(qp, &empty, &bad));
	CHECK(bad == &empty);
	CHECK_EQ(0, ibv_destroy_qp(qp));
	close_all();
}

static void minimal_lacks_what_is_optional(void)
{
	open_all();
	CHECK_TEXT("minimal", shca_personality()->name);
	device_says_what_the_personality_has();
	one_more_than_a_limit_is_refused();
	CHECK_EQ(1, shca_personality()->max_sge);
	CHECK_EQ(0, shca_personality()->max_inline);
	CHECK_REFUSED(EOPNOTSUPP, create_cq_ex());
	CHECK_REFUSED(EOPNOTSUPP, create_qp_ex());
	CHECK_REFUSED(EOPNOTSUPP, create_srq());
	close_all();
}

/* shca_efa_test has the rest of it. */
static void efa_says_what_it_has(void)
{
	open_all();
	CHECK_TEXT("efa", shca_personality()->name);
	device_says_what_the_personality_has();
	CHECK_REFUSED(EOPNOTSUPP, create_srq());
	CHECK_REFUSED(EOPNOTSUPP, create_qp_ex());
	close_all();
}

/* ---- objects are counted ---- */

static void objects_are_limited(void)
{
	struct ibv_pd **pds;
	int count;

	open_all();
	count = (int)shca_personality()->max_pd - 1;
	pds = calloc((size_t)count, sizeof(struct ibv_pd *));
	T_MUST(pds);
	for (int i = 0; i < count; i++) {
		pds[i] = ibv_alloc_pd(context);
		T_MUST(pds[i]);
	}
	CHECK_REFUSED(ENOMEM, ibv_alloc_pd(context));
	CHECK_EQ(0, ibv_dealloc_pd(pds[0]));
	pds[0] = ibv_alloc_pd(context);
	CHECK(pds[0]);
	for (int i = 0; i < count; i++)
		CHECK_EQ(0, ibv_dealloc_pd(pds[i]));
	free(pds);
	close_all();
}

static void *acquire_and_release(void *taken)
{
	for (int i = 0; i < 20000; i++) {
		if (!shca_limit_acquire(SHCA_LIMITED_PD))
			continue;
		atomic_fetch_add((_Atomic uint32_t *)taken, 1);
		shca_limit_release(SHCA_LIMITED_PD);
	}
	return NULL;
}

/* Nothing is refused while there is room, and in the end the count is as before. */
static void limits_hold_with_many_threads(void)
{
	_Atomic uint32_t taken = 0;
	pthread_t one = t_start(acquire_and_release, &taken);
	pthread_t other = t_start(acquire_and_release, &taken);

	pthread_join(one, NULL);
	pthread_join(other, NULL);
	CHECK_EQ(40000, atomic_load(&taken));
	objects_are_limited();
}

/* ---- names ---- */

static void name_the_personality(void)
{
	CHECK_TEXT("rc", shca_personality()->name);
	CHECK(shca_personality() == shca_personality());
}

static void unknown_name_prints_a_line_and_is_rc(void)
{
	char said[512];

	t_said_in_child(VARIABLE, "infiniband", name_the_personality, said, sizeof(said));
	CHECK(strstr(said, "SOFTHCA_PERSONALITY=infiniband"));
	CHECK(strstr(said, "minimal"));
	CHECK(strstr(said, "efa44"));
	t_said_in_child(VARIABLE, "", name_the_personality, said, sizeof(said));
	CHECK_TEXT("", said);
}

static void each_personality_is_as_it_says(void)
{
	t_in_child(VARIABLE, "rc", rc_has_everything);
	t_in_child(VARIABLE, "iwarp", iwarp_lacks_what_siw_lacks);
	t_in_child(VARIABLE, "minimal", minimal_lacks_what_is_optional);
	t_in_child(VARIABLE, "minimal", objects_are_limited);
	t_in_child(VARIABLE, "minimal", limits_hold_with_many_threads);
	t_in_child(VARIABLE, "efa", efa_says_what_it_has);
	t_in_child(VARIABLE, "efa0", objects_are_limited);
}

int main(void)
{
	unsetenv(VARIABLE);
	T_RUN(unknown_name_prints_a_line_and_is_rc);
	T_RUN(each_personality_is_as_it_says);
	return t_result();
}
