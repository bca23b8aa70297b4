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

/* The ports of rdma_cm: per port space and address, separate from those of TCP and UDP. */
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
	uint32_t id;		/* the owner's number for it, returned by shca_port_find_listener */
};

/*
 * Binds address, AF_INET or AF_INET6. For port 0 it chooses one of the ephemeral range and writes it into address. A
 * wildcard conflicts with every address of its port, an IPv6 wildcard also with IPv4's unless v6only. Bound sockets may
 * share a port if both have reuse. Returns 0 or -errno: EADDRINUSE; EADDRNOTAVAIL when no ephemeral port is
 * left, or no record, with a reason. The caller checks that the address belongs to this machine.
 */
int shca_port_bind(int port_space, struct sockaddr *address, bool reuse, bool v6only, uint32_t id,
		   uint32_t *record);
/* Returns 0, or -EADDRINUSE when another owner is bound to an address that this listener would cover. */
int shca_port_listen(uint32_t record);
void shca_port_release(uint32_t record);
/* Finds the listener for a request to this address: an exact address precedes a wildcard. Returns 0 or -ENOENT. */
int shca_port_find_listener(int port_space, const struct sockaddr *address, struct shca_port_owner *owner);
/*
 * Whether this process listens on the port, in any port space and on any address, and has begun to listen at least that
 * many times, on any port.
 */
bool shca_port_has_listener(uint16_t port, unsigned long times);

#endif
