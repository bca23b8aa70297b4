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

/* The synchronous interface: name resolution, and ids that are created ready to connect or to listen. */
#include <errno.h>
#include <netdb.h>
#include <rdma/rdma_verbs.h>
#include <stdlib.h>
#include <string.h>

#include "base/shca_export.h"
#include "cm/shca_cm_library.h"

#define RESOLVE_MS	2000

/* ---- rdma_getaddrinfo ---- */

static int socket_type(int qp_type)
{
	return qp_type == IBV_QPT_UD ? SOCK_DGRAM : qp_type ? SOCK_STREAM : 0;
}

static int protocol(const struct rdma_addrinfo *hints)
{
	switch (hints->ai_port_space) {
	case RDMA_PS_TCP:
		return IPPROTO_TCP;
	case RDMA_PS_UDP:
	case RDMA_PS_IPOIB:
		return IPPROTO_UDP;
	case RDMA_PS_IB:
		return hints->ai_qp_type == IBV_QPT_UD ? IPPROTO_UDP : hints->ai_qp_type ? IPPROTO_TCP : 0;
	default:
		return 0;
	}
}

static struct addrinfo to_hints(const struct rdma_addrinfo *hints)
{
	return (struct addrinfo){
		.ai_flags = (hints->ai_flags & RAI_PASSIVE ? AI_PASSIVE : 0) |
			    (hints->ai_flags & RAI_NUMERICHOST ? AI_NUMERICHOST : 0),
		.ai_family = hints->ai_family,
		.ai_socktype = socket_type(hints->ai_qp_type),
		.ai_protocol = protocol(hints),
	};
}

static int copy(struct sockaddr **to, socklen_t *to_length, const struct sockaddr *from, socklen_t length)
{
	*to = malloc(length);
	if (!*to)
		return shca_cm_result(-ENOMEM);
	memcpy(*to, from, length);
	*to_length = length;
	return 0;
}

static int from_addrinfo(const struct addrinfo *info, const struct rdma_addrinfo *hints, struct rdma_addrinfo *result)
{
	bool passive = info->ai_flags & AI_PASSIVE;
	char **name = passive ? &result->ai_src_canonname : &result->ai_dst_canonname;

	result->ai_qp_type = hints->ai_qp_type ? hints->ai_qp_type :
			     info->ai_socktype == SOCK_DGRAM ? IBV_QPT_UD : IBV_QPT_RC;
	result->ai_port_space = hints->ai_port_space ? hints->ai_port_space :
				info->ai_protocol == IPPROTO_UDP ? RDMA_PS_UDP : RDMA_PS_TCP;
	result->ai_flags = passive ? RAI_PASSIVE : 0;
	result->ai_family = info->ai_family;
	if (info->ai_canonname)
		*name = strdup(info->ai_canonname);
	if (passive)
		return copy(&result->ai_src_addr, &result->ai_src_len, info->ai_addr, info->ai_addrlen);
	return copy(&result->ai_dst_addr, &result->ai_dst_len, info->ai_addr, info->ai_addrlen);
}

static int look_up(const char *node, const char *service, const struct rdma_addrinfo *hints, bool has_hints,
		   struct rdma_addrinfo *result)
{
	struct addrinfo ai_hints = to_hints(hints);
	struct addrinfo *info;
	int error = getaddrinfo(node, service, has_hints ? &ai_hints : NULL, &info);

	/* A code of getaddrinfo, as librdmacm returns it. */
	if (error)
		return error;
	error = from_addrinfo(info, hints, result);
	freeaddrinfo(info);
	return error;
}

static int repeat_hints(const struct rdma_addrinfo *hints, struct rdma_addrinfo *result)
{
	result->ai_flags = hints->ai_flags;
	result->ai_family = hints->ai_family;
	result->ai_qp_type = hints->ai_qp_type;
	result->ai_port_space = hints->ai_port_space;
	return hints->ai_dst_len ?
	       copy(&result->ai_dst_addr, &result->ai_dst_len, hints->ai_dst_addr, hints->ai_dst_len) : 0;
}

SHCA_EXPORT int rdma_getaddrinfo(const char *node, const char *service, const struct rdma_addrinfo *hints,
				 struct rdma_addrinfo **result)
{
	static const struct rdma_addrinfo none;
	const struct rdma_addrinfo *wanted = hints ? hints : &none;
	struct rdma_addrinfo *info;
	int error;

