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
 * Handles the messages and the death of peers, on the helper thread. Messages may arrive twice, late, or for an id that
 * is gone; each state decides which of them still matter.
 */
#include <errno.h>

#include "base/shca_say.h"
#include "base/shca_upcalls.h"
#include "cm/shca_cm_kernel.h"
#include "cm/shca_cm_progress.h"
#include "wire/shca_process.h"

/* ---- the end of a connection ---- */

/* An iWARP adapter reports no reasons: a reject by its peer is a refused connection. */
static int status_of(uint8_t reason)
{
	return shca_cm_is_iwarp() ? -ECONNREFUSED : reason;
}

void shca_cm_refused(struct shca_cm_id *id, uint8_t reason, const struct shca_cm_message *message)
{
	static const struct shca_cm_message nothing;
	struct shca_cm_event *event;

	shca_cm_stop_timer(id);
	if (shca_cm_is_iwarp() && id->state == SHCA_CM_ACCEPTING)
		shca_cm_fail_queue_pair(id);
	id->state = SHCA_CM_CLOSED;
	event = shca_cm_event_new(id, RDMA_CM_EVENT_REJECTED, status_of(reason), message ? message : &nothing,
				  SHCA_CM_REJ_DATA);
	if (event)
		shca_cm_event_put(event);
}

void shca_cm_disconnected(struct shca_cm_id *id, int status)
{
	if (shca_cm_is_iwarp())
		shca_cm_fail_queue_pair(id);
	shca_cm_enter_timewait(id);
	shca_cm_raise(id, RDMA_CM_EVENT_DISCONNECTED, status);
}

/* ---- messages; with the lock ---- */

static void handle_request(struct shca_process *process, const struct shca_cm_message *request)
{
	struct shca_cm_id *known = shca_cm_id_find_peer(process, request->from);

	if (!known) {
		shca_cm_requested(process, request);
		return;
	}
	switch (known->state) {
	case SHCA_CM_REQUESTED:
		shca_cm_send(known, SHCA_CM_MRA);
		break;
	case SHCA_CM_ACCEPTING:
		shca_cm_send_again(known);
		break;
	case SHCA_CM_CONNECTED:
	case SHCA_CM_CLOSED:
		/* A datagram's reply or a reject: no timer would send it again. */
		if (shca_cm_is_datagram(known) || known->last.type == SHCA_CM_REJ)
			shca_cm_send_again(known);
		break;
	default:
		break;
	}
}

static void fill_response(struct rdma_cm_event *event, const struct shca_cm_message *reply)
{
	struct rdma_conn_param *conn = &event->param.conn;

	conn->responder_resources = reply->initiator_depth;
	conn->initiator_depth = reply->responder_resources;
	conn->flow_control = reply->flow_control;
	conn->rnr_retry_count = reply->rnr_retry_count;
	conn->srq = reply->srq;
	conn->qp_num = reply->qpn;
}

static void responded(struct shca_cm_id *id, const struct shca_cm_message *reply)
{
	enum rdma_cm_event_type type = RDMA_CM_EVENT_CONNECT_RESPONSE;
	struct shca_cm_event *event;

	shca_cm_stop_timer(id);
	shca_cm_id_set_peer(id, reply->from);
	id->remote_qpn = reply->qpn;
	id->sq_psn = reply->psn;
	id->rnr_retry_count = reply->rnr_retry_count;
	id->state = SHCA_CM_RESPONDED;
	if (shca_cm_is_iwarp()) {
		int result = shca_cm_join_queue_pair(id, false);

		if (result) {
			shca_cm_reject(id, SHCA_CM_REASON_CONSUMER, NULL, 0);
			shca_cm_raise(id, RDMA_CM_EVENT_CONNECT_ERROR, result);
			return;
		}
		shca_cm_establish(id);
		type = RDMA_CM_EVENT_ESTABLISHED;
	}
	event = shca_cm_event_new(id, type, 0, reply, SHCA_CM_REP_DATA);
	if (!event)
		return;
	fill_response(&event->event, reply);
	/* iWARP's handshake does not carry the peer's queue pair number. */
	if (shca_cm_is_iwarp())
		event->event.param.conn.qp_num = 0;
	shca_cm_event_put(event);
}

