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
 * The layout of the fabric's file, for shca_fabric_file.c and shca_ports.c. Zeroed memory is an empty fabric.
 *
 *    header | slots: 256 x 256 | keys: 8192 x 4 | records: 8192 x 64
 *
 * A port's key is its port space and number, or 0 while its record is free. One store of the key links a complete
 * record, and one unlinks it. A search reads all keys; they take few cache lines.
 */
#ifndef SHCA_FABRIC_FILE_H
#define SHCA_FABRIC_FILE_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/shca_fabric.h"

/* Changes with the layout of this file, of the rings and of the packets, and with the datagrams of the sockets. */
#define SHCA_FABRIC_VERSION	0x7368636100000004ull
#define SHCA_PORT_RECORDS	8192u

struct shca_fabric_slot {
	_Alignas(128) _Atomic uint32_t doorbell;
	_Alignas(64) _Atomic uint32_t pid;
	_Atomic uint64_t nonce;		/* new each time the slot is taken; 0: the slot is free */
	_Alignas(64) _Atomic uint32_t wakers[SHCA_WAKERS];	/* serials */
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
	_Atomic uint32_t records_used;	/* records from here on were never used */
	struct shca_fabric_slot slots[SHCA_FABRIC_SLOTS];
	_Alignas(64) _Atomic uint32_t keys[SHCA_PORT_RECORDS];
	struct shca_port_record records[SHCA_PORT_RECORDS];
};

static_assert(sizeof(struct shca_fabric_slot) == 256, "a line for the doorbell alone");
static_assert(sizeof(struct shca_port_record) == 64, "a line");

/* The file, locked against all other threads and processes. Outside of the fabric NULL, without the lock. */
struct shca_fabric_file *shca_fabric_lock(void);
void shca_fabric_unlock(void);

/* With the lock held: whether the process that took the slot with this nonce still holds it. */
bool shca_fabric_owner_is_alive(uint32_t slot, uint64_t nonce);
/* Frees the ports of an owner. Called with the lock held, or when the owner is dead. In shca_ports.c. */
void shca_ports_sweep(struct shca_fabric_file *file, uint32_t slot, uint64_t nonce);

/* The nonce of an occupied slot, or 0. */
uint64_t shca_fabric_nonce(uint32_t slot);
uint32_t shca_fabric_pid(uint32_t slot);
/* Finds the name of a process's socket by its pid, from inside or outside of the fabric. Returns 0 or -ESRCH. */
int shca_fabric_find_process(uint32_t pid, char *name, size_t size);

/* In a child after fork: gives up the parent's slot. */
void shca_fabric_forked(void);

/* Removes this user's other files in the directory of own_path that no process holds. In shca_fabric_stale.c. */
void shca_fabric_remove_stale(const char *own_path);

#endif
