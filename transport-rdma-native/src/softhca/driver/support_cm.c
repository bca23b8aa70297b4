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

#include <arpa/inet.h>

struct rdma_cm_event *d_cm_next(struct rdma_event_channel *channel)
{
	struct rdma_cm_event *event = NULL;

	for (;;) {
		if (rdma_get_cm_event(channel, &event)) {
			if (errno == EAGAIN)
				d_wait_readable(channel->fd);
			else if (errno != EINTR)
				D_FAIL("rdma_get_cm_event: %s", strerror(errno));
		} else if (event->event == RDMA_CM_EVENT_TIMEWAIT_EXIT) {
			D_MUST(rdma_ack_cm_event(event));
		} else {
			return event;
		}
	}
}

struct rdma_cm_event *d_cm_expect(struct rdma_event_channel *channel, enum rdma_cm_event_type type)
{
	struct rdma_cm_event *event = d_cm_next(channel);

	if (event->event != type)
		D_FAIL("%s, status %d, instead of %s", rdma_event_str(event->event), event->status,
		       rdma_event_str(type));
	return event;
}

void d_cm_pass(struct rdma_event_channel *channel, enum rdma_cm_event_type type)
{
	D_MUST(rdma_ack_cm_event(d_cm_expect(channel, type)));
}

/* D_ADDRESS, an address of the device; otherwise the loopback address, which the software device has. */
static struct sockaddr_in own_address(uint16_t port)
{
	const char *given = getenv("D_ADDRESS");
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};

	if (given && inet_pton(AF_INET, given, &address.sin_addr) != 1)
		D_FAIL("D_ADDRESS %s is no address of IPv4", given);
	return address;
}

struct rdma_cm_id *d_cm_listen(struct rdma_event_channel *channel, uint16_t *port)
{
	struct sockaddr_in address = own_address(0);
	struct rdma_cm_id *id;

	D_MUST(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP));
	D_MUST(rdma_bind_addr(id, (struct sockaddr *)&address));
	D_MUST(rdma_listen(id, 64));
	*port = ntohs(rdma_get_src_port(id));
	return id;
}

struct rdma_cm_id *d_cm_resolve(struct rdma_event_channel *channel, uint16_t port)
{
	struct sockaddr_in address = own_address(port);
	struct rdma_cm_id *id;

	D_MUST(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP));
	D_MUST(rdma_resolve_addr(id, NULL, (struct sockaddr *)&address, 10000));
	d_cm_pass(channel, RDMA_CM_EVENT_ADDR_RESOLVED);
	D_MUST(rdma_resolve_route(id, 10000));
	d_cm_pass(channel, RDMA_CM_EVENT_ROUTE_RESOLVED);
	return id;
}

struct rdma_conn_param d_cm_parameters(void)
{
	return (struct rdma_conn_param){
		.responder_resources = 4,
		.initiator_depth = 4,
		.retry_count = 7,
		.rnr_retry_count = 7,
	};
}
