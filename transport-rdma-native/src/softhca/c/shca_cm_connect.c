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
 * What an application does to a connection: asks, accepts, refuses, ends. What the peer does is in shca_cm_receive.c.
 *
 *    active                                            passive
 *    rdma_connect       REQ  ---------------------->   CONNECT_REQUEST
 *                            <----------------------   rdma_accept        REP
 *    CONNECT_RESPONSE
 *    rdma_establish     RTU  ---------------------->   ESTABLISHED
 *                                ...
 *    rdma_disconnect    DREQ ---------------------->   DISCONNECTED
 *    DISCONNECTED            <----------------------   rdma_disconnect    DREP
 *    TIMEWAIT_EXIT                                     TIMEWAIT_EXIT
 *
 * rdma_get_cm_event makes ESTABLISHED of CONNECT_RESPONSE, and calls rdma_establish itself, for a queue pair that was
 * made with the id. On iWARP the device does all that when the REP comes.
 */
#include "shca_cm_private.h"

#include <errno.h>
#include <string.h>

#include "shca_export.h"
#include "shca_fabric.h"
#include "shca_link.h"

#define MOST_RETRIES	7u

static uint8_t at_most(uint8_t value, uint8_t limit)
{
	return value < limit ? value : limit;
}

static void fill_last(struct shca_cm_id *id, enum shca_cm_type type, const struct rdma_conn_param *param)
{
	id->last = (struct shca_cm_message){
		.type = type,
		.qpn = param->qp_num,
		.psn = id->rq_psn,
		.port_space = (uint16_t)id->id.ps,
		.tos = id->traffic_class,
		.responder_resources = param->responder_resources,
		.initiator_depth = param->initiator_depth,
		.retry_count = at_most(param->retry_count, MOST_RETRIES),
		.rnr_retry_count = at_most(param->rnr_retry_count, MOST_RETRIES),
		.flow_control = param->flow_control,
		.srq = param->srq,
		.data_size = param->private_data ? param->private_data_len : 0,
	};
	if (id->last.data_size)
		memcpy(id->last.data, param->private_data, id->last.data_size);
	id->local_qpn = param->qp_num;
	id->cm_responder_resources = param->responder_resources;
	id->cm_initiator_depth = param->initiator_depth;
}

/* ---- queue pairs that the device connects by itself ---- */

static struct shca_qp *lock_queue_pair(struct shca_cm_id *id)
{
	struct shca_qp *qp;

	if (!id->link)
		return NULL;
	/* Who destroys a queue pair takes every rx_lock after it has left the table. */
	pthread_mutex_lock(&id->link->rx_lock);
	qp = shca_qp_find(id->local_qpn);
	if (!qp)
		pthread_mutex_unlock(&id->link->rx_lock);
	return qp;
}

int shca_cm_join_queue_pair(struct shca_cm_id *id, bool accepted)
{
	struct shca_qp *qp = lock_queue_pair(id);
	union ibv_gid gid;
	int error;

	if (!qp)
		return -EINVAL;
	shca_cm_address_gid(&id->remote, &gid);
	/*
	 * On the active side nobody can have said what the peer may do: the id's attributes for INIT grant nothing, and
	 * there is no RTR. Those for RTR grant this, and iWARP adapters look at the memory regions alone.
	 */
	pthread_mutex_lock(&qp->lock);
	if (!qp->attr.qp_access_flags)
		qp->attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	pthread_mutex_unlock(&qp->lock);
	error = shca_qp_connect(qp, id->remote_qpn, &gid, id->sq_psn, id->rq_psn, id->cm_initiator_depth,
				id->cm_responder_resources, accepted);
	pthread_mutex_unlock(&id->link->rx_lock);
	return -error;
}

void shca_cm_fail_queue_pair(struct shca_cm_id *id)
{
	struct shca_qp *qp = lock_queue_pair(id);

	if (!qp)
		return;
	pthread_mutex_lock(&qp->lock);
	if (qp->ibv.state != IBV_QPS_RESET)
		shca_qp_fail(qp, -1);
	pthread_mutex_unlock(&qp->lock);
	pthread_mutex_unlock(&id->link->rx_lock);
}

/* ---- asking ---- */

int shca_cm_connect(struct shca_cm_id *id, const struct rdma_conn_param *param)
{
	struct shca_port_owner owner;

	if (id->state != SHCA_CM_ROUTED)
		return -EINVAL;
	if (shca_cm_is_datagram(id))
		return shca_cm_datagram_connect(id, param);
	if (param->private_data_len > SHCA_CM_REQ_DATA ||
	    (shca_cm_is_iwarp() && !shca_qp_find(param->qp_num)))
		return -EINVAL;
	id->traffic_class = id->tos;
	id->retry_count = at_most(param->retry_count, MOST_RETRIES);
	fill_last(id, SHCA_CM_REQ, param);
	id->last.source = id->local;
	id->last.destination = id->remote;
	id->state = SHCA_CM_REQUESTING;
	if (!shca_port_find_listener((int)id->id.ps, &id->remote.any, &owner))
		id->link = shca_link_to(owner.slot);
	/* A process that is gone listens no more. */
	if (!id->link) {
		shca_cm_refused(id, SHCA_CM_REASON_NO_SERVICE, NULL);
		return 0;
	}
	id->last.to = owner.id;
	shca_cm_send_repeatedly(id);
	return 0;
}

/* ---- answering ---- */

