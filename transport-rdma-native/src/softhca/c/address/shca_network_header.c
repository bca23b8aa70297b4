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

#include "address/shca_network_header.h"

#include <arpa/inet.h>
#include <assert.h>
#include <netinet/ip.h>
#include <string.h>

#define IP4_AT		20u
#define IP4_WORDS	5u
#define IP6_VERSION	6u
#define FLOW_LABEL_BITS	20
#define FLOW_LABEL	((1u << FLOW_LABEL_BITS) - 1)

static_assert(sizeof(struct ibv_grh) == SHCA_NETWORK_HEADER, "as receivers expect it");
static_assert(sizeof(struct iphdr) == SHCA_NETWORK_HEADER - IP4_AT, "its second half");

/* In front of an IPv4 address that is written as an IPv6 one. */
static const uint8_t prefix[12] = { [10] = 0xff, [11] = 0xff };

static bool is_mapped(const union ibv_gid *gid)
{
	return !memcmp(gid->raw, prefix, sizeof(prefix));
}

static void map(uint32_t address, union ibv_gid *gid)
{
	memcpy(gid->raw, prefix, sizeof(prefix));
	memcpy(&gid->raw[sizeof(prefix)], &address, sizeof(address));
}

/* Over a header whose checksum is 0 the result is its checksum, over a complete one it is 0. */
static uint16_t checksum(const struct iphdr *header)
{
	uint16_t words[sizeof(*header) / sizeof(uint16_t)];
	uint32_t sum = 0;

	memcpy(words, header, sizeof(words));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		sum += words[i];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static void write_ip4(const struct shca_network_header *header, uint8_t *to)
{
	struct iphdr ip = {
		.version = IPVERSION,
		.ihl = IP4_WORDS,
		.tos = header->traffic_class,
		.tot_len = htons((uint16_t)(header->length + sizeof(ip))),
		.frag_off = htons(IP_DF),
		.ttl = header->hop_limit,
		.protocol = IPPROTO_UDP,
	};

	memcpy(&ip.saddr, &header->source.raw[sizeof(prefix)], sizeof(ip.saddr));
	memcpy(&ip.daddr, &header->destination.raw[sizeof(prefix)], sizeof(ip.daddr));
	ip.check = checksum(&ip);
	memset(to, 0, IP4_AT);
	memcpy(to + IP4_AT, &ip, sizeof(ip));
}

static void write_ip6(const struct shca_network_header *header, uint8_t *to)
{
	struct ibv_grh grh = {
		.version_tclass_flow = htonl(IP6_VERSION << 28 | (uint32_t)header->traffic_class << FLOW_LABEL_BITS |
					     (header->flow_label & FLOW_LABEL)),
		.paylen = htons(header->length),
		.next_hdr = IPPROTO_UDP,
		.hop_limit = header->hop_limit,
		.sgid = header->source,
		.dgid = header->destination,
	};

	memcpy(to, &grh, sizeof(grh));
}

void shca_network_header_write(const struct shca_network_header *header, uint8_t to[SHCA_NETWORK_HEADER])
{
	if (is_mapped(&header->source) && is_mapped(&header->destination))
		write_ip4(header, to);
	else
		write_ip6(header, to);
}

static void read_ip4(const struct iphdr *ip, struct shca_network_header *header)
{
	*header = (struct shca_network_header){
		.traffic_class = ip->tos,
		.hop_limit = ip->ttl,
		.length = (uint16_t)(ntohs(ip->tot_len) - sizeof(*ip)),
	};
	map(ip->saddr, &header->source);
	map(ip->daddr, &header->destination);
}

static void read_ip6(const struct ibv_grh *grh, struct shca_network_header *header)
{
	uint32_t first = ntohl(grh->version_tclass_flow);

	*header = (struct shca_network_header){
		.source = grh->sgid,
		.destination = grh->dgid,
		.flow_label = first & FLOW_LABEL,
		.traffic_class = (uint8_t)(first >> FLOW_LABEL_BITS),
		.hop_limit = grh->hop_limit,
		.length = ntohs(grh->paylen),
	};
}

/* The bytes before an IPv4 header may be anything on other devices, but those of an IPv6 one have no such checksum. */
bool shca_network_header_read(const uint8_t from[SHCA_NETWORK_HEADER], struct shca_network_header *header)
{
	struct ibv_grh grh;
	struct iphdr ip;

	memcpy(&grh, from, sizeof(grh));
	memcpy(&ip, from + IP4_AT, sizeof(ip));
	if (ip.version == IPVERSION && ip.ihl == IP4_WORDS && !checksum(&ip))
		read_ip4(&ip, header);
	else if (ntohl(grh.version_tclass_flow) >> 28 == IP6_VERSION)
		read_ip6(&grh, header);
	else
		return false;
	return true;
}
