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

#include "verbs/nrdma_async_event.h"

#include "abi/nrdma_error.h"
#include "jni/nrdma_jni.h"

void nrdma_copy_async_event(const struct ibv_async_event *from, struct nrdma_async_event *to)
{
	const void *context = NULL;

	to->type = from->event_type;
	to->port_num = 0;
	switch (from->event_type) {
	case IBV_EVENT_CQ_ERR:
		context = from->element.cq->cq_context;
		break;
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		context = from->element.qp->qp_context;
		break;
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		context = from->element.srq->srq_context;
		break;
	case IBV_EVENT_PORT_ACTIVE:
	case IBV_EVENT_PORT_ERR:
	case IBV_EVENT_LID_CHANGE:
	case IBV_EVENT_PKEY_CHANGE:
	case IBV_EVENT_SM_CHANGE:
	case IBV_EVENT_CLIENT_REREGISTER:
	case IBV_EVENT_GID_CHANGE:
		to->port_num = (uint32_t)from->element.port_num;
		break;
	default:
		break;	/* an event of the device, or of an object that is never created here */
	}
	to->context = (uintptr_t)context;
}

/* Returns errno; EAGAIN if no event is pending. */
static int get_event(struct ibv_context *device, struct ibv_async_event *event)
{
	int err;

	do {
		err = -NRDMA_RESULT(ibv_get_async_event(device, event));
	} while (err == EINTR);
	return err;
}

static jint jni_nextAsyncEvents(NRDMA_ENV, jlong device, jlong events, jint max)
{
	struct nrdma_async_event *record = nrdma_ptr(events);
	struct ibv_async_event event;
	int err = 0;
	int n = 0;

	while (n < max && !(err = get_event(nrdma_ptr(device), &event))) {
		nrdma_copy_async_event(&event, &record[n++]);
		/* Acknowledge at once, because destroying the object waits for it. */
		ibv_ack_async_event(&event);
	}
	return n > 0 || err == EAGAIN ? n : -err;
}

static const JNINativeMethod methods[] = {
	NRDMA_METHOD(nextAsyncEvents, "(JJI)I"),
};

const struct nrdma_methods nrdma_async_event_methods = NRDMA_METHODS("VerbsNative", methods);
