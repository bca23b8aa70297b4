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
 * The addresses of the device: all of this machine's, including loopback addresses, which no real RoCE device accepts.
 * Addresses of other machines are out of reach: a software device connects processes of one host.
 */
#include "cm/shca_cm_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/shca_clock.h"
#include "base/shca_export.h"
#include "base/shca_say.h"
#include "device/shca_gid.h"
#include "personality/shca_personality.h"

/* Used to ask the kernel for a route; any port but 0 will do, because nothing is sent. */
#define SOME_PORT	4791
/* Maximum age of a route, as of the table of GIDs. */
#define ROUTE_NS	100000000u

socklen_t shca_cm_address_length(const struct sockaddr *address)
{
	if (!address)
		return 0;
	switch (address->sa_family) {
	case AF_INET:
		return sizeof(struct sockaddr_in);
	case AF_INET6:
		return sizeof(struct sockaddr_in6);
	default:
		return 0;
	}
}

bool shca_cm_address_from(union shca_cm_address *to, const struct sockaddr *from)
{
	socklen_t length = shca_cm_address_length(from);

	memset(to, 0, sizeof(*to));
	if (length)
		memcpy(to, from, length);
	return length != 0;
}

bool shca_cm_address_is_wildcard(const union shca_cm_address *address)
{
	if (address->any.sa_family == AF_INET)
		return address->in.sin_addr.s_addr == htonl(INADDR_ANY);
	return IN6_IS_ADDR_UNSPECIFIED(&address->in6.sin6_addr);
}

__be16 shca_cm_address_port(const union shca_cm_address *address)
{
	switch (address->any.sa_family) {
	case AF_INET:
		return address->in.sin_port;
	case AF_INET6:
		return address->in6.sin6_port;
	default:
		return 0;
	}
}

void shca_cm_address_set_port(union shca_cm_address *address, __be16 port)
{
	if (address->any.sa_family == AF_INET)
		address->in.sin_port = port;
	else
		address->in6.sin6_port = port;
}

void shca_cm_address_write(const union shca_cm_address *address, char text[SHCA_CM_ADDRESS_TEXT])
{
	bool is_wide = address->any.sa_family == AF_INET6;
	const void *bytes = is_wide ? (const void *)&address->in6.sin6_addr : (const void *)&address->in.sin_addr;
	char number[INET6_ADDRSTRLEN] = "?";

	inet_ntop(address->any.sa_family, bytes, number, sizeof(number));
	snprintf(text, SHCA_CM_ADDRESS_TEXT, is_wide ? "[%s]:%u" : "%s:%u", number,
		 ntohs(shca_cm_address_port(address)));
}

static uint32_t scope_of(const union shca_cm_address *address)
{
	return address->any.sa_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&address->in6.sin6_addr) ?
	       address->in6.sin6_scope_id : 0;
}

static void to_gid(const union shca_cm_address *address, union ibv_gid *gid)
{
	memset(gid, 0, sizeof(*gid));
	if (address->any.sa_family == AF_INET) {
		gid->raw[10] = 0xff;
		gid->raw[11] = 0xff;
		memcpy(&gid->raw[12], &address->in.sin_addr, 4);
	} else {
		memcpy(gid->raw, &address->in6.sin6_addr, 16);
	}
}

/* For the kernel all of 127.0.0.0/8 is this machine, while the loopback interface lists 127.0.0.1 alone. */
static bool is_loopback_net(const union ibv_gid *gid)
{
	static const uint8_t net[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, IN_LOOPBACKNET };

	return !memcmp(gid->raw, net, sizeof(net));
}

int shca_cm_address_gid(const union shca_cm_address *address, union ibv_gid *gid)
{
	const union shca_cm_address first = { .in = { .sin_family = AF_INET,
						      .sin_addr.s_addr = htonl(INADDR_LOOPBACK) } };
	int index;

	to_gid(address, gid);
	index = shca_gid_find(gid, scope_of(address));
	if (index < 0 && is_loopback_net(gid)) {
		to_gid(&first, gid);
		index = shca_gid_find(gid, 0);
	}
	return index;
}

bool shca_cm_address_is_left_out(const union shca_cm_address *address)
{
	union ibv_gid gid;

	to_gid(address, &gid);
	return shca_gid_is_left_out(&gid);
}

/* The address of a bind, or of a source. */
static int report_no_such_address(const union shca_cm_address *address)
{
	static _Atomic uint64_t count;
	char text[SHCA_CM_ADDRESS_TEXT];

	if (!shca_cm_address_is_left_out(address))
		return -EADDRNOTAVAIL;
	shca_cm_address_write(address, text);
	return shca_fail_seldom(&count, EADDRNOTAVAIL, "%s: " SHCA_CM_LEFT_OUT, text);
}

int shca_cm_address_check_local(const union shca_cm_address *address)
{
	union ibv_gid gid;

	if (address->any.sa_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&address->in6.sin6_addr) &&
	    !address->in6.sin6_scope_id)
		return -EINVAL;
	/* EFA has no addresses that rdma_cm could know. */
	if (!shca_personality()->connected)
		return -ENODEV;
	if (shca_cm_address_gid(address, &gid) >= 0)
		return 0;
	return shca_gid_failure() ? -shca_gid_failure() : report_no_such_address(address);
}

/* ---- routes ---- */

static int ask_kernel(const union shca_cm_address *to, union shca_cm_address *source)
{
	union shca_cm_address target = *to;
	socklen_t length = shca_cm_address_length(&to->any);
	int fd = socket(to->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int result = 0;

	if (fd < 0)
		return -errno;
	shca_cm_address_set_port(&target, htons(SOME_PORT));
	memset(source, 0, sizeof(*source));
	if (connect(fd, &target.any, length))
		result = -errno;
	else if (getsockname(fd, &source->any, &length))
		result = -errno;
	close(fd);
	shca_cm_address_set_port(source, 0);
	return result;
}

/*
 * The kernel's last answer, under shca_cm_lock. A program connects to one server many times; a socket for each was 7 %
 * of a client's time. An adapter's kernel looks the route up each time, but remembers the neighbour for seconds.
 */
static struct {
	union shca_cm_address to;
	union shca_cm_address source;
	uint64_t learned_at;
} route;

static bool is_known(const union shca_cm_address *to)
{
	return route.learned_at && shca_now() - route.learned_at < ROUTE_NS && !memcmp(&route.to, to, sizeof(*to));
}

int shca_cm_address_choose_source(const union shca_cm_address *destination, union shca_cm_address *source)
{
	union shca_cm_address to = *destination;
	int result = 0;

	shca_cm_address_set_port(&to, 0);
	if (!is_known(&to)) {
		result = ask_kernel(&to, &route.source);
		route.to = to;
		route.learned_at = result ? 0 : shca_now();
	}
	*source = route.source;
	return result;
}

/* ---- for applications ---- */

static __be16 port_of(const struct sockaddr *sockaddr)
{
	union shca_cm_address address;

	return shca_cm_address_from(&address, sockaddr) ? shca_cm_address_port(&address) : 0;
}

SHCA_EXPORT __be16 rdma_get_src_port(struct rdma_cm_id *id)
{
	return port_of(&id->route.addr.src_addr);
}

SHCA_EXPORT __be16 rdma_get_dst_port(struct rdma_cm_id *id)
{
	return port_of(&id->route.addr.dst_addr);
}
