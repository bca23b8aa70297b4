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

#include "support.h"

#include <fcntl.h>
#include <poll.h>

#define READ_DEPTH 4

const struct d_timers d_patient = { .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .min_rnr_timer = 1 };
const struct d_timers d_calm = { .timeout = 20, .retry_cnt = 7, .rnr_retry = 7, .min_rnr_timer = 1 };

struct ibv_context *d_open(void)
{
	const char *wanted = getenv("D_DEVICE");
	int count = 0;
	struct ibv_device **devices = D_HAVE(ibv_get_device_list(&count));
	struct ibv_context *context = NULL;

	for (int i = 0; i < count && !context; i++)
		if (!wanted || !strcmp(ibv_get_device_name(devices[i]), wanted))
			context = D_HAVE(ibv_open_device(devices[i]));
	ibv_free_device_list(devices);
	if (!context)
		D_FAIL("no RDMA device%s%s: run it with bin/softhca", wanted ? " named " : "", wanted ? wanted : "");
	d_non_blocking(context->async_fd);
	return context;
}

/* The index of a GID that peers can reach; link-local ones are the last choice. */
int d_gid_index(struct ibv_context *context)
{
	struct ibv_port_attr port;
	int found = 0;

	D_MUST(ibv_query_port(context, 1, &port));
	for (int i = 0; i < port.gid_tbl_len; i++) {
		union ibv_gid gid;

		if (ibv_query_gid(context, 1, i, &gid))
			continue;
		if (gid.raw[0] == 0 && gid.raw[10] == 0xff && gid.raw[11] == 0xff)
			return i;
		if (gid.raw[0] != 0xfe && gid.global.interface_id && !found)
			found = i;
	}
	return found;
}

struct ibv_qp_init_attr d_rc_attributes(uint32_t sends, uint32_t receives)
{
	return (struct ibv_qp_init_attr){
		.cap = { .max_send_wr = sends, .max_recv_wr = receives, .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};
}

struct d_address d_address_of(struct ibv_qp *qp, uint32_t psn)
{
	struct d_address address = { .qpn = qp->qp_num, .psn = psn & 0xffffff, .qkey = 0x1234567 };
	struct ibv_port_attr port;

	D_MUST(ibv_query_port(qp->context, 1, &port));
	address.lid = port.lid;
	D_MUST(ibv_query_gid(qp->context, 1, d_gid_index(qp->context), &address.gid));
	return address;
}

void d_to_init(struct ibv_qp *qp, unsigned int access)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = access };

	D_MUST(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
}

/* Reads and atomics that may be in flight at once. */
static uint8_t read_depth(struct ibv_qp *qp)
{
	struct ibv_device_attr attr;

	D_MUST(ibv_query_device(qp->context, &attr));
	return attr.max_qp_rd_atom < READ_DEPTH ? (uint8_t)attr.max_qp_rd_atom : READ_DEPTH;
}

static void to_rtr(struct ibv_qp *qp, const struct d_address *peer, uint8_t min_rnr_timer)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = peer->qpn,
		.rq_psn = peer->psn,
		.max_dest_rd_atomic = read_depth(qp),
		.min_rnr_timer = min_rnr_timer,
		.ah_attr = {
			.dlid = peer->lid,
			.port_num = 1,
			.is_global = 1,
			.grh = {
				.dgid = peer->gid,
				.sgid_index = (uint8_t)d_gid_index(qp->context),
				.hop_limit = 64,
			},
		},
	};

	D_MUST(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			     IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
}

void d_connect(struct ibv_qp *qp, const struct d_address *local, const struct d_address *peer,
	       const struct d_timers *timers)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = local->psn,
		.timeout = timers->timeout,
		.retry_cnt = timers->retry_cnt,
		.rnr_retry = timers->rnr_retry,
		.max_rd_atomic = read_depth(qp),
	};

	to_rtr(qp, peer, timers->min_rnr_timer);
	D_MUST(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			     IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC));
}

void d_open_datagrams(struct ibv_qp *qp, const struct d_address *local)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = local->qkey };

	D_MUST(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY));
	d_to_state(qp, IBV_QPS_RTR);
	attr = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .sq_psn = local->psn };
	D_MUST(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN));
}

void d_to_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	D_MUST(ibv_modify_qp(qp, &attr, IBV_QP_STATE));
}

enum ibv_qp_state d_state(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr;
	struct ibv_qp_init_attr init;

	D_MUST(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init));
	return attr.qp_state;
}

struct ibv_wc d_wait(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	for (;;) {
		int count = ibv_poll_cq(cq, 1, &wc);

		if (count == 1)
			return wc;
		if (count < 0)
			D_FAIL("ibv_poll_cq: %d", count);
	}
}

void d_expect_nothing(struct ibv_cq *cq)
{
	struct ibv_wc wc;
	int count = ibv_poll_cq(cq, 1, &wc);

	if (count)
		D_FAIL("ibv_poll_cq: %d, wr_id %llx, %s, opcode %d, where nothing was to come", count,
		       (unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status), wc.opcode);
}

int d_async_event(struct ibv_context *context, struct ibv_qp **qp)
{
	struct ibv_async_event event;

	if (ibv_get_async_event(context, &event)) {
		if (errno != EAGAIN)
			D_FAIL("ibv_get_async_event: %s", strerror(errno));
		return -1;
	}
	if (qp)
		*qp = event.element.qp;
	ibv_ack_async_event(&event);
	return (int)event.event_type;
}

void d_non_blocking(int fd)
{
	D_MUST(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK));
}

void d_wait_readable(int fd)
{
	struct pollfd descriptor = { .fd = fd, .events = POLLIN };

	while (poll(&descriptor, 1, -1) != 1)
		if (errno != EINTR)
			D_FAIL("poll: %s", strerror(errno));
}

int d_wait_async_event(struct ibv_context *context, struct ibv_qp **qp)
{
	d_wait_readable(context->async_fd);
	return d_async_event(context, qp);
}
