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

#include "verbs/nrdma_completion_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "t_rdma.h"
#include "verbs/nrdma_soft_roce.h"

#define FULL_FLAGS (IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_IMM | IBV_WC_EX_WITH_QP_NUM | \
		    IBV_WC_EX_WITH_SRC_QP | IBV_WC_EX_WITH_SLID | IBV_WC_EX_WITH_SL)

/* A device that grants extended queues with these flags only, and otherwise fails with this errno. */
static struct verbs_context device;
static uint64_t granted_flags;
static bool knows_single_threaded;
static int refusal;
static int extended_calls, classic_calls;
static struct ibv_cq_init_attr_ex asked;
static struct ibv_cq_ex cq_ex;
static struct ibv_comp_channel channel;

static uint32_t vendor;

static int query_device(struct ibv_context *of, struct ibv_device_attr *attr)
{
	CHECK(of == &device.context);
	memset(attr, 0xa5, sizeof(*attr));
	attr->vendor_id = vendor;
	return 0;
}

static struct ibv_cq_ex *create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr)
{
	CHECK(context == &device.context);
	extended_calls++;
	asked = *attr;
	if (attr->wc_flags & ~granted_flags || (attr->comp_mask && !knows_single_threaded)) {
		errno = refusal;
		return NULL;
	}
	cq_ex.cqe = 128;
	return &cq_ex;
}

/* libefa, which creates the same queue, or refuses to with the errno. */
static bool knows_sgid;
static int sgid_calls;
static struct efadv_cq efa_cq;

static struct ibv_cq_ex *create_efa_cq(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr,
				       struct efadv_cq_init_attr *efa, uint32_t length)
{
	static const struct efadv_cq_init_attr sgid = { .wc_flags = EFADV_WC_EX_WITH_SGID };

	CHECK_EQ(sizeof(sgid), length);
	CHECK_BYTES(&sgid, efa, sizeof(sgid));
	sgid_calls++;
	if (knows_sgid)
		return create_cq_ex(context, attr);
	errno = refusal;
	return NULL;
}

static struct efadv_cq *cq_from_ibv_cq_ex(struct ibv_cq_ex *of)
{
	CHECK(of == &cq_ex);
	return &efa_cq;
}

static struct ibv_cq *create_cq(struct ibv_context *context, int cqe, void *cq_context,
				struct ibv_comp_channel *events, int comp_vector)
{
	CHECK(context == &device.context);
	CHECK_EQ(100, cqe);
	CHECK_EQ(0x1234, (uintptr_t)cq_context);
	CHECK(events == &channel);
	CHECK_EQ(3, comp_vector);
	classic_calls++;
	cq_ex.cqe = 256;
	return ibv_cq_ex_to_cq(&cq_ex);
}

static struct ibv_cq *create_no_cq(struct ibv_context *context, int cqe, void *cq_context,
				   struct ibv_comp_channel *events, int comp_vector)
{
	create_cq(context, cqe, cq_context, events, comp_vector);
	errno = ENOMEM;
	return NULL;
}

static int destroy_result;

static int destroy_cq(struct ibv_cq *cq)
{
	CHECK(cq == ibv_cq_ex_to_cq(&cq_ex));
	return destroy_result;
}

static struct nrdma_cq_init new_init(uint64_t flags, int error)
{
	memset(&device, 0, sizeof(device));
	device.sz = sizeof(device);
	device.create_cq_ex = create_cq_ex;
	device.context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	granted_flags = flags;
	knows_single_threaded = false;
	refusal = error;
	extended_calls = classic_calls = 0;
	vendor = 0x15b3;
	cq_ex.context = &device.context;
	t_verbs()->ibv_query_device = query_device;
	t_verbs()->ibv_create_cq = create_cq;
	t_verbs()->ibv_destroy_cq = destroy_cq;
	return (struct nrdma_cq_init) {
		.device = (uintptr_t)&device.context, .channel = (uintptr_t)&channel, .context = 0x1234,
		.cqe = 100, .comp_vector = 3, .extended = 1,
	};
}

