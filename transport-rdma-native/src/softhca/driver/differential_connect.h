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
 * Connects queue pairs where only rdma_cm can, on iWARP. Each end has a connector. Both may be in one thread, so no
 * function of one end waits for a later one of the other:
 *
 *    active end                       passive end
 *    resolve      rdma_connect   ---->
 *                                <----   answer          rdma_accept, a receive is posted before
 *    send_first   established,
 *                 a message      ---->
 *                                        receive_first   established, the message; from now on it may send
 */
#ifndef DIFFERENTIAL_CONNECT_H
#define DIFFERENTIAL_CONNECT_H

#include "differential_end.h"

struct connector;

/* Listens, and sets port. pd is the protection domain of the queue pairs. */
struct connector *connector_open(struct ibv_pd *pd, uint16_t *port);
void connector_close(struct connector *connector);
/* Carries out one of these steps. port is the peer's. */
void connector_execute(struct connector *connector, const struct command *command, struct ibv_qp *qp, uint16_t port);

#endif
