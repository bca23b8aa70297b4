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

/* What queue pairs call in the folders above them: this folder declares these functions, and those define them. */
#ifndef SHCA_QUEUE_PAIR_UPCALLS_H
#define SHCA_QUEUE_PAIR_UPCALLS_H

#include <infiniband/verbs.h>

struct shca_link;
struct shca_packet;
struct shca_qp_type_ops;

/* Returns NULL if the device has no such type. transport/shca_transport.c */
const struct shca_qp_type_ops *shca_qp_type_ops(enum ibv_qp_type type);
/*
 * A packet for a queue pair that does not exist has come. Only some transports answer it. Called with the link's
 * rx_lock held. transport/shca_transport.c
 */
void shca_transport_no_queue_pair(struct shca_link *link, const struct shca_packet *packet, const void *payload);
/*
 * iWARP: a queue pair has failed. Its connection ends at the next tick, which is soon, with DISCONNECTED at both ends.
 * Any thread; may be called with the queue pair's lock held. cm/shca_cm_send.c
 */
void shca_cm_queue_pair_failed(void);

#endif
