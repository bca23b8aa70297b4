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
 * Calls that change or query a queue pair, and its end. A program must not destroy a queue pair while another thread is
 * in such a call: libraries and drivers do not notice, and use memory that is free, often without a consequence. Here
 * the program ends, whichever of the two comes first.
 */
#ifndef SHCA_CALL_H
#define SHCA_CALL_H

#include "queue_pair/shca_queue_pair.h"

void shca_call_begin(struct shca_qp *qp);
void shca_call_end(struct shca_qp *qp);
/* The call that destroys it. */
void shca_call_last(struct shca_qp *qp);

#endif
