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

/* Completion notification, and the native methods of the data path. */
#include "datapath/nrdma_datapath.h"

#include "abi/nrdma_error.h"
#include "jni/nrdma_jni.h"

int nrdma_request_notify(struct nrdma_cq *cq, bool solicited_only)
{
	/* The EFA provider would write to a doorbell that a queue without a channel does not have. */
	if (!cq->cq->channel)
		return -EINVAL;
	return NRDMA_RESULT(ibv_req_notify_cq(cq->cq, solicited_only));
}

/* Returns errno; EAGAIN if no event is pending. */
static int get_event(struct ibv_comp_channel *channel, uint64_t *context)
{
	struct ibv_cq *cq;
	void *cq_context;
	int err;

	do {
		err = -NRDMA_RESULT(ibv_get_cq_event(channel, &cq, &cq_context));
	} while (err == EINTR);
	if (!err)
		*context = (uintptr_t)cq_context;
	return err;
}

int nrdma_next_completion_events(struct ibv_comp_channel *channel, uint64_t *contexts, int max)
{
	int err = 0;
	int n = 0;

	while (n < max && !(err = get_event(channel, &contexts[n])))
		n++;
	return n > 0 || err == EAGAIN ? n : -err;
}

static jint jni_poll(NRDMA_ENV, jlong cq, jlong completions, jint max)
{
	return nrdma_poll(nrdma_ptr(cq), nrdma_ptr(completions), max);
}

static jint jni_requestNotify(NRDMA_ENV, jlong cq, jboolean solicited_only)
{
	return nrdma_request_notify(nrdma_ptr(cq), solicited_only);
}

static jint jni_nextCompletionEvents(NRDMA_ENV, jlong channel, jlong contexts, jint max)
{
	return nrdma_next_completion_events(nrdma_ptr(channel), nrdma_ptr(contexts), max);
}

static void jni_acknowledgeEvents(NRDMA_ENV, jlong cq, jint count)
{
	ibv_ack_cq_events(((struct nrdma_cq *)nrdma_ptr(cq))->cq, (unsigned int)count);
}

static jlong jni_postSend(NRDMA_ENV, jlong qp, jlong records, jint count)
{
	return nrdma_post_send(nrdma_ptr(qp), nrdma_ptr(records), count);
}

static jlong jni_postReceive(NRDMA_ENV, jlong qp, jlong records, jint count)
{
	return nrdma_post_recv(nrdma_ptr(qp), nrdma_ptr(records), count);
}

static jlong jni_postSharedReceive(NRDMA_ENV, jlong srq, jlong records, jint count)
{
	return nrdma_post_srq_recv(nrdma_ptr(srq), nrdma_ptr(records), count);
}

static const JNINativeMethod methods[] = {
	NRDMA_METHOD(poll, "(JJI)I"),
	NRDMA_METHOD(requestNotify, "(JZ)I"),
	NRDMA_METHOD(nextCompletionEvents, "(JJI)I"),
	NRDMA_METHOD(acknowledgeEvents, "(JI)V"),
	NRDMA_METHOD(postSend, "(JJI)J"),
	NRDMA_METHOD(postReceive, "(JJI)J"),
	NRDMA_METHOD(postSharedReceive, "(JJI)J"),
};

const struct nrdma_methods nrdma_datapath_methods = NRDMA_METHODS("DataPathNative", methods);
