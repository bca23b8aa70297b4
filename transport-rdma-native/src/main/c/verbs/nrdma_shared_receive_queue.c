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

/* Shared receive queues. The handle is the struct ibv_srq. */
#include <infiniband/verbs.h>

#include "abi/nrdma_abi.h"
#include "abi/nrdma_error.h"
#include "jni/nrdma_jni.h"

static int arm_limit(struct ibv_srq *srq, uint32_t limit)
{
	struct ibv_srq_attr attr = { .srq_limit = limit };

	return NRDMA_RESULT(ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT));
}

static jlong jni_createSharedReceiveQueue(NRDMA_ENV, jlong init)
{
	struct nrdma_srq_init *record = nrdma_ptr(init);
	struct ibv_srq_init_attr attr = {
		.srq_context = (void *)(uintptr_t)record->context,
		.attr = { .max_wr = record->max_wr, .max_sge = record->max_sge },
	};
	struct ibv_srq *srq;
	int err;

	errno = 0;
	srq = ibv_create_srq(nrdma_ptr((jlong)record->pd), &attr);
	if (!srq)
		return -nrdma_errno();
	/* Many devices ignore the limit when they create the queue. */
	err = record->limit ? arm_limit(srq, record->limit) : 0;
	if (err) {
		ibv_destroy_srq(srq);
		return err;
	}
	record->max_wr = attr.attr.max_wr;
	record->max_sge = attr.attr.max_sge;
	return nrdma_handle(srq);
}

static jint jni_armSharedReceiveQueueLimit(NRDMA_ENV, jlong srq, jint limit)
{
	return arm_limit(nrdma_ptr(srq), (uint32_t)limit);
}

static jint jni_sharedReceiveQueueLimit(NRDMA_ENV, jlong srq)
{
	struct ibv_srq_attr attr = { .srq_limit = 0 };
	int err = NRDMA_RESULT(ibv_query_srq(nrdma_ptr(srq), &attr));

	return err ? err : (jint)attr.srq_limit;
}

static jint jni_destroySharedReceiveQueue(NRDMA_ENV, jlong srq)
{
	return NRDMA_RESULT(ibv_destroy_srq(nrdma_ptr(srq)));
}

static const JNINativeMethod methods[] = {
	NRDMA_METHOD(createSharedReceiveQueue, "(J)J"),
	NRDMA_METHOD(armSharedReceiveQueueLimit, "(JI)I"),
	NRDMA_METHOD(sharedReceiveQueueLimit, "(J)I"),
	NRDMA_METHOD(destroySharedReceiveQueue, "(J)I"),
};

const struct nrdma_methods nrdma_shared_receive_queue_methods = NRDMA_METHODS("VerbsNative", methods);
