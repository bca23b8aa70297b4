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

/* The types of queue pairs, for callers that do not know which one they have. */
#ifndef SHCA_TRANSPORT_H
#define SHCA_TRANSPORT_H

#include <infiniband/verbs.h>

struct shca_link;
struct shca_packet;

/* Creates a queue pair of any type that the device has. Returns NULL with errno set. */
struct ibv_qp *shca_transport_create(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr);
/* ibv_create_qp_ex, for the function table of a context. */
struct ibv_qp *shca_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr);
/* A packet for a queue pair that does not exist has come. Only some transports answer it. Under the link's rx_lock. */
void shca_transport_no_queue_pair(struct shca_link *link, const struct shca_packet *packet, const void *payload);

#endif
