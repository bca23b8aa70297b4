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

/* The addresses of connection management. */
#ifndef SHCA_CM_ADDRESS_H
#define SHCA_CM_ADDRESS_H

#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

union shca_cm_address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

/* Returns 0 for an unknown family. */
socklen_t shca_cm_address_length(const struct sockaddr *address);
/* Returns false for an unknown family. */
bool shca_cm_address_from(union shca_cm_address *to, const struct sockaddr *from);
bool shca_cm_address_is_wildcard(const union shca_cm_address *address);
__be16 shca_cm_address_port(const union shca_cm_address *address);
void shca_cm_address_set_port(union shca_cm_address *address, __be16 port);
/* Writes "127.0.0.1:80" or "[::1]:80". */
#define SHCA_CM_ADDRESS_TEXT	(INET6_ADDRSTRLEN + sizeof("[]:65535"))
void shca_cm_address_write(const union shca_cm_address *address, char text[SHCA_CM_ADDRESS_TEXT]);
/* Whether it is an address of this machine without an entry in the table of GIDs. What to say of it: */
bool shca_cm_address_is_left_out(const union shca_cm_address *address);
#define SHCA_CM_LEFT_OUT	"an address of this machine that has no GID, because the table is full. ibv_devinfo " \
				"-v shows those that have one"
/*
 * Finds the GID of an address, and returns its index. The addresses of 127.0.0.0/8 share that of 127.0.0.1. -1: not an
 * address of this machine, or its interface is down.
 */
int shca_cm_address_gid(const union shca_cm_address *address, union ibv_gid *gid);
/* Returns 0; -EINVAL for a link-local address without scope; -EADDRNOTAVAIL for one that is not this machine's. */
int shca_cm_address_check_local(const union shca_cm_address *address);
/*
 * Under shca_cm_lock. The kernel's choice of a source for a destination, without port. Returns 0, -ENETUNREACH,
 * -EHOSTUNREACH, ...
 */
int shca_cm_address_choose_source(const union shca_cm_address *destination, union shca_cm_address *source);

#endif