	if (!service && !node && !hints)
		return shca_cm_result(-EINVAL);
	info = calloc(1, sizeof(*info));
	if (!info)
		return shca_cm_result(-ENOMEM);
	error = node || service ? look_up(node, service, wanted, hints != NULL, info) : repeat_hints(wanted, info);
	if (!error && !info->ai_src_len && wanted->ai_src_len)
		error = copy(&info->ai_src_addr, &info->ai_src_len, wanted->ai_src_addr, wanted->ai_src_len);
	if (error)
		rdma_freeaddrinfo(info);
	else
		*result = info;
	return error;
}

SHCA_EXPORT void rdma_freeaddrinfo(struct rdma_addrinfo *info)
{
	while (info) {
		struct rdma_addrinfo *next = info->ai_next;

		free(info->ai_connect);
		free(info->ai_route);
		free(info->ai_src_canonname);
		free(info->ai_dst_canonname);
		free(info->ai_src_addr);
		free(info->ai_dst_addr);
		free(info);
		info = next;
	}
}

/* ---- endpoints ---- */

static int listen_endpoint(struct shca_cm_id *id, struct rdma_addrinfo *info, struct ibv_pd *pd,
			   const struct ibv_qp_init_attr *attr)
{
	if (rdma_bind_addr(&id->id, info->ai_src_addr))
		return -1;
	if (pd)
		id->id.pd = pd;
	if (!attr)
		return 0;
	id->qp_init_attr = malloc(sizeof(*attr));
	if (!id->qp_init_attr)
		return shca_cm_result(-ENOMEM);
	*id->qp_init_attr = *attr;
	id->qp_init_attr->qp_type = info->ai_qp_type;
	return 0;
}

static int resolve_endpoint(struct shca_cm_id *id, struct rdma_addrinfo *info, struct ibv_pd *pd,
			    struct ibv_qp_init_attr *attr)
{
	if (rdma_resolve_addr(&id->id, info->ai_src_addr, info->ai_dst_addr, RESOLVE_MS) ||
	    rdma_resolve_route(&id->id, RESOLVE_MS))
		return -1;
	if (attr) {
		attr->qp_type = info->ai_qp_type;
		if (rdma_create_qp(&id->id, pd, attr))
			return -1;
	}
	if (!info->ai_connect_len)
		return 0;
	id->connect_data = malloc(info->ai_connect_len);
	if (!id->connect_data)
		return shca_cm_result(-ENOMEM);
	memcpy(id->connect_data, info->ai_connect, info->ai_connect_len);
	id->connect_size = info->ai_connect_len;
	return 0;
}

SHCA_EXPORT int rdma_create_ep(struct rdma_cm_id **result, struct rdma_addrinfo *info, struct ibv_pd *pd,
			       struct ibv_qp_init_attr *attr)
{
	struct rdma_cm_id *id;
	int failed;
	int error;

	if (shca_cm_id_create(NULL, &id, NULL, (enum rdma_port_space)info->ai_port_space,
			      (enum ibv_qp_type)info->ai_qp_type))
		return -1;
	failed = info->ai_flags & RAI_PASSIVE ? listen_endpoint(to_shca_cm_id(id), info, pd, attr) :
						resolve_endpoint(to_shca_cm_id(id), info, pd, attr);
	if (!failed) {
		*result = id;
		return 0;
	}
	error = errno;
	rdma_destroy_ep(id);
	errno = error;
	return -1;
}

SHCA_EXPORT void rdma_destroy_ep(struct rdma_cm_id *id)
{
	if (id->qp)
		rdma_destroy_qp(id);
	if (id->srq)
		rdma_destroy_srq(id);
	free(to_shca_cm_id(id)->qp_init_attr);
	rdma_destroy_id(id);
}

static int check_request(const struct rdma_cm_event *event)
{
	if (event->event == RDMA_CM_EVENT_REJECTED)
		return -ECONNREFUSED;
	if (event->status)
		return event->status < 0 ? event->status : -event->status;
	return event->event == RDMA_CM_EVENT_CONNECT_REQUEST ? 0 : -EINVAL;
}

SHCA_EXPORT int rdma_get_request(struct rdma_cm_id *listener, struct rdma_cm_id **id)
{
	struct shca_cm_id *private = to_shca_cm_id(listener);
	struct rdma_cm_event *event;
	int result;

	if (!private->sync)
		return shca_cm_result(-EINVAL);
	if (listener->event)
		rdma_ack_cm_event(listener->event);
	listener->event = NULL;
	if (rdma_get_cm_event(listener->channel, &event))
		return -1;
	result = shca_cm_result(check_request(event));
	if (!result && private->qp_init_attr) {
		struct ibv_qp_init_attr attr = *private->qp_init_attr;

		result = rdma_create_qp(event->id, listener->pd, &attr);
	}
	if (result) {
		listener->event = event;
		return result;
	}
	*id = event->id;
	(*id)->event = event;
	return 0;
}
