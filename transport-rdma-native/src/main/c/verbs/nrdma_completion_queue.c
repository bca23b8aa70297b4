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

#include <infiniband/efadv.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

#include "abi/nrdma_error.h"
#include "abi/nrdma_fd.h"
#include "jni/nrdma_jni.h"
#include "verbs/nrdma_soft_roce.h"

/* Fields that every completion must have. ibv_poll_cq always has them, and is the fallback. */
#define ESSENTIAL_FLAGS \
	(IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_IMM | IBV_WC_EX_WITH_QP_NUM | IBV_WC_EX_WITH_SRC_QP)

#define ALL_FLAGS (ESSENTIAL_FLAGS | IBV_WC_EX_WITH_SLID | IBV_WC_EX_WITH_SL)

/* What to request, best first. slid shows whether there is a GID to read, so a queue without it has none. */
static const struct features {
	uint64_t wc_flags;
	bool sender_gids;
} feature_sets[] = {
	{ ALL_FLAGS, true },
	{ ALL_FLAGS, false },
	{ ESSENTIAL_FLAGS, false },
};

/* Only senders' GIDs need a function of libefa. Returns NULL and sets errno on failure. */
static struct ibv_cq_ex *create(const struct nrdma_cq_init *init, const struct features *wanted,
				struct ibv_cq_init_attr_ex *attr)
{
	struct ibv_context *device = (struct ibv_context *)(uintptr_t)init->device;
	struct efadv_cq_init_attr efa = { .wc_flags = EFADV_WC_EX_WITH_SGID };

	errno = 0;
	return wanted->sender_gids ? efadv_create_cq(device, attr, &efa, sizeof(efa)) : ibv_create_cq_ex(device, attr);
}

/* A provider may support no flags at all, so this retries without flags. Returns NULL and sets errno on failure. */
static struct ibv_cq_ex *try_extended(const struct nrdma_cq_init *init, const struct features *wanted,
				      struct ibv_cq_init_attr_ex *attr)
{
	struct ibv_cq_ex *cq_ex;

	if (init->single_threaded) {
		attr->comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
		attr->flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED;
		cq_ex = create(init, wanted, attr);
		if (cq_ex || !nrdma_is_unsupported(nrdma_errno()))
			return cq_ex;
		attr->comp_mask = 0;
		attr->flags = 0;
	}
	return create(init, wanted, attr);
}

/* Returns errno. */
static int create_extended(struct nrdma_cq *cq, struct nrdma_cq_init *init)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = init->cqe,
		.cq_context = (void *)(uintptr_t)init->context,
		.channel = (struct ibv_comp_channel *)(uintptr_t)init->channel,
		.comp_vector = init->comp_vector,
	};
	int err = EOPNOTSUPP;
	size_t i;

	for (i = init->sender_gids ? 0 : 1; i < sizeof(feature_sets) / sizeof(feature_sets[0]); i++) {
		attr.wc_flags = feature_sets[i].wc_flags;
		cq->cq_ex = try_extended(init, &feature_sets[i], &attr);
		if (cq->cq_ex) {
			init->single_threaded = attr.comp_mask != 0;
			cq->cq = ibv_cq_ex_to_cq(cq->cq_ex);
			cq->efa = feature_sets[i].sender_gids ? efadv_cq_from_ibv_cq_ex(cq->cq_ex) : NULL;
			cq->wc_flags = feature_sets[i].wc_flags;
			cq->one_by_one = nrdma_is_soft_roce(cq->cq->context);
			return 0;
		}
		err = nrdma_errno();
		if (!nrdma_is_unsupported(err))
			break;
	}
	return err;
}

/* Returns errno. */
static int create_classic(struct nrdma_cq *cq, const struct nrdma_cq_init *init)
{
	errno = 0;
	cq->cq = ibv_create_cq((struct ibv_context *)(uintptr_t)init->device, (int)init->cqe,
			       (void *)(uintptr_t)init->context,
			       (struct ibv_comp_channel *)(uintptr_t)init->channel,
			       (int)init->comp_vector);
	return cq->cq ? 0 : nrdma_errno();
}

int64_t nrdma_create_cq(struct nrdma_cq_init *init)
{
	struct nrdma_cq *cq;
	int err;

	if (init->cqe > INT_MAX || init->comp_vector > INT_MAX)
		return -EINVAL;
	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return -ENOMEM;
	err = init->extended ? create_extended(cq, init) : EOPNOTSUPP;
	if (nrdma_is_unsupported(err))
		err = create_classic(cq, init);
	if (err) {
		free(cq);
		return -err;
	}
	init->cqe = (uint32_t)cq->cq->cqe;
	init->extended = cq->cq_ex != NULL;
	init->single_threaded = init->extended && init->single_threaded;
	init->sender_gids = cq->efa != NULL;
	return nrdma_handle(cq);
}

int nrdma_destroy_cq(struct nrdma_cq *cq)
{
	int err = NRDMA_RESULT(ibv_destroy_cq(cq->cq));

	if (!err)
		free(cq);
	return err;
}

static jlong jni_createCompletionChannel(NRDMA_ENV, jlong device)
{
	struct ibv_comp_channel *channel;
	int err;

	errno = 0;
	channel = ibv_create_comp_channel(nrdma_ptr(device));
	if (!channel)
		return -nrdma_errno();
	err = nrdma_set_nonblocking(channel->fd);
	if (err) {
		ibv_destroy_comp_channel(channel);
		return -err;
	}
	return nrdma_handle(channel);
}

static jint jni_completionChannelFd(NRDMA_ENV, jlong channel)
{
	return ((struct ibv_comp_channel *)nrdma_ptr(channel))->fd;
}

static jint jni_destroyCompletionChannel(NRDMA_ENV, jlong channel)
{
	return NRDMA_RESULT(ibv_destroy_comp_channel(nrdma_ptr(channel)));
}

static jlong jni_createCompletionQueue(NRDMA_ENV, jlong init)
{
	return nrdma_create_cq(nrdma_ptr(init));
}

static jint jni_destroyCompletionQueue(NRDMA_ENV, jlong cq)
{
	return nrdma_destroy_cq(nrdma_ptr(cq));
}

static const JNINativeMethod methods[] = {
	NRDMA_METHOD(createCompletionChannel, "(J)J"),
	NRDMA_METHOD(completionChannelFd, "(J)I"),
	NRDMA_METHOD(destroyCompletionChannel, "(J)I"),
	NRDMA_METHOD(createCompletionQueue, "(J)J"),
	NRDMA_METHOD(destroyCompletionQueue, "(J)I"),
};

const struct nrdma_methods nrdma_completion_queue_methods = NRDMA_METHODS("VerbsNative", methods);
