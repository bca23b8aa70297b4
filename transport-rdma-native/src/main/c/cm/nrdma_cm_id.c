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
 * Connection manager ids. The handle is the struct rdma_cm_id, which has no queue pair: queue pairs
 * are created without librdmacm, which only gets their numbers.
 */
#include <sys/socket.h>

#include <rdma/rdma_cma.h>

#include "abi/nrdma_abi.h"
#include "abi/nrdma_error.h"
#include "cm/nrdma_sockaddr.h"
#include "jni/nrdma_jni.h"
#include "verbs/nrdma_queue_pair.h"

/* The attributes that ibv_modify_qp accepts. The kernel may set other bits above them. */
#define QP_ATTR_MASK ((1 << 21) - 1)

static jlong jni_createId(NRDMA_ENV, jlong channel, jlong context, jint port_space)
{
	struct rdma_cm_id *id;
	int err = NRDMA_RESULT(rdma_create_id(nrdma_ptr(channel), &id, nrdma_ptr(context),
					      (enum rdma_port_space)port_space));

	return err ? err : nrdma_handle(id);
}

static jint jni_destroyId(NRDMA_ENV, jlong id)
{
	return NRDMA_RESULT(rdma_destroy_id(nrdma_ptr(id)));
}

static void jni_setContext(NRDMA_ENV, jlong id, jlong context)
{
	((struct rdma_cm_id *)nrdma_ptr(id))->context = nrdma_ptr(context);
}

static jint jni_bind(NRDMA_ENV, jlong id, jlong address)
{
	struct sockaddr_storage storage;
	int err = nrdma_sockaddr_to_os(nrdma_ptr(address), &storage);

	if (err)
		return err;
	return NRDMA_RESULT(rdma_bind_addr(nrdma_ptr(id), (struct sockaddr *)&storage));
}

static jint jni_resolveAddress(NRDMA_ENV, jlong id, jlong source, jlong destination, jint timeout)
{
	struct sockaddr_storage from, to;
	int err = nrdma_sockaddr_to_os(nrdma_ptr(destination), &to);

	if (!err && source)
		err = nrdma_sockaddr_to_os(nrdma_ptr(source), &from);
	if (err)
		return err;
	return NRDMA_RESULT(rdma_resolve_addr(nrdma_ptr(id), source ? (struct sockaddr *)&from : NULL,
					      (struct sockaddr *)&to, timeout));
}

/* librdmacm dereferences the device of an id without checking that there is one. */
static int has_device(const struct rdma_cm_id *id)
{
	return id->verbs != NULL;
}

static jint jni_resolveRoute(NRDMA_ENV, jlong handle, jint timeout)
{
	struct rdma_cm_id *id = nrdma_ptr(handle);

	return has_device(id) ? NRDMA_RESULT(rdma_resolve_route(id, timeout)) : -EINVAL;
}

static jint jni_listen(NRDMA_ENV, jlong id, jint backlog)
{
	return NRDMA_RESULT(rdma_listen(nrdma_ptr(id), backlog));
}

/* The result points to the private data in the record. */
static struct rdma_conn_param conn_param(const struct nrdma_conn_param *record)
{
	return (struct rdma_conn_param) {
		.private_data = record->private_data,
		.private_data_len = record->private_data_len,
		.responder_resources = record->responder_resources,
		.initiator_depth = record->initiator_depth,
		.flow_control = record->flow_control,
		.retry_count = record->retry_count,
		.rnr_retry_count = record->rnr_retry_count,
		.srq = record->srq,
		.qp_num = record->qp_num,
	};
}

static jint jni_connect(NRDMA_ENV, jlong handle, jlong parameters)
{
	struct rdma_conn_param param = conn_param(nrdma_ptr(parameters));
	struct rdma_cm_id *id = nrdma_ptr(handle);

	return has_device(id) ? NRDMA_RESULT(rdma_connect(id, &param)) : -EINVAL;
}

static jint jni_establish(NRDMA_ENV, jlong id)
{
	return NRDMA_RESULT(rdma_establish(nrdma_ptr(id)));
}

static jint jni_accept(NRDMA_ENV, jlong handle, jlong parameters)
{
	struct rdma_conn_param param = conn_param(nrdma_ptr(parameters));
	struct rdma_cm_id *id = nrdma_ptr(handle);

	return has_device(id) ? NRDMA_RESULT(rdma_accept(id, &param)) : -EINVAL;
}

