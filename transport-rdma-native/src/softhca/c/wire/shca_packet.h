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
 * A packet between two queue pairs. One packet is one slot of a ring (shca_ring.h): 64 bytes of header and 64 bytes for
 * a payload. A longer payload lies in the ring's data area.
 *
 *    0  turn           4   the ring's: which lap this slot was published in
 *    4  payload        2   bytes of payload in this packet
 *    6  wakers         1   of the sending queue pair, see shca_waker.h: 4 bits for messages, 4 higher ones for answers
 *    7  reserved       1
 *    8  data_at        4   position of the payload in the data area; SHCA_PAYLOAD_INLINE: behind the header
 *   12  data_span      4   bytes of the data area that this slot frees, skipped ones included
 *   16  destination    4   number of the receiving queue pair
 *   20  source         4   number of the sending queue pair
 *   24  psn            4   24 bits: the message's number, one per work request
 *   28  type           1   enum shca_packet_type
 *   29  flags          1   SHCA_FIRST ...
 *   30  syndrome       1   of SHCA_NAK: enum shca_nak
 *   31  timer          1   of SHCA_NAK_RNR: min_rnr_timer as in struct ibv_qp_attr
 *   32  offset         4   of the payload in its message
 *   36  length         4   of the whole message
 *   40  immediate      4   network order, as the sender gave it
 *   44  key            4   rkey of a one-sided request; Q_Key of a datagram
 *   48  address        8   remote address of a one-sided request
 *   56  not_before     8   CLOCK_MONOTONIC ns before which it must not be handled; 0: at once
 *   64  inline_payload 64
 *
 * A message is cut into packets of at most SHCA_SEGMENT bytes. All of them carry the message's psn, so a retransmission
 * repeats whole messages. The payload of an atomic request is its two operands, 16 bytes: compare or add first, then
 * swap. Its response carries the old value. A datagram's payload starts with the 40 bytes of GRH that its receiver
 * gets.
 */
#ifndef SHCA_PACKET_H
#define SHCA_PACKET_H

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define SHCA_PSN_MASK		0xffffffu
#define SHCA_INLINE_PAYLOAD	64u
#define SHCA_PAYLOAD_INLINE	UINT32_MAX
/* Small enough for sender and receiver to copy different packets of one message at the same time. */
#define SHCA_SEGMENT		16384u
#define SHCA_GRH_SIZE		40u

enum shca_packet_type {
	SHCA_SEND,
	SHCA_WRITE,
	SHCA_READ,		/* a request for length bytes at address; no payload */
	SHCA_COMPARE_SWAP,
	SHCA_FETCH_ADD,
	SHCA_ACK,		/* acknowledges all messages up to psn */
	SHCA_NAK,		/* rejects psn and acknowledges all messages before it */
	SHCA_READ_DATA,
	SHCA_ATOMIC_OLD,
	SHCA_DATAGRAM,
	/* of SRD, see transport/srd/shca_srd.h */
	SHCA_SRD_SEND,
	SHCA_SRD_WRITE,
	SHCA_SRD_READ,
	SHCA_SRD_ANSWER,
	SHCA_SRD_DATA,
	SHCA_PACKET_TYPES,
};

enum shca_packet_flag {
	SHCA_FIRST = 1 << 0,
	SHCA_LAST = 1 << 1,
	SHCA_IMMEDIATE = 1 << 2,
	SHCA_SOLICITED = 1 << 3,
};

enum shca_nak {
	SHCA_NAK_SEQUENCE,		/* psn is the expected one: retransmit from there */
	SHCA_NAK_RNR,			/* no receive was posted: retry after the timer */
	SHCA_NAK_INVALID_REQUEST,
	SHCA_NAK_REMOTE_ACCESS,
	SHCA_NAK_REMOTE_OPERATION,
};

struct shca_packet {
	_Atomic uint32_t turn;
	uint16_t payload;
	uint8_t wakers;
	uint8_t reserved;
	uint32_t data_at;
	uint32_t data_span;
	uint32_t destination;
	uint32_t source;
	uint32_t psn;
	uint8_t type;
	uint8_t flags;
	uint8_t syndrome;
	uint8_t timer;
	uint32_t offset;
	uint32_t length;
	uint32_t immediate;
	uint32_t key;
	uint64_t address;
	uint64_t not_before;
	uint8_t inline_payload[SHCA_INLINE_PAYLOAD];
};

static_assert(sizeof(struct shca_packet) == 128, "a slot is two cache lines");

/* Fills the fields that every packet has. Clears the rest of the header, except what the ring has filled. */
static inline void shca_packet_start(struct shca_packet *packet, enum shca_packet_type type, uint32_t source,
				     uint32_t destination, uint32_t psn)
{
	packet->destination = destination;
	packet->source = source;
	packet->wakers = 0;
	packet->reserved = 0;
	packet->psn = psn;
	packet->type = type;
	packet->flags = 0;
	packet->syndrome = 0;
	packet->timer = 0;
	packet->offset = 0;
	packet->length = 0;
	packet->immediate = 0;
	packet->key = 0;
	packet->address = 0;
}

/* How far a is ahead of b in the 24 bits of PSN space: negative when behind. */
static inline int32_t shca_psn_distance(uint32_t a, uint32_t b)
{
	return (int32_t)((a - b) << 8) >> 8;
}

static inline uint32_t shca_psn_add(uint32_t psn, uint32_t count)
{
	return (psn + count) & SHCA_PSN_MASK;
}

#endif
