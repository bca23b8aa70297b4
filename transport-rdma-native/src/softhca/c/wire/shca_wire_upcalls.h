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
 * What the wire calls in the folders above it: it declares these functions, and they define them. A table of function
 * pointers would cost each packet an indirect jump, which the processor has to predict.
 */
#ifndef SHCA_WIRE_UPCALLS_H
#define SHCA_WIRE_UPCALLS_H

#include <stddef.h>
#include <stdint.h>

struct shca_link;
struct shca_packet;
struct shca_wire_user;

/* ---- queue pairs: queue_pair/shca_queue_pair_progress.c. Each takes the queue pair's lock ---- */

void shca_qp_receive(struct shca_link *link, const struct shca_packet *packet, const void *payload);
/* The ring that the queue pair found full has room. */
void shca_qp_unblock(struct shca_wire_user *user);
/* Runs the queue pair's timers. Returns the next deadline, 0 when nothing is outstanding. */
uint64_t shca_qp_tick(struct shca_wire_user *user, uint64_t now);
/* After a batch of packets: sends the acknowledgements that the queue pairs of link->acks owe. Under rx_lock. */
void shca_qp_acknowledge_all(struct shca_link *link);

/* ---- connection management: cm/. On the helper thread ---- */

/* A CM message has arrived. It is not trusted: a malformed one is dropped with a line on stderr. */
void shca_cm_message(struct shca_link *link, const void *message, size_t size);
/* The peer process is gone: as if it had rejected pending requests and disconnected its connections. */
void shca_cm_link_died(struct shca_link *link);
/* Runs the timers. Returns the next deadline in CLOCK_MONOTONIC ns, 0 for none. */
uint64_t shca_cm_tick(uint64_t now);

/* ---- commands: abi/shca_control.c. On the helper thread ---- */

/* Carries out a command that came through a socket, and answers. text need not end with a 0. */
void shca_control_carry_out(int fd, const char *text, size_t size);

#endif
