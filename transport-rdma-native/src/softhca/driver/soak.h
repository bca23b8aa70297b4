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
 * The files of the soak; soak.c says what it does.
 *
 * The slot of message n is n % WINDOW, at both ends. A message is a header of 24 bytes and words that its
 * number determines:
 *
 *    0 number   8 length in bytes   16 checksum of what follows   24 words ...
 */
#ifndef SOAK_H
#define SOAK_H

#include "support.h"

#define WINDOW		64u
#define EAGER		4096u		/* bytes of the longest message that is sent */
#define SLOT		32768u		/* bytes of the longest that is written */
#define CREDITS		16u		/* receives for credits */

/* Where a peer may write: the private data of the accept. */
struct target {
	uint64_t address;
	uint32_t rkey;
};

extern uint64_t seed;
extern uint64_t messages;

/* ---- soak_message.c ---- */

/* Call this before the others. */
void prepare_messages(void);
/* Returns its length. */
uint32_t write_message(uint8_t *to, uint64_t number);
void check_message(const uint8_t *bytes, uint32_t length, uint64_t number, const char *from);
/* Every third message is written, and so are those too long to be sent. */
bool is_written(uint64_t number);

/* ---- soak_sender.c ---- */

/* Ends the process. A peer sends until it is killed. */
_Noreturn void run_sender(uint16_t port, bool is_peer);

/* ---- soak_receiver.c ---- */

/*
 * Ends the process. On the parent's socket it sends the port, a byte when the sender has connected, and the number of
 * messages when all have come; it receives a byte when all peers are dead.
 */
_Noreturn void run_receiver(int parent);

#endif
