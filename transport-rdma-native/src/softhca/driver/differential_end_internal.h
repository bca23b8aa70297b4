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
 * For the files that make up an end: differential_end.c creates it, _post.c posts, _poll.c takes completions and
 * events.
 */
#ifndef DIFFERENTIAL_END_INTERNAL_H
#define DIFFERENTIAL_END_INTERNAL_H

#include "differential_connect.h"

struct end {
	struct ibv_context *context;
	struct ibv_device_attr attr;
	struct ibv_pd *pd;
	struct ibv_pd *other_pd;
	struct ibv_mr *mrs[KEY_REGISTERED];
	struct ibv_comp_channel *channel;
	struct ibv_cq *cqs[CQS];
	struct ibv_cq_ex *extended_cqs[CQS];
	struct ibv_srq *srq;
	struct ibv_qp *qps[PAIRS];
	struct ibv_qp_ex *extended_qps[PAIRS];
	struct ibv_ah *ah;
	struct connector *connector;
	struct d_random random;
	struct end_info info;
	struct end_info peer;
	uint8_t *arena;
};

/* ---- differential_end_post.c: each carries out one command, and fills the reply ---- */

void end_post_send(struct end *end, const struct command *command, struct reply *reply);
void end_post_receive(struct end *end, const struct command *command, struct reply *reply);

/* ---- differential_end_poll.c ---- */

void end_poll_queue(struct end *end, const struct command *command, struct reply *reply);
/* wait: until there is one. */
void end_completion_event(struct end *end, bool wait, struct reply *reply);
void end_async_event(struct end *end, bool wait, struct reply *reply);

#endif