static int accept_request(struct shca_cm_id *id, const struct rdma_conn_param *param)
{
	int result = param->private_data_len > SHCA_CM_REP_DATA ? -EINVAL : 0;

	if (!result)
		fill_last(id, SHCA_CM_REP, param);
	if (!result && shca_cm_is_iwarp())
		result = shca_cm_join_queue_pair(id, true);
	/* As the kernel does: an accept that fails is a reject. */
	if (result) {
		shca_cm_reject(id, SHCA_CM_REASON_CONSUMER, NULL, 0);
		return result;
	}
	id->is_silent = false;
	id->state = SHCA_CM_ACCEPTING;
	shca_cm_send_repeatedly(id);
	return 0;
}

int shca_cm_accept(struct shca_cm_id *id, const struct rdma_conn_param *param)
{
	if (id->state != SHCA_CM_REQUESTED)
		return -EINVAL;
	return shca_cm_is_datagram(id) ? shca_cm_datagram_accept(id, param) : accept_request(id, param);
}

int shca_cm_establish(struct shca_cm_id *id)
{
	if (id->state != SHCA_CM_RESPONDED)
		return -EINVAL;
	id->state = SHCA_CM_CONNECTED;
	shca_cm_send(id, SHCA_CM_RTU);
	return 0;
}

int shca_cm_reject(struct shca_cm_id *id, uint8_t reason, const void *data, uint8_t size)
{
	if (shca_cm_is_datagram(id))
		return shca_cm_datagram_reject(id, SHCA_CM_SIDR_REJECTED, data, size);
	if (size > SHCA_CM_REJ_DATA || id->state < SHCA_CM_REQUESTING || id->state > SHCA_CM_ACCEPTING)
		return -EINVAL;
	id->last = (struct shca_cm_message){
		.type = SHCA_CM_REJ, .status = reason, .from = id->number, .to = id->peer, .data_size = size,
	};
	if (size)
		memcpy(id->last.data, data, size);
	id->state = SHCA_CM_CLOSED;
	shca_cm_stop_timer(id);
	shca_cm_send_again(id);
	return 0;
}

/* ---- ending ---- */

int shca_cm_disconnect(struct shca_cm_id *id)
{
	if (id->state < SHCA_CM_REQUESTING || id->state == SHCA_CM_REMOVED)
		return -EINVAL;
	if (shca_cm_is_datagram(id))
		return 0;
	if (id->state == SHCA_CM_CONNECTED) {
		if (shca_cm_is_iwarp())
			shca_cm_fail_queue_pair(id);
		id->state = SHCA_CM_DISCONNECTING;
		id->last = (struct shca_cm_message){ .type = SHCA_CM_DREQ };
		shca_cm_send_repeatedly(id);
	} else if (id->state == SHCA_CM_DISCONNECTED) {
		shca_cm_send(id, SHCA_CM_DREP);
		shca_cm_enter_timewait(id);
	}
	return 0;
}

void shca_cm_leave(struct shca_cm_id *id)
{
	shca_cm_stop_timer(id);
	switch (id->state) {
	case SHCA_CM_REQUESTING:
		if (!shca_cm_is_datagram(id))
			shca_cm_reject(id, SHCA_CM_REASON_TIMEOUT, NULL, 0);
		break;
	case SHCA_CM_REQUESTED:
	case SHCA_CM_RESPONDED:
	case SHCA_CM_ACCEPTING:
		shca_cm_reject(id, SHCA_CM_REASON_CONSUMER, NULL, 0);
		break;
	case SHCA_CM_CONNECTED:
		if (!shca_cm_is_datagram(id)) {
			if (shca_cm_is_iwarp())
				shca_cm_fail_queue_pair(id);
			shca_cm_send_farewell(id);
		}
		break;
	case SHCA_CM_DISCONNECTING:
		shca_cm_send_farewell(id);
		break;
	case SHCA_CM_DISCONNECTED:
		shca_cm_send(id, SHCA_CM_DREP);
		break;
	default:
		break;
	}
	id->state = SHCA_CM_CLOSED;
}

int shca_cm_notify(struct shca_cm_id *id, enum ibv_event_type type)
{
	if (id->state < SHCA_CM_REQUESTING || id->state == SHCA_CM_REMOVED)
		return -EINVAL;
	if (shca_cm_is_iwarp())
		return 0;
	if (type != IBV_EVENT_COMM_EST)
		return -EINVAL;
	if (id->state == SHCA_CM_CONNECTED)
		return -EISCONN;
	if (id->state != SHCA_CM_ACCEPTING)
		return -EINVAL;
	shca_cm_stop_timer(id);
	id->state = SHCA_CM_CONNECTED;
	shca_cm_raise(id, RDMA_CM_EVENT_ESTABLISHED, 0);
	return 0;
}

/* ---- the functions ---- */

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

/* What goes to the "kernel". buffer has room for the longest private data. -EINVAL: it is too long for any message. */
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

/* Only what the device can is offered when the caller leaves it to us. */
static void choose_reads(struct shca_cm_id *id, const struct rdma_conn_param *param, uint8_t most_served,
			 uint8_t most_wanted)
{
	id->responder_resources = param && param->responder_resources != RDMA_MAX_RESP_RES ?
				  param->responder_resources : most_served;
	id->initiator_depth = param && param->initiator_depth != RDMA_MAX_INIT_DEPTH ?
			      param->initiator_depth : most_wanted;
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
	choose_reads(id, given, at_most(id->responder_resources, id->device->max_responder_resources),
		     at_most(id->initiator_depth, id->device->max_initiator_depth));
	if (!shca_cm_is_datagram(id) && (shca_cm_modify_rtr(id, id->responder_resources) ||
					 shca_cm_modify_rts(id, id->initiator_depth)))
		return -1;
	if (complete_param(id, given, &param, data))
		param.private_data_len = UINT8_MAX;	/* refused below, and the peer told */
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
	/* On iWARP it is the connection's end that ends the queue pair. */
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