/* Creates a queue by init, checks and destroys it. */
static void check_created(struct nrdma_cq_init *init, uint64_t wc_flags, uint32_t cqe)
{
	int64_t handle = nrdma_create_cq(init);
	struct nrdma_cq *cq = nrdma_ptr(handle);

	CHECK(handle > 0);
	if (handle <= 0)
		return;
	CHECK(cq->cq == ibv_cq_ex_to_cq(&cq_ex));
	CHECK(cq->cq_ex == (wc_flags ? &cq_ex : NULL));
	CHECK_EQ(wc_flags, cq->wc_flags);
	CHECK_EQ(wc_flags && vendor == NRDMA_SOFT_ROCE_VENDOR, cq->one_by_one);
	CHECK_EQ(cqe, init->cqe);
	CHECK_EQ(wc_flags != 0, init->extended);
	CHECK(cq->efa == (init->sender_gids ? &efa_cq : NULL));
	CHECK_EQ(0, nrdma_destroy_cq(cq));
}

static void extended_queue_asks_for_everything(void)
{
	struct nrdma_cq_init init = new_init(FULL_FLAGS, EOPNOTSUPP);

	check_created(&init, FULL_FLAGS, 128);
	CHECK_EQ(1, extended_calls);
	CHECK_EQ(100, asked.cqe);
	CHECK_EQ(0x1234, (uintptr_t)asked.cq_context);
	CHECK(asked.channel == &channel);
	CHECK_EQ(3, asked.comp_vector);
	CHECK_EQ(0, asked.comp_mask);
}

static void single_thread_flag_is_set(void)
{
	struct nrdma_cq_init init = new_init(FULL_FLAGS, EOPNOTSUPP);

	knows_single_threaded = true;
	init.single_threaded = 1;
	check_created(&init, FULL_FLAGS, 128);
	CHECK_EQ(1, extended_calls);
	CHECK_EQ(IBV_CQ_INIT_ATTR_MASK_FLAGS, asked.comp_mask);
	CHECK_EQ(IBV_CREATE_CQ_ATTR_SINGLE_THREADED, asked.flags);
	CHECK_EQ(1, init.single_threaded);
}

static void device_that_knows_no_flags_is_asked_without(void)
{
	uint64_t flags = FULL_FLAGS & ~(uint64_t)(IBV_WC_EX_WITH_SLID | IBV_WC_EX_WITH_SL);
	struct nrdma_cq_init init = new_init(FULL_FLAGS, EINVAL);

	init.single_threaded = 1;
	check_created(&init, FULL_FLAGS, 128);
	CHECK_EQ(2, extended_calls);
	CHECK_EQ(0, asked.comp_mask);
	CHECK_EQ(0, init.single_threaded);
	init = new_init(flags, EOPNOTSUPP);
	knows_single_threaded = true;
	init.single_threaded = 1;
	check_created(&init, flags, 128);
	CHECK_EQ(1, init.single_threaded);
	init = new_init(0, EOPNOTSUPP);
	init.single_threaded = 1;
	check_created(&init, 0, 256);
	CHECK_EQ(0, init.single_threaded);
	init = new_init(0, ENOMEM);
	init.single_threaded = 1;
	CHECK_EQ(-ENOMEM, nrdma_create_cq(&init));
	CHECK_EQ(1, extended_calls);
}

static struct nrdma_cq_init new_efa_init(bool sgid, uint64_t flags, int error)
{
	struct nrdma_cq_init init = new_init(flags, error);

	knows_sgid = sgid;
	sgid_calls = 0;
	t_efa()->efadv_create_cq = create_efa_cq;
	t_efa()->efadv_cq_from_ibv_cq_ex = cq_from_ibv_cq_ex;
	init.sender_gids = 1;
	return init;
}

static void queue_with_senders_is_created_by_libefa(void)
{
	struct nrdma_cq_init init = new_efa_init(true, FULL_FLAGS, EOPNOTSUPP);

	check_created(&init, FULL_FLAGS, 128);
	CHECK_EQ(1, init.sender_gids);
	CHECK_EQ(1, sgid_calls);
	CHECK_EQ(1, extended_calls);
	CHECK_EQ(100, asked.cqe);
	CHECK(asked.channel == &channel);
}

static void libefa_gets_the_single_thread_flag(void)
{
	struct nrdma_cq_init init = new_efa_init(true, FULL_FLAGS, EOPNOTSUPP);

	knows_single_threaded = true;
	init.single_threaded = 1;
	check_created(&init, FULL_FLAGS, 128);
	CHECK_EQ(IBV_CREATE_CQ_ATTR_SINGLE_THREADED, asked.flags);
	CHECK_EQ(1, init.single_threaded);
	/* GIDs came with v43 of rdma-core, the flag with v60. */
	init = new_efa_init(true, FULL_FLAGS, EOPNOTSUPP);
	init.single_threaded = 1;
	check_created(&init, FULL_FLAGS, 128);
	CHECK_EQ(2, sgid_calls);
	CHECK_EQ(0, init.single_threaded);
	CHECK_EQ(1, init.sender_gids);
}

