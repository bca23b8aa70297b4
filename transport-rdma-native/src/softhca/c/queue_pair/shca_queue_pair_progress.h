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

/* Calls of progress: packets, room, time. Each takes the queue pair's lock. */
#ifndef SHCA_QUEUE_PAIR_PROGRESS_H
#define SHCA_QUEUE_PAIR_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct shca_link;
struct shca_packet;
struct shca_wire_user;

/* A packet has come. Returns false if its queue pair does not exist. Under the link's rx_lock. */
bool shca_qp_receive(struct shca_link *link, const struct shca_packet *packet, const void *payload);
/* After a batch of packets: sends the acknowledgements that the queue pairs of link->acks owe. Under rx_lock. */
void shca_qp_acknowledge_all(struct shca_link *link);
/* The ring that the queue pair found full has room. */
void shca_qp_unblock(struct shca_wire_user *user);
/* Runs the queue pair's timers. Returns the next deadline, 0 when nothing is outstanding. */
uint64_t shca_qp_tick(struct shca_wire_user *user, uint64_t now);
/* Puts every queue pair of the process into the error state, except those in RESET. Without locks. _number.c */
void shca_qp_fail_all(void);

#endif
