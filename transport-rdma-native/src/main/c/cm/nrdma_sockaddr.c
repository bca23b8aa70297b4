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

#include "cm/nrdma_sockaddr.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#define FAMILY_IPV4 4
#define FAMILY_IPV6 6

int nrdma_sockaddr_to_os(const struct nrdma_sockaddr *from, struct sockaddr_storage *to)
{
	struct sockaddr_in *in = (struct sockaddr_in *)to;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)to;

	memset(to, 0, sizeof(*to));
	switch (from->family) {
	case FAMILY_IPV4:
		in->sin_family = AF_INET;
		in->sin_port = htons(from->port);
		memcpy(&in->sin_addr, from->addr, sizeof(in->sin_addr));
		return 0;
	case FAMILY_IPV6:
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(from->port);
		in6->sin6_scope_id = from->scope_id;
		memcpy(&in6->sin6_addr, from->addr, sizeof(in6->sin6_addr));
		return 0;
	default:
		return -EAFNOSUPPORT;
	}
}

void nrdma_sockaddr_from_os(const struct sockaddr *from, struct nrdma_sockaddr *to)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)from;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)from;

	memset(to, 0, sizeof(*to));
	switch (from->sa_family) {
	case AF_INET:
		to->family = FAMILY_IPV4;
		to->port = ntohs(in->sin_port);
		memcpy(to->addr, &in->sin_addr, sizeof(in->sin_addr));
		break;
	case AF_INET6:
		to->family = FAMILY_IPV6;
		to->port = ntohs(in6->sin6_port);
		to->scope_id = in6->sin6_scope_id;
		memcpy(to->addr, &in6->sin6_addr, sizeof(in6->sin6_addr));
		break;
	}
}