static void queue_without_the_flag_names_no_senders(void)
{
	struct nrdma_cq_init init = new_efa_init(true, FULL_FLAGS, EOPNOTSUPP);

	init.sender_gids = 0;
	check_created(&init, FULL_FLAGS, 128);
	CHECK_EQ(0, sgid_calls);
	CHECK_EQ(0, init.sender_gids);
}

static void check_created_without_gids(struct nrdma_cq_init *init)
{
	knows_single_threaded = true;
	init->single_threaded = 1;
	check_created(init, FULL_FLAGS, 128);
	CHECK_EQ(0, init->sender_gids);
	CHECK_EQ(1, init->single_threaded);
	CHECK_EQ(1, extended_calls);
}

static void device_without_sender_gids_gets_a_plain_queue(void)
{
	static const int refusals[] = { EOPNOTSUPP, ENOSYS, EINVAL };
	struct nrdma_cq_init init;
	int i;

	for (i = 0; i < 3; i++) {
		init = new_efa_init(false, FULL_FLAGS, refusals[i]);
		check_created_without_gids(&init);
		CHECK_EQ(2, sgid_calls);
	}
	init = new_efa_init(true, FULL_FLAGS, 0);
	t_efa()->efadv_create_cq = NULL;	/* before v43 of rdma-core */
	check_created_without_gids(&init);
}

/* Without slid it is unknown which completion has a GID, so the flags are requested without it. */
static void queue_without_slid_names_no_senders(void)
{
	uint64_t flags = FULL_FLAGS & ~(uint64_t)(IBV_WC_EX_WITH_SLID | IBV_WC_EX_WITH_SL);
	struct nrdma_cq_init init = new_efa_init(true, flags, EOPNOTSUPP);

	check_created(&init, flags, 128);
	CHECK_EQ(1, sgid_calls);
	CHECK_EQ(0, init.sender_gids);
}

static void classic_queue_names_no_senders(void)
{
	struct nrdma_cq_init init = new_efa_init(true, FULL_FLAGS, 0);

	init.extended = 0;
	check_created(&init, 0, 256);
	CHECK_EQ(0, sgid_calls);
	CHECK_EQ(0, init.sender_gids);
}

static void failure_of_libefa_that_all_would_share_is_final(void)
{
	struct nrdma_cq_init init = new_efa_init(false, FULL_FLAGS, ENOMEM);

	CHECK_EQ(-ENOMEM, nrdma_create_cq(&init));
	CHECK_EQ(1, sgid_calls);
	CHECK_EQ(0, extended_calls);
	CHECK_EQ(1, init.sender_gids);
}

static void soft_roce_is_polled_one_by_one(void)
{
	struct nrdma_cq_init init = new_init(FULL_FLAGS, 0);

	vendor = NRDMA_SOFT_ROCE_VENDOR;
	check_created(&init, FULL_FLAGS, 128);
}

static void device_without_service_level_grants_less(void)
{
	uint64_t flags = FULL_FLAGS & ~(uint64_t)(IBV_WC_EX_WITH_SLID | IBV_WC_EX_WITH_SL);
	struct nrdma_cq_init init = new_init(flags, EINVAL);

	check_created(&init, flags, 128);
	CHECK_EQ(2, extended_calls);
}

static void device_without_extended_queues_gets_a_classic_one(void)
{
	static const int refusals[] = { EOPNOTSUPP, ENOSYS, EINVAL };
	struct nrdma_cq_init init;
	int i;

	for (i = 0; i < 3; i++) {
		init = new_init(0, refusals[i]);
		check_created(&init, 0, 256);
		CHECK_EQ(2, extended_calls);
	}
	init = new_init(0, 0);
	device.create_cq_ex = NULL;
	check_created(&init, 0, 256);
}

static void classic_queue_can_be_forced(void)
{
	struct nrdma_cq_init init = new_init(FULL_FLAGS, 0);

	init.extended = 0;
	check_created(&init, 0, 256);
	CHECK_EQ(0, extended_calls);
}

