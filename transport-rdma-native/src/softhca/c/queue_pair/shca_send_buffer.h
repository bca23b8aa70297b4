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

/* The bytes of requests that have completed and may have to be sent again. */
#ifndef SHCA_SEND_BUFFER_H
#define SHCA_SEND_BUFFER_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "queue_pair/shca_queue_pair.h"

/* Whether the request completes before the peer has its data. */
bool shca_send_buffer_takes(const struct shca_send *send);
bool shca_send_buffer_has_room(const struct shca_send_queue *sq, const struct shca_send *send);
/*
 * Copies the request's bytes, so that it may complete; on an error it may not. Its list has been checked. A late
 * request is not copied: it completes, and is sent later from the program's memory, whatever that holds by then.
 */
enum ibv_wc_status shca_send_buffer_keep(struct shca_qp *qp, uint32_t cursor, bool is_late);
/* The peer has the request's data. */
void shca_send_buffer_release(struct shca_send_queue *sq, uint32_t cursor);
/* Drops everything: it is lost. */
void shca_send_buffer_forget(struct shca_send_queue *sq);

#endif
