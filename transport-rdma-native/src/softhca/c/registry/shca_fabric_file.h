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

/* The fabric's file and the processes in it, for the rest of the fabric. */
#ifndef SHCA_FABRIC_FILE_H
#define SHCA_FABRIC_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "registry/shca_fabric_layout.h"

/* The file, locked against all other threads and processes. Outside of the fabric NULL, without the lock. */
struct shca_fabric_file *shca_fabric_lock(void);
void shca_fabric_unlock(void);

/* With the lock held: whether the process that took the slot with this nonce still holds it. */
bool shca_fabric_owner_is_alive(uint32_t slot, uint64_t nonce);
/* Frees the ports of an owner. Called with the lock held, or when the owner is dead. In shca_ports.c. */
void shca_ports_sweep(struct shca_fabric_file *file, uint32_t slot, uint64_t nonce);

/* The nonce of an occupied slot, or 0. */
uint64_t shca_fabric_nonce(uint32_t slot);
/* The pid of its process, in the namespace of that. */
uint32_t shca_fabric_pid(uint32_t slot);
/* The same if it is in our namespace, where others see the same number; else 0. */
uint32_t shca_fabric_visible_pid(uint32_t slot);
/*
 * Finds the name of a process's socket by its pid, as /proc has it here, from inside or outside of the fabric. Returns
 * 0 or -ESRCH.
 */
int shca_fabric_find_process(uint32_t pid, char *socket, size_t size);
/* Of the abstract sockets of processes: user, SOFTHCA_FABRIC, slot and nonce. */
#define SHCA_SOCKET_FORMAT	"softhca.%u.%s/%u.%016llx"
/* Whether our file is still there under its name. Others that start do not find us otherwise. */
bool shca_fabric_has_its_file(void);

/* In a child after fork: gives up the parent's slot. */
void shca_fabric_forked(void);

/* Removes this user's other files in the directory of own_path that no process holds. In shca_fabric_stale.c. */
void shca_fabric_remove_stale(const char *own_path);

#endif
