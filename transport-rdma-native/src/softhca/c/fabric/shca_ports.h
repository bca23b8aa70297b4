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
 * Ports, as rdma_cm has them: per port space and address, apart from those of TCP and UDP.
 */
#ifndef SHCA_PORTS_H
#define SHCA_PORTS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

enum shca_port_state {
	SHCA_PORT_BOUND,
	SHCA_PORT_LISTENING,
};

struct shca_port_owner {
	uint32_t slot;
	uint32_t id;		/* the owner's number for it, given back by shca_port_find_listener */
};

/*
 * Binds address (port 0: one of the ephemeral range, written back into it). Addresses are AF_INET or
 * AF_INET6; a wildcard conflicts with every address of its port, an IPv6 wildcard also with IPv4's unless
 * v6only. With reuse on both sides bound sockets may share a port. Returns 0 or -errno
 * (EADDRINUSE; EADDRNOTAVAIL when no ephemeral port is left; ENOSPC when the table is full).
 * Checking that the address is one of this machine's is the caller's part.
 */
int shca_port_bind(int port_space, struct sockaddr *address, bool reuse, bool v6only, uint32_t id,
		   uint32_t *record);
/* 0, or -EADDRINUSE when somebody else is bound to what this listener would cover. */
int shca_port_listen(uint32_t record);
void shca_port_release(uint32_t record);
/* The listener that a request to this address reaches, exact address before wildcard. 0 or -ENOENT. */
int shca_port_find_listener(int port_space, const struct sockaddr *address, struct shca_port_owner *owner);
/*
 * Whether this process listens on a port, whatever the port space and the address, and has begun to listen, on
 * whatever port, that many times.
 */
bool shca_port_has_listener(uint16_t port, unsigned long times);

#endif
