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

#include "cm/nrdma_cm_event.h"

#include <string.h>

#include "abi/nrdma_error.h"
#include "abi/nrdma_fd.h"
#include "jni/nrdma_jni.h"
#include "verbs/nrdma_address_handle.h"

static void copy_private_data(const void *data, uint8_t length, struct nrdma_conn_param *to)
{
	if (!data)
		return;
	to->private_data_len = length;
	memcpy(to->private_data, data, length);
}

static void copy_connection(const struct rdma_conn_param *from, struct nrdma_conn_param *to)
{
	to->qp_num = from->qp_num;
	to->responder_resources = from->responder_resources;
	to->initiator_depth = from->initiator_depth;
	to->flow_control = from->flow_control;
	to->retry_count = from->retry_count;
	to->rnr_retry_count = from->rnr_retry_count;
	to->srq = from->srq;
	copy_private_data(from->private_data, from->private_data_len, to);
}

static void copy_datagram(const struct rdma_ud_param *from, struct nrdma_cm_event *to)
{
	to->conn.qp_num = from->qp_num;
	to->qkey = from->qkey;
	to->ah = nrdma_ah_attr_from_ibv(&from->ah_attr);
	copy_private_data(from->private_data, from->private_data_len, &to->conn);
}

/*
 * Only these events of the datagram service fill param.ud. A reject fills param.conn for datagrams
 * too. In all other events the union is empty.
 */
static int has_datagram_param(const struct rdma_cm_event *event)
{
	return (event->id->ps == RDMA_PS_UDP || event->id->ps == RDMA_PS_IPOIB) &&
	       (event->event == RDMA_CM_EVENT_CONNECT_REQUEST ||
		event->event == RDMA_CM_EVENT_ESTABLISHED);
}

void nrdma_copy_cm_event(const struct rdma_cm_event *from, struct nrdma_cm_event *to)
{
	const struct rdma_cm_id *about = from->id;

	memset(to, 0, sizeof(*to));
	to->type = from->event;
	to->status = from->status;
	if (from->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
		about = from->listen_id;
		to->id = (uintptr_t)from->id;
	}
	to->context = (uintptr_t)about->context;
	if (has_datagram_param(from))
		copy_datagram(&from->param.ud, to);
	else
		copy_connection(&from->param.conn, &to->conn);
}

int nrdma_next_cm_event(struct rdma_event_channel *channel, struct nrdma_cm_event *record)
{
	struct rdma_cm_event *event;
	int err;

	do {
		err = -NRDMA_RESULT(rdma_get_cm_event(channel, &event));
	} while (err == EINTR);
	if (err)
		return err == EAGAIN ? 0 : -err;
	/* The status is -1 if librdmacm itself failed to query the new address or route; see errno. */
	if (event->status == -1)
		event->status = -nrdma_errno();
	nrdma_copy_cm_event(event, record);
	/* Acknowledge at once, because destroying or migrating the id waits for it. */
	rdma_ack_cm_event(event);
	return 1;
}

static jlong jni_createEventChannel(NRDMA_ENV)
{
	struct rdma_event_channel *channel;
	int err;

	errno = 0;
	channel = rdma_create_event_channel();
	if (!channel)
		return errno > 0 ? -errno : -ENODEV;
	err = nrdma_set_nonblocking(channel->fd);
	if (err) {
		rdma_destroy_event_channel(channel);
		return -err;
	}
	return nrdma_handle(channel);
}

static jint jni_eventChannelFd(NRDMA_ENV, jlong channel)
{
	return ((struct rdma_event_channel *)nrdma_ptr(channel))->fd;
}

static void jni_destroyEventChannel(NRDMA_ENV, jlong channel)
{
	rdma_destroy_event_channel(nrdma_ptr(channel));
}

static jint jni_nextEvent(NRDMA_ENV, jlong channel, jlong event)
{
	return nrdma_next_cm_event(nrdma_ptr(channel), nrdma_ptr(event));
}

static const JNINativeMethod methods[] = {
	NRDMA_METHOD(createEventChannel, "()J"),
	NRDMA_METHOD(eventChannelFd, "(J)I"),
	NRDMA_METHOD(destroyEventChannel, "(J)V"),
	NRDMA_METHOD(nextEvent, "(JJ)I"),
};

const struct nrdma_methods nrdma_cm_event_methods = NRDMA_METHODS("CmNative", methods);
