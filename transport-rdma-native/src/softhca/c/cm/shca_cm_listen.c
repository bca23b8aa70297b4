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

/* From an address to a request: binding, resolving, listening, and handling an incoming request. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/shca_export.h"
#include "base/shca_say.h"
#include "cm/shca_cm_kernel.h"
#include "cm/shca_cm_library.h"
#include "device/shca_device.h"
#include "fault/shca_fault.h"
#include "registry/shca_ports.h"

/* The old net.core.somaxconn, as for listen(2). rdma_ucm uses it when a program asks for none or for too many. */
#define MAX_BACKLOG	1024
/* The time that the kernel assumes for a path on Ethernet: 4.096 us * 2^16 = 0.27 s one way. */
#define ETHERNET_LIFE_TIME	16

/* ---- binding ---- */

static bool is_v6only(void)
{
	FILE *file = fopen("/proc/sys/net/ipv6/bindv6only", "re");
	int value = 0;

	if (file) {
		if (fscanf(file, "%d", &value) != 1)
			value = 0;
		fclose(file);
	}
	return value != 0;
}

/*
 * The kernel reports a conflict of wildcards as EADDRNOTAVAIL, and one of equal addresses as EADDRINUSE. An address
 * that conflicts with the wildcard of another id is EADDRINUSE here, because the table of ports does not say what it
 * conflicts with.
 */
static int conflict(const union shca_cm_address *address)
{
	return shca_cm_address_is_wildcard(address) ? -EADDRNOTAVAIL : -EADDRINUSE;
}

static int take_port(struct shca_cm_id *id, union shca_cm_address *address)
{
	bool v6only = id->afonly || (address->any.sa_family == AF_INET6 && is_v6only());
	int result = shca_port_bind((int)id->id.ps, &address->any, id->reuse, v6only, id->number, &id->port_record);

	if (result == -EADDRINUSE)
		return conflict(address);
	id->has_port = !result;
	return result;
}

int shca_cm_bind(struct shca_cm_id *id, const union shca_cm_address *wanted)
{
	union shca_cm_address address = *wanted;
	bool wildcard = shca_cm_address_is_wildcard(&address);
	int result = 0;

	if (id->state != SHCA_CM_IDLE)
		return -EINVAL;
	/* Of an earlier call, perhaps; other failures with this number have no reason. */
	shca_reason(EADDRNOTAVAIL);
	if (!wildcard)
		result = shca_cm_address_check_local(&address);
	if (!result && !wildcard && shca_device_is_removed())
		result = -ENODEV;
	if (!result)
		result = take_port(id, &address);
	if (result)
		return result;
	id->local = address;
	id->has_device = !wildcard;
	id->state = SHCA_CM_BOUND;
	return 0;
}

/* Opens the device first, without the lock: only then is this process in the fabric. */
SHCA_EXPORT int rdma_bind_addr(struct rdma_cm_id *rdma, struct sockaddr *sockaddr)
{
	struct shca_cm_id *id = to_shca_cm_id(rdma);
	union shca_cm_address address;
	int result;

	if (!shca_cm_address_from(&address, sockaddr))
		return shca_cm_result(-EINVAL);
	result = shca_cm_device_open();
	if (result)
		return shca_cm_result(result);
	pthread_mutex_lock(&shca_cm_lock);
	result = shca_cm_bind(id, &address);
	pthread_mutex_unlock(&shca_cm_lock);
	return shca_cm_result(result ? result : shca_cm_id_publish(id));
}

/* ---- resolving ---- */

static void wildcard_of(const union shca_cm_address *like, union shca_cm_address *wildcard)
{
	memset(wildcard, 0, sizeof(*wildcard));
	wildcard->any.sa_family = like->any.sa_family;
}

/* A program that connects to "any" means this machine. */
static void wildcard_to_loopback(union shca_cm_address *address)
{
	if (!shca_cm_address_is_wildcard(address))
		return;
	if (address->any.sa_family == AF_INET)
		address->in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		address->in6.sin6_addr = in6addr_loopback;
}

/* Whether the device reaches the destination, from the bound address or the one that the kernel would choose. */
static int choose_source(struct shca_cm_id *id, const union shca_cm_address *destination, union shca_cm_address *source)
{
	union ibv_gid gid;
	int result = 0;

	if (destination->any.sa_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&destination->in6.sin6_addr) &&
	    !destination->in6.sin6_scope_id)
		return -EINVAL;
	*source = id->local;
	if (shca_cm_address_is_wildcard(&id->local))
		result = shca_cm_address_choose_source(destination, source);
	if (result)
		return result;
	shca_cm_address_set_port(source, shca_cm_address_port(&id->local));
	return shca_cm_address_gid(destination, &gid) < 0 ? -EINPROGRESS : 0;
}

