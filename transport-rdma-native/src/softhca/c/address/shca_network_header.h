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
 * The 40 bytes in front of a received datagram, as RoCE v2 has them: the IP header of its packet.
 *
 *	between IPv6 addresses					between IPv4 addresses
 *	 0  version 6, traffic class, flow label   4		 0  zeros				  20
 *	 4  length behind the header               2		20  version 4, 5 words			   1
 *	 6  17, UDP                                1		21  traffic class			   1
 *	 7  hop limit                              1		22  length of the packet		   2
 *	 8  source                                16		24  no fragments			   4
 *	24  destination                           16		28  hop limit				   1
 *								29  17, UDP				   1
 *								30  checksum of these 20 bytes		   2
 *								32  source				   4
 *								36  destination				   4
 */
#ifndef SHCA_NETWORK_HEADER_H
#define SHCA_NETWORK_HEADER_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#define SHCA_NETWORK_HEADER	40u

struct shca_network_header {
	union ibv_gid source;		/* an IPv4 address as a mapped one */
	union ibv_gid destination;
	uint32_t flow_label;		/* 20 bits; 0 with IPv4 */
	uint8_t traffic_class;
	uint8_t hop_limit;
	uint16_t length;		/* of what is behind it: UDP's header, InfiniBand's, the data */
};

void shca_network_header_write(const struct shca_network_header *header, uint8_t to[SHCA_NETWORK_HEADER]);
/* Returns false if it is neither, and leaves header as it is. */
bool shca_network_header_read(const uint8_t from[SHCA_NETWORK_HEADER], struct shca_network_header *header);

#endif
