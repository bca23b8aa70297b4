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
 * Datagrams: the handshake (SIDR) conveys the peer's queue pair number and Q_Key, and connects nothing.
 *
 *    rdma_connect    SIDR_REQ ---------------------->   CONNECT_REQUEST
 *    ESTABLISHED              <----------------------   rdma_accept: SIDR_REP
 *    UNREACHABLE              <----------------------   rdma_reject: SIDR_REP with a status
 */
#include <errno.h>
#include <string.h>

#include "cm/shca_cm_kernel.h"

static void fill_data(struct shca_cm_id *id, const void *data, uint8_t size)
{
	id->last.data_size = size;
	if (size)
		memcpy(id->last.data, data, size);
}

int shca_cm_datagram_connect(struct shca_cm_id *id, const struct rdma_conn_param *param)
{
	if (param->private_data_len > SHCA_CM_SIDR_REQ_DATA)
		return -EINVAL;
	id->traffic_class = id->tos;
	id->last = (struct shca_cm_message){
		.type = SHCA_CM_SIDR_REQ,
		.port_space = (uint16_t)id->id.ps,
		.tos = id->traffic_class,
		.source = id->local,
		.destination = id->remote,
	};
	fill_data(id, param->private_data, param->private_data_len);
	id->local_qpn = param->qp_num;
	return shca_cm_request(id);
}

static void reply(struct shca_cm_id *id, uint8_t status, uint32_t qpn, const void *data, uint8_t size)
{
	id->last = (struct shca_cm_message){
		.type = SHCA_CM_SIDR_REP,
		.from = id->number,
		.to = id->peer,
		.status = status,
		.qpn = qpn,
		.psn = RDMA_UDP_QKEY,
	};
	fill_data(id, data, size);
	shca_cm_send_again(id);
}

int shca_cm_datagram_accept(struct shca_cm_id *id, const struct rdma_conn_param *param)
{
	if (param->private_data_len > SHCA_CM_SIDR_REP_DATA) {
		shca_cm_datagram_reject(id, SHCA_CM_SIDR_REJECTED, NULL, 0);
		return -EINVAL;
	}
	id->is_silent = false;
	id->local_qpn = param->qp_num;
	id->state = SHCA_CM_CONNECTED;
	reply(id, SHCA_CM_SIDR_SUCCESS, param->qp_num, param->private_data, param->private_data_len);
	return 0;
}

int shca_cm_datagram_reject(struct shca_cm_id *id, uint8_t status, const void *data, uint8_t size)
{
	if (id->state != SHCA_CM_REQUESTED || size > SHCA_CM_SIDR_REP_DATA)
		return -EINVAL;
	id->state = SHCA_CM_CLOSED;
	reply(id, status, 0, data, size);
	return 0;
}

void shca_cm_datagram_replied(struct shca_cm_id *id, const struct shca_cm_message *message)
{
	bool accepted = message->status == SHCA_CM_SIDR_SUCCESS;
	struct shca_cm_event *event;

	if (!shca_cm_is_datagram(id) || id->state != SHCA_CM_REQUESTING)
		return;
	shca_cm_stop_timer(id);
	shca_cm_id_set_peer(id, message->from);
	id->state = accepted ? SHCA_CM_CONNECTED : SHCA_CM_CLOSED;
	event = shca_cm_event_new(id, accepted ? RDMA_CM_EVENT_ESTABLISHED : RDMA_CM_EVENT_UNREACHABLE,
				  message->status, message, SHCA_CM_SIDR_REP_DATA);
	if (!event)
		return;
	if (accepted) {
		shca_cm_init_ah_attr(id, &event->event.param.ud.ah_attr);
		event->event.param.ud.qp_num = message->qpn;
		event->event.param.ud.qkey = message->psn;
	}
	shca_cm_event_put(event);
}