static jint jni_reject(NRDMA_ENV, jlong id, jlong private_data, jint length)
{
	if (length < 0 || length > UINT8_MAX)
		return -EINVAL;
	return NRDMA_RESULT(rdma_reject(nrdma_ptr(id), nrdma_ptr(private_data), (uint8_t)length));
}

static jint jni_disconnect(NRDMA_ENV, jlong id)
{
	return NRDMA_RESULT(rdma_disconnect(nrdma_ptr(id)));
}

static jint jni_notifyEvent(NRDMA_ENV, jlong id, jint event)
{
	return NRDMA_RESULT(rdma_notify(nrdma_ptr(id), (enum ibv_event_type)event));
}

static jint jni_migrate(NRDMA_ENV, jlong id, jlong channel)
{
	return NRDMA_RESULT(rdma_migrate_id(nrdma_ptr(id), nrdma_ptr(channel)));
}

static jint jni_setOption(NRDMA_ENV, jlong id, jint option, jint value)
{
	uint8_t byte = (uint8_t)value;

	switch (option) {
	case RDMA_OPTION_ID_TOS:
	case RDMA_OPTION_ID_ACK_TIMEOUT:
		if (value != byte)
			return -EINVAL;
		return NRDMA_RESULT(rdma_set_option(nrdma_ptr(id), RDMA_OPTION_ID, option,
						    &byte, sizeof(byte)));
	case RDMA_OPTION_ID_REUSEADDR:
	case RDMA_OPTION_ID_AFONLY:
		return NRDMA_RESULT(rdma_set_option(nrdma_ptr(id), RDMA_OPTION_ID, option,
						    &value, sizeof(value)));
	default:
		return -EINVAL;
	}
}

static void jni_localAddress(NRDMA_ENV, jlong id, jlong address)
{
	nrdma_sockaddr_from_os(rdma_get_local_addr(nrdma_ptr(id)), nrdma_ptr(address));
}

static void jni_peerAddress(NRDMA_ENV, jlong id, jlong address)
{
	nrdma_sockaddr_from_os(rdma_get_peer_addr(nrdma_ptr(id)), nrdma_ptr(address));
}

static jstring jni_deviceName(NRDMA_ENV, jlong handle)
{
	struct rdma_cm_id *id = nrdma_ptr(handle);

	return has_device(id) ? (*env)->NewStringUTF(env, id->verbs->device->name) : NULL;
}

static jint jni_devicePort(NRDMA_ENV, jlong handle)
{
	struct rdma_cm_id *id = nrdma_ptr(handle);

	return has_device(id) ? id->port_num : 0;
}

static jint jni_initQueuePairAttributes(NRDMA_ENV, jlong id, jint state, jlong attributes)
{
	struct ibv_qp_attr attr = { .qp_state = (enum ibv_qp_state)state };
	struct nrdma_qp_attr *record = nrdma_ptr(attributes);
	int mask = 0;
	int err = NRDMA_RESULT(rdma_init_qp_attr(nrdma_ptr(id), &attr, &mask));

	if (!err)
		*record = nrdma_qp_attr_from_ibv(&attr, mask & QP_ATTR_MASK);
	return err;
}

static const JNINativeMethod methods[] = {
	NRDMA_METHOD(createId, "(JJI)J"),
	NRDMA_METHOD(destroyId, "(J)I"),
	NRDMA_METHOD(setContext, "(JJ)V"),
	NRDMA_METHOD(bind, "(JJ)I"),
	NRDMA_METHOD(resolveAddress, "(JJJI)I"),
	NRDMA_METHOD(resolveRoute, "(JI)I"),
	NRDMA_METHOD(listen, "(JI)I"),
	NRDMA_METHOD(connect, "(JJ)I"),
	NRDMA_METHOD(establish, "(J)I"),
	NRDMA_METHOD(accept, "(JJ)I"),
	NRDMA_METHOD(reject, "(JJI)I"),
	NRDMA_METHOD(disconnect, "(J)I"),
	NRDMA_METHOD(notifyEvent, "(JI)I"),
	NRDMA_METHOD(migrate, "(JJ)I"),
	NRDMA_METHOD(setOption, "(JII)I"),
	NRDMA_METHOD(localAddress, "(JJ)V"),
	NRDMA_METHOD(peerAddress, "(JJ)V"),
	NRDMA_METHOD(deviceName, "(J)Ljava/lang/String;"),
	NRDMA_METHOD(devicePort, "(J)I"),
	NRDMA_METHOD(initQueuePairAttributes, "(JIJ)I"),
};

const struct nrdma_methods nrdma_cm_id_methods = NRDMA_METHODS("CmNative", methods);
