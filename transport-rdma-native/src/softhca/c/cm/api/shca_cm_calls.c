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
 * rdma_connect and similar calls: librdmacm's part, around the states of shca_cm_connect.c. They check and complete the
 * parameters, make the queue pairs ready that were created with the id, and wait in synchronous mode.
 */
#include <errno.h>
#include <string.h>

#include "base/shca_export.h"
#include "cm/shca_cm_kernel.h"
#include "cm/shca_cm_library.h"
#include "fault/shca_fault.h"

static int check_param(const struct shca_cm_id *id, const struct rdma_conn_param *param)
{
	if (id->id.ps != RDMA_PS_TCP)
		return 0;
	if (!param)
		return id->id.qp ? 0 : -EINVAL;
	if (param->responder_resources != RDMA_MAX_RESP_RES &&
	    param->responder_resources > id->device->max_responder_resources)
		return -EINVAL;
	if (param->initiator_depth != RDMA_MAX_INIT_DEPTH &&
	    param->initiator_depth > id->device->max_initiator_depth)
		return -EINVAL;
	return 0;
}

/*
 * Fills the parameters for the "kernel". buffer has room for the longest private data. Returns -EINVAL if the data is
 * too long for any message.
 */
static int complete_param(struct shca_cm_id *id, const struct rdma_conn_param *given, struct rdma_conn_param *param,
			  uint8_t *buffer)
{
	size_t size = given && given->private_data ? given->private_data_len : 0;

	*param = given ? *given : (struct rdma_conn_param){ .retry_count = 7, .rnr_retry_count = 7 };
	param->responder_resources = id->responder_resources;
	param->initiator_depth = id->initiator_depth;
	if (id->id.qp) {
		param->qp_num = id->id.qp->qp_num;
		param->srq = id->id.qp->srq != NULL;
	}
	param->private_data = NULL;
	param->private_data_len = 0;
	if (id->connect_size + size > SHCA_CM_DATA)
		return -EINVAL;
	if (id->connect_size)
		memcpy(buffer, id->connect_data, id->connect_size);
	if (size)
		memcpy(buffer + id->connect_size, given->private_data, size);
	param->private_data = buffer;
	param->private_data_len = (uint8_t)(id->connect_size + size);
	return 0;
}

/* Where the caller does not choose, offers only what the device supports. */
static void choose_reads(struct shca_cm_id *id, const struct rdma_conn_param *param, uint8_t max_responder_resources,
			 uint8_t max_initiator_depth)
{
	id->responder_resources = param && param->responder_resources != RDMA_MAX_RESP_RES ?
				  param->responder_resources : max_responder_resources;
	id->initiator_depth = param && param->initiator_depth != RDMA_MAX_INIT_DEPTH ?
			      param->initiator_depth : max_initiator_depth;
}

SHCA_EXPORT int rdma_connect(struct rdma_cm_id *rdma, struct rdma_conn_param *given)
{
	struct shca_cm_id *id = to_shca_cm_id(rdma);
	struct rdma_conn_param param;
	uint8_t data[SHCA_CM_DATA];
	int result;

	if (!id->device || check_param(id, given))
		return shca_cm_result(-EINVAL);
	choose_reads(id, given, id->device->max_responder_resources, id->device->max_initiator_depth);
	result = complete_param(id, given, &param, data);
	if (shca_faults_are_active())
		shca_fault_sleep_in_connect();
	if (!result) {
		pthread_mutex_lock(&shca_cm_lock);
		result = shca_cm_connect(id, &param);
		pthread_mutex_unlock(&shca_cm_lock);
	}
	if (result)
		return shca_cm_result(result);
	return shca_cm_complete(id);
}

SHCA_EXPORT int rdma_accept(struct rdma_cm_id *rdma, struct rdma_conn_param *given)
{
	struct shca_cm_id *id = to_shca_cm_id(rdma);
	struct rdma_conn_param param;
	uint8_t data[SHCA_CM_DATA];
	int result;

	if (!id->device || (!rdma->qp && !given) || check_param(id, given))
		return shca_cm_result(-EINVAL);
	choose_reads(id, given, shca_at_most(id->responder_resources, id->device->max_responder_resources),
		     shca_at_most(id->initiator_depth, id->device->max_initiator_depth));
	if (!shca_cm_is_datagram(id) && (shca_cm_modify_rtr(id, id->responder_resources) ||
					 shca_cm_modify_rts(id, id->initiator_depth)))
		return -1;
	if (complete_param(id, given, &param, data))
		param.private_data_len = UINT8_MAX;	/* refused below, and the peer is notified */
	pthread_mutex_lock(&shca_cm_lock);
	result = shca_cm_accept(id, &param);
	pthread_mutex_unlock(&shca_cm_lock);
	if (!result)
		return shca_cm_is_datagram(id) ? 0 : shca_cm_complete(id);
	shca_cm_modify_err(id);
	return shca_cm_result(result);
}

SHCA_EXPORT int rdma_establish(struct rdma_cm_id *rdma)
{
	int result;

	if (rdma->qp)
		return shca_cm_result(-EINVAL);
	pthread_mutex_lock(&shca_cm_lock);
	result = shca_cm_establish(to_shca_cm_id(rdma));
	pthread_mutex_unlock(&shca_cm_lock);
	return shca_cm_result(result);
}

static int reject(struct rdma_cm_id *rdma, uint8_t reason, const void *data, uint8_t size)
{
	int result;

	pthread_mutex_lock(&shca_cm_lock);
	result = shca_cm_reject(to_shca_cm_id(rdma), reason, data, data ? size : 0);
	pthread_mutex_unlock(&shca_cm_lock);
	return shca_cm_result(result);
}

SHCA_EXPORT int rdma_reject(struct rdma_cm_id *id, const void *data, uint8_t size)
{
	return reject(id, SHCA_CM_REASON_CONSUMER, data, size);
}

SHCA_EXPORT int rdma_reject_ece(struct rdma_cm_id *id, const void *data, uint8_t size)
{
	return reject(id, SHCA_CM_REASON_VENDOR_OPTION, data, size);
}

SHCA_EXPORT int rdma_disconnect(struct rdma_cm_id *rdma)
{
	struct shca_cm_id *id = to_shca_cm_id(rdma);
	int result;

	if (!rdma->verbs)
		return shca_cm_result(-EINVAL);
	/* On iWARP the end of the connection ends the queue pair. */
	if (!shca_cm_is_iwarp() && shca_cm_modify_err(id))
		return -1;
	pthread_mutex_lock(&shca_cm_lock);
	result = shca_cm_disconnect(id);
	pthread_mutex_unlock(&shca_cm_lock);
	return result ? shca_cm_result(result) : shca_cm_complete(id);
}

SHCA_EXPORT int rdma_notify(struct rdma_cm_id *rdma, enum ibv_event_type event)
{
	int result;

	pthread_mutex_lock(&shca_cm_lock);
	result = shca_cm_notify(to_shca_cm_id(rdma), event);
	pthread_mutex_unlock(&shca_cm_lock);
	return shca_cm_result(result);
}
