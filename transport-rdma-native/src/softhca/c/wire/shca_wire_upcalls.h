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
 * What the wire calls in the rooms above it, which are built on it: it declares these functions, and they define them.
 * A call through a table would cost each packet a jump to an address that the processor has to guess.
 */
#ifndef SHCA_WIRE_UPCALLS_H
#define SHCA_WIRE_UPCALLS_H

#include <stddef.h>
#include <stdint.h>

struct shca_link;
struct shca_packet;
struct shca_wire_user;

/* ---- queue pairs: queue_pair/shca_queue_pair.c. Each takes the queue pair's lock ---- */

void shca_qp_receive(struct shca_link *link, const struct shca_packet *packet, const void *payload);
/* There is room in the ring that it found full. */
void shca_qp_unblock(struct shca_wire_user *user);
/* Its timers. The next deadline, 0 when there is nothing outstanding. */
uint64_t shca_qp_tick(struct shca_wire_user *user, uint64_t now);
/* After a batch of packets: sends what the queue pairs of link->acks owe. Under rx_lock. */
void shca_qp_acknowledge_all(struct shca_link *link);

/* ---- connection management: cm/. On the helper thread ---- */

/* A CM message has come by a link. It is not trusted: one that makes no sense is dropped with a line on stderr. */
void shca_cm_message(struct shca_link *link, const void *message, size_t size);
/* The process at the other end is gone: as if it had rejected what it was asked and disconnected what it had. */
void shca_cm_link_died(struct shca_link *link);
/* Timers. Returns the next deadline in CLOCK_MONOTONIC ns, 0 for none. */
uint64_t shca_cm_tick(uint64_t now);

/* ---- commands: abi/shca_control.c. On the helper thread ---- */

/* Carries out a command that came by a socket, and answers. text need not end with a 0. */
void shca_control_carry_out(int fd, const char *text, size_t size);

#endif
