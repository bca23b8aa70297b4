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

#include "cm/shca_cm_message.h"

#include <arpa/inet.h>
#include <string.h>

#define VERSION		1
#define IPV4		4
#define IPV6		6

enum {
	AT_VERSION = 2,
	AT_TYPE = 3,
	AT_FROM = 4,
	AT_TO = 8,
	AT_QPN = 12,
	AT_PSN = 16,
	AT_PORT_SPACE = 20,
	AT_STATUS = 22,
	AT_TOS = 23,
	AT_SERVES = 24,
	AT_WANTS = 25,
	AT_RETRY = 26,
	AT_RNR = 27,
	AT_FLOW = 28,
	AT_SRQ = 29,
	AT_ACK_TIMEOUT = 30,
	AT_SIZE = 31,
	AT_SOURCE = 32,
	AT_DESTINATION = 56,
	/* in an address */
	AT_PORT = 2,
	AT_SCOPE = 4,
	AT_ADDRESS = 8,
	ADDRESS_BYTES = 24,
};

_Static_assert(AT_DESTINATION == AT_SOURCE + ADDRESS_BYTES, "as drawn");
_Static_assert(SHCA_CM_HEADER == AT_DESTINATION + ADDRESS_BYTES, "as drawn");

static void put16(uint8_t *at, uint16_t value)
{
	value = htons(value);
	memcpy(at, &value, sizeof(value));
}

static void put32(uint8_t *at, uint32_t value)
{
	value = htonl(value);
	memcpy(at, &value, sizeof(value));
}

static uint16_t get16(const uint8_t *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return ntohs(value);
}

static uint32_t get32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return ntohl(value);
}

/* Ports have the same byte order in sockaddr and in the message. */
static void put_address(uint8_t *at, const union shca_cm_address *address)
{
	if (address->any.sa_family == AF_INET) {
		put16(at, IPV4);
		memcpy(at + AT_PORT, &address->in.sin_port, 2);
		memcpy(at + AT_ADDRESS, &address->in.sin_addr, 4);
	} else if (address->any.sa_family == AF_INET6) {
		put16(at, IPV6);
		memcpy(at + AT_PORT, &address->in6.sin6_port, 2);
		put32(at + AT_SCOPE, address->in6.sin6_scope_id);
		memcpy(at + AT_ADDRESS, &address->in6.sin6_addr, 16);
	}
}

static bool get_address(const uint8_t *at, union shca_cm_address *address)
{
	memset(address, 0, sizeof(*address));
	switch (get16(at)) {
	case 0:
		return true;
	case IPV4:
		address->in.sin_family = AF_INET;
		memcpy(&address->in.sin_port, at + AT_PORT, 2);
		memcpy(&address->in.sin_addr, at + AT_ADDRESS, 4);
		return true;
	case IPV6:
		address->in6.sin6_family = AF_INET6;
		memcpy(&address->in6.sin6_port, at + AT_PORT, 2);
		address->in6.sin6_scope_id = get32(at + AT_SCOPE);
		memcpy(&address->in6.sin6_addr, at + AT_ADDRESS, 16);
		return true;
	default:
		return false;
	}
}

size_t shca_cm_message_write(const struct shca_cm_message *message, uint8_t *bytes)
{
	memset(bytes, 0, SHCA_CM_HEADER);
	bytes[0] = 'S';
	bytes[1] = 'C';
	bytes[AT_VERSION] = VERSION;
	bytes[AT_TYPE] = (uint8_t)message->type;
	put32(bytes + AT_FROM, message->from);
	put32(bytes + AT_TO, message->to);
	put32(bytes + AT_QPN, message->qpn);
	put32(bytes + AT_PSN, message->psn);
	put16(bytes + AT_PORT_SPACE, message->port_space);
	bytes[AT_STATUS] = message->status;
	bytes[AT_TOS] = message->tos;
	bytes[AT_SERVES] = message->responder_resources;
	bytes[AT_WANTS] = message->initiator_depth;
	bytes[AT_RETRY] = message->retry_count;
	bytes[AT_RNR] = message->rnr_retry_count;
	bytes[AT_FLOW] = message->flow_control;
	bytes[AT_SRQ] = message->srq;
	bytes[AT_ACK_TIMEOUT] = message->ack_timeout;
	bytes[AT_SIZE] = message->data_size;
	put_address(bytes + AT_SOURCE, &message->source);
	put_address(bytes + AT_DESTINATION, &message->destination);
	memcpy(bytes + SHCA_CM_HEADER, message->data, message->data_size);
	return SHCA_CM_HEADER + message->data_size;
}

bool shca_cm_message_read(struct shca_cm_message *message, const uint8_t *bytes, size_t size)
{
	if (size < SHCA_CM_HEADER || bytes[0] != 'S' || bytes[1] != 'C' || bytes[AT_VERSION] != VERSION ||
	    bytes[AT_SIZE] > SHCA_CM_DATA || size != SHCA_CM_HEADER + bytes[AT_SIZE] ||
	    bytes[AT_TYPE] < SHCA_CM_REQ || bytes[AT_TYPE] > SHCA_CM_SIDR_REP || !get32(bytes + AT_FROM))
		return false;
	*message = (struct shca_cm_message){
		.type = (enum shca_cm_type)bytes[AT_TYPE],
		.from = get32(bytes + AT_FROM),
		.to = get32(bytes + AT_TO),
		.qpn = get32(bytes + AT_QPN),
		.psn = get32(bytes + AT_PSN),
		.port_space = get16(bytes + AT_PORT_SPACE),
		.status = bytes[AT_STATUS],
		.tos = bytes[AT_TOS],
		.responder_resources = bytes[AT_SERVES],
		.initiator_depth = bytes[AT_WANTS],
		.retry_count = bytes[AT_RETRY],
		.rnr_retry_count = bytes[AT_RNR],
		.flow_control = bytes[AT_FLOW],
		.srq = bytes[AT_SRQ],
		.ack_timeout = bytes[AT_ACK_TIMEOUT],
		.data_size = bytes[AT_SIZE],
	};
	memcpy(message->data, bytes + SHCA_CM_HEADER, message->data_size);
	return get_address(bytes + AT_SOURCE, &message->source) &&
	       get_address(bytes + AT_DESTINATION, &message->destination);
}
