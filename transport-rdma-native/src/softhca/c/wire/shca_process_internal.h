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
 * For the files that make up processes and their links: shca_process_table.c creates and ends processes, _accept.c
 * accepts them and reads datagrams, _message.c sends what may wait, and _socket.c has the sockets. shca_link_table.c
 * creates and ends links, and _memory.c maps their shared memory. The data path is in shca_link_send.c, _wake.c,
 * _receive.c, and _blocked.c for queue pairs that wait for room.
 */
#ifndef SHCA_PROCESS_INTERNAL_H
#define SHCA_PROCESS_INTERNAL_H

#include "wire/shca_link.h"
#include "wire/shca_process.h"

/* ---- shca_process_table.c ---- */

/* For who is there, and which links there are. Taken after a queue pair's lock and before a tx_lock. */
extern pthread_mutex_t shca_table_lock;

/* Whether a process may be in the slot that has not been asked in vain. */
bool shca_process_may_answer(uint32_t slot);
/* shca_process_reach, with shca_table_lock held. */
int shca_process_reach_locked(uint32_t slot, struct shca_process **process);
/* Helper thread: takes a struct for a process that connects, in state AWAITING_HELLO; NULL when there is none. */
struct shca_process *shca_process_adopt(int fd);
/* Helper thread: the connecting side is the process in slot. */
void shca_process_got_hello(struct shca_process *process, uint32_t slot);
/* Helper thread: ends a process that never came up. */
void shca_process_drop(struct shca_process *process);

/* ---- shca_process_message.c ---- */

/* Passes the memory of a link, now or as soon as the socket has room: the descriptor may be closed. 0 or -errno. */
int shca_process_pass_memory(struct shca_process *process, uint32_t own_set, uint32_t their_set, int memory);
/* With process->lock held. */
void shca_process_drop_messages(struct shca_process *process);

/* ---- shca_link_table.c ---- */

/*
 * Helper thread: the process has passed the memory of a link between its set and one of ours. Returns 0, or -errno:
 * then the process cannot be talked to.
 */
int shca_link_got_memory(struct shca_process *process, uint32_t own_set, uint32_t their_set, int memory);

/* ---- shca_link_memory.c ---- */

void *shca_link_tx_memory(struct shca_link *link);
/* Replaces the shared memory by empty private memory. A reader without a lock finds one or the other. */
void shca_link_blank(struct shca_link *link);
/* 0 or -errno. */
int shca_link_map_shared(struct shca_link *link, int fd, bool connecting);
/* Returns a descriptor, or -errno after a line on stderr. */
int shca_link_create_memory(void);
bool shca_link_is_sealed_memory(int fd);

#endif