static void handle_reply(struct shca_process *process, struct shca_cm_id *id, const struct shca_cm_message *reply)
{
	if (!id || shca_cm_is_datagram(id) || (id->peer && id->peer != reply->from)) {
		shca_cm_answer(process, reply, SHCA_CM_REJ, SHCA_CM_REASON_INVALID_ID);
		return;
	}
	switch (id->state) {
	case SHCA_CM_REQUESTING:
		responded(id, reply);
		break;
	case SHCA_CM_RESPONDED:
		shca_cm_send(id, SHCA_CM_MRA);
		break;
	case SHCA_CM_CONNECTED:
		shca_cm_send(id, SHCA_CM_RTU);
		break;
	case SHCA_CM_CLOSED:
		if (id->last.type == SHCA_CM_REJ) {
			id->last.to = reply->from;
			shca_cm_send_again(id);
		}
		break;
	default:
		break;
	}
}

static void handle_ready(struct shca_cm_id *id)
{
	if (!id || id->state != SHCA_CM_ACCEPTING)
		return;
	shca_cm_stop_timer(id);
	id->state = SHCA_CM_CONNECTED;
	shca_cm_raise(id, RDMA_CM_EVENT_ESTABLISHED, 0);
	if (shca_cm_is_iwarp())
		shca_cm_drop_if_failed(id);
}

static void handle_reject(struct shca_cm_id *id, const struct shca_cm_message *reject)
{
	if (!id || shca_cm_is_datagram(id))
		return;
	switch (id->state) {
	case SHCA_CM_REQUESTING:
	case SHCA_CM_RESPONDED:
	case SHCA_CM_REQUESTED:
	case SHCA_CM_ACCEPTING:
		shca_cm_refused(id, reject->status, reject);
		break;
	case SHCA_CM_CONNECTED:
	case SHCA_CM_DISCONNECTING:
		/* The peer has lost the connection: its id is gone, or it has not got the RTU. */
		shca_cm_disconnected(id, 0);
		break;
	default:
		break;
	}
}

/*
 * Raises DISCONNECTED; the application answers by rdma_disconnect. If both sides disconnect at once, neither waits for
 * the other's answer.
 */
static void handle_disconnect(struct shca_process *process, struct shca_cm_id *id,
			      const struct shca_cm_message *request)
{
	if (!id) {
		shca_cm_answer(process, request, SHCA_CM_DREP, 0);
		return;
	}
	switch (id->state) {
	case SHCA_CM_RESPONDED:
	case SHCA_CM_ACCEPTING:
	case SHCA_CM_CONNECTED:
		if (shca_cm_is_iwarp())
			break;
		shca_cm_stop_timer(id);
		id->state = SHCA_CM_DISCONNECTED;
		shca_cm_raise(id, RDMA_CM_EVENT_DISCONNECTED, 0);
		return;
	case SHCA_CM_DISCONNECTING:
		break;
	case SHCA_CM_TIMEWAIT:
	case SHCA_CM_CLOSED:
		shca_cm_send(id, SHCA_CM_DREP);
		return;
	default:
		return;
	}
	shca_cm_send(id, SHCA_CM_DREP);
	shca_cm_disconnected(id, 0);
}

static void handle_disconnect_reply(struct shca_process *process, struct shca_cm_id *id,
				    const struct shca_cm_message *answer)
{
	if (!id)
		shca_cm_orphan_dreq_answered(process, answer->to);
	else if (id->state == SHCA_CM_DISCONNECTING)
		shca_cm_disconnected(id, 0);
}

/* The id that the message is for. A peer that does not know our number yet is found by its own. */
static struct shca_cm_id *addressee(struct shca_process *process, const struct shca_cm_message *message)
{
	struct shca_cm_id *id = message->to ? shca_cm_id_find(message->to) :
					      shca_cm_id_find_peer(process, message->from);

	return id && id->process == process && id->state >= SHCA_CM_REQUESTING ? id : NULL;
}

