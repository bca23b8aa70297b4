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
 * The transports. A new one is a file with a table of functions, and a line in shca_transport.c.
 */
#ifndef SHCA_TRANSPORT_H
#define SHCA_TRANSPORT_H

#include "queue_pair/shca_qp.h"

extern const struct shca_qp_type_ops shca_rc_ops;
extern const struct shca_qp_type_ops shca_ud_ops;
extern const struct shca_qp_type_ops shca_srd_ops;

/* A packet for a queue pair that does not exist: SRD tells the sender. */
void shca_srd_no_queue_pair(struct shca_link *link, const struct shca_packet *packet, const void *payload);

#endif
