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
 * The calls of an application on a connection: connect, accept, reject, disconnect. shca_cm_receive.c handles the
 * messages of the peer.
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
 * For a queue pair created with the id, rdma_get_cm_event turns CONNECT_RESPONSE into ESTABLISHED, and calls
 * rdma_establish itself. On iWARP the device does all that when the REP comes.
 */
#include <errno.h>
#include <string.h>

#include "cm/shca_cm_kernel.h"
#include "fault/shca_fault.h"
#include "queue_pair/shca_queue_pair.h"
#include "wire/shca_process.h"

#define MAX_RETRIES	7u
#define REPORT_MS	8

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
		.retry_count = shca_at_most(param->retry_count, MAX_RETRIES),
		.rnr_retry_count = shca_at_most(param->rnr_retry_count, MAX_RETRIES),
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

static struct shca_qp *hold_queue_pair(const struct shca_cm_id *id)
{
	return id->process ? shca_qp_hold(id->local_qpn) : NULL;
}

int shca_cm_join_queue_pair(struct shca_cm_id *id, bool accepted)
{
	struct shca_qp *qp = hold_queue_pair(id);
	union ibv_gid gid;
	int error;

	if (!qp)
		return -EINVAL;
	shca_cm_address_gid(&id->remote, &gid);
	/*
	 * On the active side no program can have set the peer's rights: the id's attributes for INIT grant nothing, and
	 * there is no RTR. Those for RTR grant these rights, and iWARP adapters check the memory regions alone.
	 */
	pthread_mutex_lock(&qp->lock);
	if (!qp->attr.qp_access_flags)
		qp->attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	pthread_mutex_unlock(&qp->lock);
	error = shca_qp_connect(qp, id->remote_qpn, &gid, id->sq_psn, id->rq_psn, id->cm_initiator_depth,
				id->cm_responder_resources, accepted);
	shca_qp_release();
	return -error;
}

void shca_cm_fail_queue_pair(struct shca_cm_id *id)
{
	struct shca_qp *qp = hold_queue_pair(id);

	if (!qp)
		return;
	pthread_mutex_lock(&qp->lock);
	shca_qp_connection_ended(qp);
	pthread_mutex_unlock(&qp->lock);
	shca_qp_release();
}

static bool is_queue_pair_failed(struct shca_cm_id *id)
{
	struct shca_qp *qp = hold_queue_pair(id);
	bool failed;

	if (!qp)
		return false;
	pthread_mutex_lock(&qp->lock);
	failed = qp->ibv.state == IBV_QPS_ERR;
	pthread_mutex_unlock(&qp->lock);
	shca_qp_release();
	return failed;
}

void shca_cm_drop_if_failed(struct shca_cm_id *id)
{
	if (id->state != SHCA_CM_CONNECTED || shca_cm_is_datagram(id) || !is_queue_pair_failed(id))
		return;
	shca_cm_send_orphan_dreq(id);
	shca_cm_disconnected(id, 0);
}

/* ---- connecting ---- */

int shca_cm_connect(struct shca_cm_id *id, const struct rdma_conn_param *param)
{
	if (id->state != SHCA_CM_ROUTED)
		return -EINVAL;
	if (shca_cm_is_datagram(id))
		return shca_cm_datagram_connect(id, param);
	if (param->private_data_len > SHCA_CM_REQ_DATA ||
	    (shca_cm_is_iwarp() && !shca_qp_exists(param->qp_num)))
		return -EINVAL;
	/* TCP's handshake, and its refusal, are part of the call; the decision of the peer's program is not. */
	if (shca_cm_is_iwarp() && !shca_cm_is_listened(id))
		return -ECONNREFUSED;
	if (shca_faults_are_active() && shca_cm_is_iwarp() && shca_fault_port())
		return -EADDRINUSE;
	id->traffic_class = id->tos;
	id->retry_count = shca_at_most(param->retry_count, MAX_RETRIES);
	fill_last(id, SHCA_CM_REQ, param);
	id->last.ack_timeout = (uint8_t)(id->packet_life_time + 1);
	id->last.source = id->local;
	id->last.destination = id->remote;
	return shca_cm_request(id);
}

void shca_cm_no_listener(struct shca_cm_id *id)
{
	struct shca_cm_message refusal = { .status = SHCA_CM_SIDR_NO_SERVICE };

	if (shca_cm_is_datagram(id))
		shca_cm_datagram_replied(id, &refusal);
	else
		shca_cm_refused(id, SHCA_CM_REASON_NO_SERVICE, NULL);
}

/* ---- accepting and rejecting ---- */

static int accept_request(struct shca_cm_id *id, const struct rdma_conn_param *param)
{
	int result = param->private_data_len > SHCA_CM_REP_DATA ? -EINVAL : 0;

	if (!result)
		fill_last(id, SHCA_CM_REP, param);
	if (!result && shca_cm_is_iwarp())
		result = shca_cm_join_queue_pair(id, true);
	/* As in the kernel, an accept that fails is a reject. */
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

/* Ends a connection whose ESTABLISHED is not raised yet: see shca_cm_notify. */
static void end_before_report(struct shca_cm_id *id)
{
	if (id->state != SHCA_CM_NOTIFIED)
		return;
	shca_cm_stop_timer(id);
	id->held_until = shca_cm_end_of_tries();
	id->state = SHCA_CM_CONNECTED;
}

int shca_cm_disconnect(struct shca_cm_id *id)
{
	end_before_report(id);
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

void shca_cm_prepare_destroy(struct shca_cm_id *id)
{
	end_before_report(id);
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
			shca_cm_send_orphan_dreq(id);
		}
		break;
	case SHCA_CM_DISCONNECTING:
		shca_cm_send_orphan_dreq(id);
		break;
	case SHCA_CM_DISCONNECTED:
		shca_cm_send(id, SHCA_CM_DREP);
		break;
	default:
		break;
	}
	id->state = SHCA_CM_CLOSED;
}

/*
 * As in the kernel (cm_establish and cm_establish_handler, core/cm.c) the id is connected at once, and a worker raises
 * ESTABLISHED later, and only then ends the repetition of the REP. A program that disconnects in between, or destroys
 * the id, meets a defect: the worker finds another state and ends nothing, and rdma_destroy_id waits until all
 * repetitions are sent, which takes a minute.
 */
int shca_cm_notify(struct shca_cm_id *id, enum ibv_event_type type)
{
	if (id->state < SHCA_CM_REQUESTING || id->state == SHCA_CM_REMOVED)
		return -EINVAL;
	if (shca_cm_is_iwarp())
		return 0;
	if (type != IBV_EVENT_COMM_EST)
		return -EINVAL;
	if (id->state == SHCA_CM_CONNECTED || id->state == SHCA_CM_NOTIFIED)
		return -EISCONN;
	if (id->state != SHCA_CM_ACCEPTING)
		return -EINVAL;
	id->state = SHCA_CM_NOTIFIED;
	shca_cm_set_deadline(id, REPORT_MS);
	return 0;
}

void shca_cm_report_notified(struct shca_cm_id *id)
{
	if (id->state != SHCA_CM_NOTIFIED)
		return;
	shca_cm_stop_timer(id);
	id->state = SHCA_CM_CONNECTED;
	shca_cm_raise(id, RDMA_CM_EVENT_ESTABLISHED, 0);
}