static void dispatch(struct shca_process *process, const struct shca_cm_message *message)
{
	struct shca_cm_id *id;

	if (message->type == SHCA_CM_REQ || message->type == SHCA_CM_SIDR_REQ) {
		handle_request(process, message);
		return;
	}
	id = addressee(process, message);
	/* Messages and the report of rdma_notify have one worker, so the report comes first. */
	if (id)
		shca_cm_report_notified(id);
	switch (message->type) {
	case SHCA_CM_MRA:
		if (id && (id->state == SHCA_CM_REQUESTING || id->state == SHCA_CM_ACCEPTING))
			shca_cm_wait_longer(id);
		break;
	case SHCA_CM_REJ:
		handle_reject(id, message);
		break;
	case SHCA_CM_REP:
		handle_reply(process, id, message);
		break;
	case SHCA_CM_RTU:
		handle_ready(id);
		break;
	case SHCA_CM_DREQ:
		handle_disconnect(process, id, message);
		break;
	case SHCA_CM_DREP:
		handle_disconnect_reply(process, id, message);
		break;
	default:
		if (id)
			shca_cm_datagram_replied(id, message);
		break;
	}
}

void shca_cm_message(struct shca_process *process, const void *bytes, size_t size)
{
	static _Atomic uint64_t count;
	struct shca_cm_message message;

	if (!shca_cm_message_read(&message, bytes, size)) {
		shca_say_seldom(&count, "%zu bytes that are no CM message came from slot %u: dropped", size,
				atomic_load(&process->slot));
		return;
	}
	/* One TCP stream carries data and end, so the end does not overtake the data. */
	if (shca_cm_is_iwarp() && (message.type == SHCA_CM_DREQ || message.type == SHCA_CM_REJ))
		shca_engine_catch_up();
	pthread_mutex_lock(&shca_cm_lock);
	dispatch(process, &message);
	pthread_mutex_unlock(&shca_cm_lock);
}

/* ---- the end of the peer or of the device ---- */

/* As the kernel of a real machine does for the ids of a killed process. */
static void process_died(struct shca_cm_id *id, void *process)
{
	if (id->process != process)
		return;
	shca_cm_report_notified(id);
	switch (id->state) {
	case SHCA_CM_REQUESTING:
	case SHCA_CM_RESPONDED:
	case SHCA_CM_REQUESTED:
	case SHCA_CM_ACCEPTING:
		if (!shca_cm_is_datagram(id)) {
			shca_cm_refused(id, SHCA_CM_REASON_CONSUMER, NULL);
		} else if (id->state == SHCA_CM_REQUESTING) {
			struct shca_cm_message gone = { .status = SHCA_CM_SIDR_REJECTED };

			shca_cm_datagram_replied(id, &gone);
		}
		break;
	case SHCA_CM_CONNECTED:
		if (!shca_cm_is_datagram(id))
			handle_disconnect(id->process, id, NULL);
		break;
	case SHCA_CM_DISCONNECTING:
		shca_cm_disconnected(id, 0);
		break;
	default:
		break;
	}
	id->process = NULL;
}

void shca_cm_process_died(struct shca_process *process)
{
	pthread_mutex_lock(&shca_cm_lock);
	shca_cm_id_for_each(process_died, process);
	shca_cm_orphan_dreqs_forget(process);
	shca_cm_late_forget(process);
	pthread_mutex_unlock(&shca_cm_lock);
}

static void device_removed(struct shca_cm_id *id, void *unused)
{
	(void)unused;
	if (!id->has_device)
		return;
	shca_cm_prepare_destroy(id);
	/* Nothing is repeated by a device that is gone. */
	id->held_until = 0;
	id->state = SHCA_CM_REMOVED;
	id->has_device = false;
	shca_cm_raise(id, RDMA_CM_EVENT_DEVICE_REMOVAL, 0);
}

void shca_cm_device_removed(void)
{
	pthread_mutex_lock(&shca_cm_lock);
	shca_cm_id_for_each(device_removed, NULL);
	pthread_mutex_unlock(&shca_cm_lock);
}