static void failure_that_a_classic_queue_would_share_is_final(void)
{
	struct nrdma_cq_init init = new_init(0, ENOMEM);

	CHECK_EQ(-ENOMEM, nrdma_create_cq(&init));
	CHECK_EQ(1, extended_calls);
	CHECK_EQ(0, classic_calls);
}

static void failure_of_the_classic_queue_is_reported(void)
{
	struct nrdma_cq_init init = new_init(0, EOPNOTSUPP);

	t_verbs()->ibv_create_cq = create_no_cq;
	CHECK_EQ(-ENOMEM, nrdma_create_cq(&init));
	CHECK_EQ(100, init.cqe);
	CHECK_EQ(1, init.extended);
}

static void numbers_that_do_not_fit_are_refused(void)
{
	struct nrdma_cq_init init = new_init(0, EOPNOTSUPP);

	init.cqe = 0x80000000;
	CHECK_EQ(-EINVAL, nrdma_create_cq(&init));
	init.cqe = 1;
	init.comp_vector = 0x80000000;
	CHECK_EQ(-EINVAL, nrdma_create_cq(&init));
	CHECK_EQ(0, classic_calls);
}

static void queue_that_is_busy_stays(void)
{
	struct nrdma_cq_init init = new_init(FULL_FLAGS, 0);
	struct nrdma_cq *cq = nrdma_ptr(nrdma_create_cq(&init));

	destroy_result = EBUSY;
	CHECK_EQ(-EBUSY, nrdma_destroy_cq(cq));
	destroy_result = 0;
	CHECK(cq->cq_ex == &cq_ex);
	CHECK_EQ(0, nrdma_destroy_cq(cq));
}

static struct ibv_comp_channel *create_comp_channel(struct ibv_context *context)
{
	CHECK(context == &device.context);
	return &channel;
}

static int channels_destroyed;

static int destroy_comp_channel(__attribute__((unused)) struct ibv_comp_channel *destroyed)
{
	channels_destroyed++;
	return 0;
}

static jlong create_channel(void)
{
	t_verbs()->ibv_create_comp_channel = create_comp_channel;
	t_verbs()->ibv_destroy_comp_channel = destroy_comp_channel;
	return T_NATIVE(nrdma_completion_queue_methods, jlong, createCompletionChannel, jlong)
		(T_ENV, t_handle(&device.context));
}

static void channel_does_not_block(void)
{
	int fds[2];

	CHECK_EQ(0, pipe(fds));
	channel.fd = fds[0];
	CHECK_EQ(t_handle(&channel), create_channel());
	CHECK(fcntl(fds[0], F_GETFL) & O_NONBLOCK);
	CHECK_EQ(fds[0], T_NATIVE(nrdma_completion_queue_methods, jint, completionChannelFd, jlong)
		 (T_ENV, t_handle(&channel)));
	CHECK_EQ(0, channels_destroyed);
	close(fds[0]);
	close(fds[1]);
}

static void channel_that_would_block_is_destroyed(void)
{
	channel.fd = -1;
	CHECK_EQ(-EBADF, create_channel());
	CHECK_EQ(1, channels_destroyed);
}

int main(void)
{
	T_RUN(extended_queue_asks_for_everything);
	T_RUN(single_thread_flag_is_set);
	T_RUN(device_that_knows_no_flags_is_asked_without);
	T_RUN(queue_with_senders_is_created_by_libefa);
	T_RUN(libefa_gets_the_single_thread_flag);
	T_RUN(queue_without_the_flag_names_no_senders);
	T_RUN(device_without_sender_gids_gets_a_plain_queue);
	T_RUN(queue_without_slid_names_no_senders);
	T_RUN(classic_queue_names_no_senders);
	T_RUN(failure_of_libefa_that_all_would_share_is_final);
	T_RUN(soft_roce_is_polled_one_by_one);
	T_RUN(device_without_service_level_grants_less);
	T_RUN(device_without_extended_queues_gets_a_classic_one);
	T_RUN(classic_queue_can_be_forced);
	T_RUN(failure_that_a_classic_queue_would_share_is_final);
	T_RUN(failure_of_the_classic_queue_is_reported);
	T_RUN(numbers_that_do_not_fit_are_refused);
	T_RUN(queue_that_is_busy_stays);
	T_RUN(channel_does_not_block);
	T_RUN(channel_that_would_block_is_destroyed);
	return t_result();
}
