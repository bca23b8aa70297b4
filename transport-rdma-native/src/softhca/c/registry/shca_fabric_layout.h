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
 * The layout of the fabric's file. Zeroed memory is an empty fabric.
 *
 *    header | slots: 256 x 1408 | keys: 32768 x 4 | records: 32768 x 64
 *
 * A port's key is its port space and number. The keys are a hash table with linear probing: a search begins where the
 * key's hash says, and ends at a key of 0. A record that was unlinked keeps SHCA_PORT_REMOVED in place of its key, so
 * that searches go on behind it, until the key behind it is 0. One store of the key links a complete record, and one
 * unlinks it.
 *
 *    hash ---> | key A | REMOVED | key B | 0 |     B was put behind A, and is still found
 */
#ifndef SHCA_FABRIC_LAYOUT_H
#define SHCA_FABRIC_LAYOUT_H

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>

#include "registry/shca_fabric.h"

/* Changes with the layout of this file, of the rings and of the packets, and with the datagrams of the sockets. */
#define SHCA_FABRIC_VERSION	0x7368636100000006ull
#define SHCA_PORT_RECORD_BITS	15
#define SHCA_PORT_RECORDS	(1u << SHCA_PORT_RECORD_BITS)
#define SHCA_PORT_REMOVED	UINT32_MAX

/* A line: threads of other sets do not touch it. */
struct shca_fabric_set {
	_Alignas(64) _Atomic uint32_t doorbell;
	_Atomic uint32_t wakers[SHCA_WAKERS];	/* serials */
};

struct shca_fabric_slot {
	_Alignas(128) struct shca_fabric_set sets[SHCA_LINK_SETS];
	_Alignas(64) _Atomic uint32_t pid;	/* in its own namespace: */
	_Atomic uint64_t pid_namespace;
	_Atomic uint64_t nonce;		/* new each time the slot is taken; 0: the slot is free */
	_Alignas(64) _Atomic uint8_t set_of_block[SHCA_QP_BLOCKS];
};

struct shca_port_record {
	_Atomic uint32_t state;		/* enum shca_port_state */
	uint32_t slot;
	uint64_t nonce;			/* the owner's: another process may have its slot by now */
	uint32_t id;
	uint16_t family;
	uint8_t reuse;
	uint8_t v6only;
	uint32_t scope;
	uint8_t address[16];
	uint8_t reserved[20];
};

struct shca_fabric_file {
	_Atomic uint64_t version;	/* stored last when the file is created */
	_Atomic uint32_t last_slot;	/* the slot taken last; the next process takes another, so numbers recur late */
	struct shca_fabric_slot slots[SHCA_FABRIC_SLOTS];
	_Alignas(64) _Atomic uint32_t keys[SHCA_PORT_RECORDS];
	struct shca_port_record records[SHCA_PORT_RECORDS];
};

static_assert(sizeof(struct shca_fabric_slot) == 1408, "as drawn above");
static_assert(sizeof(struct shca_port_record) == 64, "a line");

#endif