static void resolved(struct shca_cm_id *id, const union shca_cm_address *source)
{
	union ibv_gid gid;

	if (shca_device_is_removed() || shca_cm_address_gid(source, &gid) < 0) {
		id->state = SHCA_CM_BOUND;
		shca_cm_raise(id, RDMA_CM_EVENT_ADDR_ERROR, -ENODEV);
		return;
	}
	id->local = *source;
	id->has_device = true;
	id->state = SHCA_CM_RESOLVED;
	shca_cm_raise(id, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
}

static void report_out_of_reach(const union shca_cm_address *destination)
{
	static _Atomic uint64_t count;
	char text[SHCA_CM_ADDRESS_TEXT];

	shca_cm_address_write(destination, text);
	if (shca_cm_address_is_left_out(destination))
		shca_say_seldom(&count, "%s: " SHCA_CM_LEFT_OUT, text);
	else
		shca_say_seldom(&count, "%s is not on this machine, or in another network namespace: a software device "
				"cannot reach it", text);
}

/* The address is of another machine, where no time to wait helps. */
static void out_of_reach(struct shca_cm_id *id)
{
	report_out_of_reach(&id->remote);
	id->state = SHCA_CM_BOUND;
	shca_cm_raise(id, RDMA_CM_EVENT_ADDR_ERROR, -EHOSTUNREACH);
}

int shca_cm_resolve(struct shca_cm_id *id, const union shca_cm_address *source,
		    const union shca_cm_address *destination, int timeout_ms)
{
	union shca_cm_address from;
	int result = 0;

	wildcard_of(destination, &from);
	if (source)
		from = *source;
	if (id->state != SHCA_CM_BOUND)
		result = shca_cm_bind(id, &from);
	if (result)
		return result;
	if (id->local.any.sa_family != destination->any.sa_family)
		return -EINVAL;
	id->remote = *destination;
	wildcard_to_loopback(&id->remote);
	result = choose_source(id, &id->remote, &from);
	if (result && result != -EINPROGRESS)
		return result;
	id->state = SHCA_CM_RESOLVING;
	if (!result)
		resolved(id, &from);
	else if (shca_faults_are_active() && shca_fault_silent_host())
		shca_cm_set_deadline(id, timeout_ms > 0 ? timeout_ms : 0);
	else
		out_of_reach(id);
	return 0;
}

SHCA_EXPORT int rdma_resolve_addr(struct rdma_cm_id *rdma, struct sockaddr *source, struct sockaddr *destination,
				  int timeout_ms)
{
	struct shca_cm_id *id = to_shca_cm_id(rdma);
	union shca_cm_address from;
	union shca_cm_address to;
	int result;

	/* Copied first: it may point into the id. */
	if (!shca_cm_address_from(&to, destination) || (source && !shca_cm_address_from(&from, source)))
		return shca_cm_result(-EINVAL);
	result = shca_cm_device_open();
	if (result)
		return shca_cm_result(result);
	memcpy(&rdma->route.addr.dst_storage, &to, shca_cm_address_length(&to.any));
	pthread_mutex_lock(&shca_cm_lock);
	result = shca_cm_resolve(id, source ? &from : NULL, &to, timeout_ms);
	pthread_mutex_unlock(&shca_cm_lock);
	return result ? shca_cm_result(result) : shca_cm_complete(id);
}

SHCA_EXPORT int rdma_resolve_route(struct rdma_cm_id *rdma, int timeout_ms)
{
	struct shca_cm_id *id = to_shca_cm_id(rdma);
	int result = 0;

	pthread_mutex_lock(&shca_cm_lock);
	if (!rdma->verbs || timeout_ms <= 0 || id->state != SHCA_CM_RESOLVED)
		result = -EINVAL;
	if (!result) {
		/*
		 * The kernel fixes it here: a timeout set later applies to our side only, and the peer gets this one.
		 */
		id->packet_life_time = id->timeout_set && id->timeout ? (uint8_t)(id->timeout - 1) : ETHERNET_LIFE_TIME;
		id->state = SHCA_CM_ROUTED;
		shca_cm_raise(id, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
	}
	pthread_mutex_unlock(&shca_cm_lock);
	return result ? shca_cm_result(result) : shca_cm_complete(id);
}

/* ---- listening ---- */

int shca_cm_listen(struct shca_cm_id *id, int backlog)
{
	union shca_cm_address any = { .in = { .sin_family = AF_INET } };
	int result = 0;

	if (id->state == SHCA_CM_IDLE)
		result = shca_cm_bind(id, &any);
	if (!result && id->state != SHCA_CM_BOUND)
		result = -EINVAL;
	if (result)
		return result;
	/* With siw TCP listens at the port, which rdma_cm chose without asking it. The id stays bound. */
	if (shca_faults_are_active() && shca_cm_is_iwarp() && !shca_cm_is_datagram(id) && shca_fault_port())
		return -EADDRINUSE;
	result = shca_port_listen(id->port_record);
	if (result == -EADDRINUSE)
		result = conflict(&id->local);
	if (result)
		return result;
	atomic_store(&id->backlog, backlog <= 0 || backlog > MAX_BACKLOG ? MAX_BACKLOG : backlog);
	id->state = SHCA_CM_LISTENING;
	return 0;
}

SHCA_EXPORT int rdma_listen(struct rdma_cm_id *rdma, int backlog)
{
	struct shca_cm_id *id = to_shca_cm_id(rdma);
	int result = shca_cm_device_open();

	if (result)
		return shca_cm_result(result);
	pthread_mutex_lock(&shca_cm_lock);
	result = shca_cm_listen(id, backlog);
	pthread_mutex_unlock(&shca_cm_lock);
	return shca_cm_result(result ? result : shca_cm_id_publish(id));
}

/* ---- incoming requests ---- */

static bool is_sane(const struct shca_cm_id *listener, const struct shca_cm_message *request)
{
	bool datagram = request->type == SHCA_CM_SIDR_REQ;

	return request->port_space == (uint16_t)listener->id.ps && datagram == shca_cm_is_datagram(listener) &&
	       request->source.any.sa_family && request->source.any.sa_family == request->destination.any.sa_family &&
	       request->data_size <= (datagram ? SHCA_CM_SIDR_REQ_DATA : SHCA_CM_REQ_DATA);
}

static struct shca_cm_id *new_child(const struct shca_cm_id *listener, struct shca_process *process,
				    const struct shca_cm_message *request)
{
	struct shca_cm_id *child = shca_cm_id_new(listener->id.ps, listener->id.qp_type);

	if (!child)
		return NULL;
	child->id.channel = listener->id.channel;
	child->id.context = listener->id.context;
	child->is_silent = true;
	child->has_device = true;
	child->state = SHCA_CM_REQUESTED;
	child->local = request->destination;
	child->remote = request->source;
	child->process = process;
	child->remote_qpn = request->qpn;
	child->sq_psn = request->psn;
	/* We may request what the peer serves, and vice versa. */
	child->initiator_depth = request->responder_resources;
	child->responder_resources = request->initiator_depth;
	child->cm_initiator_depth = child->initiator_depth;
	child->cm_responder_resources = child->responder_resources;
	child->retry_count = request->retry_count;
	child->rnr_retry_count = request->rnr_retry_count;
	child->traffic_class = request->tos;
	child->packet_life_time = (uint8_t)(request->ack_timeout ? request->ack_timeout - 1 : 0);
	shca_cm_id_insert(child);
	shca_cm_id_set_peer(child, request->from);
	return child;
}

static void fill_request(struct rdma_cm_event *event, const struct shca_cm_message *request)
{
	if (request->type == SHCA_CM_SIDR_REQ)
		return;
	event->param.conn.responder_resources = request->initiator_depth;
	event->param.conn.initiator_depth = request->responder_resources;
	event->param.conn.flow_control = request->flow_control;
	event->param.conn.retry_count = request->retry_count;
	event->param.conn.rnr_retry_count = request->rnr_retry_count;
	event->param.conn.srq = request->srq;
	event->param.conn.qp_num = request->qpn;
}

/* Without room or memory the request is dropped without an answer: the peer repeats it, and may succeed then. */
static void add_request(struct shca_cm_id *listener, struct shca_process *process,
			const struct shca_cm_message *request)
{
	struct shca_cm_event *event;
	struct shca_cm_id *child;

	if (atomic_load(&listener->backlog) <= 0)
		return;
	child = new_child(listener, process, request);
	if (!child)
		return;
	event = shca_cm_event_new(listener, RDMA_CM_EVENT_CONNECT_REQUEST, 0, request,
				  request->type == SHCA_CM_SIDR_REQ ? SHCA_CM_SIDR_REQ_DATA : SHCA_CM_REQ_DATA);
	if (!event) {
		child->process = NULL;
		shca_cm_id_discard(child);
		return;
	}
	atomic_fetch_sub(&listener->backlog, 1);
	event->event.id = &child->id;
	event->event.listen_id = &listener->id;
	fill_request(&event->event, request);
	shca_cm_event_put(event);
}

void shca_cm_requested(struct shca_process *process, const struct shca_cm_message *request)
{
	struct shca_cm_id *listener = shca_cm_id_find(request->to);

	if (listener && listener->state == SHCA_CM_LISTENING && is_sane(listener, request) &&
	    !shca_device_is_removed())
		add_request(listener, process, request);
	else if (request->type == SHCA_CM_SIDR_REQ)
		shca_cm_answer(process, request, SHCA_CM_SIDR_REP, SHCA_CM_SIDR_NO_SERVICE);
	else
		shca_cm_answer(process, request, SHCA_CM_REJ, SHCA_CM_REASON_NO_SERVICE);
}
