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
 * For the files that make up links: shca_link_table.c creates and ends links, _memory.c maps their shared memory,
 * _accept.c accepts links and reads datagrams, _message.c sends CM messages, and _socket.c has the sockets. The data
 * path is in _send.c, _wake.c, _receive.c, and _blocked.c for queue pairs that wait for room.
 */
#ifndef SHCA_LINK_INTERNAL_H
#define SHCA_LINK_INTERNAL_H

#include "wire/shca_link.h"

/* ---- shca_link_memory.c ---- */

void *shca_link_tx_memory(struct shca_link *link);
/* Replaces the shared memory by empty private memory. A reader without a lock finds one or the other. */
void shca_link_blank(struct shca_link *link);
/* 0 or -errno. */
int shca_link_map_shared(struct shca_link *link, int fd, bool connecting);
/* Returns a descriptor, or -errno after a line on stderr. */
int shca_link_create_memory(void);
bool shca_link_is_sealed_memory(int fd);

/* ---- shca_link_table.c, for the helper thread ---- */

/* Takes a struct for a process that connects, in state AWAITING_HELLO; NULL when there is none. */
struct shca_link *shca_link_adopt(int fd);
/* The connecting side is the process in slot, and memory is what it passed. Returns 0 or -errno. */
int shca_link_got_hello(struct shca_link *link, uint32_t slot, int memory);
/* Ends a link that never came up. */
void shca_link_drop(struct shca_link *link);

/* ---- shca_link_message.c; with tx_lock held ---- */

void shca_link_drop_messages(struct shca_link *link);

#endif
