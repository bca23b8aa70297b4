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
 * The transitions between the states of queue pairs, and the attributes that each requires and permits, as in the IB
 * specification (11.2.5.3) and as Linux checks them before it calls a driver.
 *
 *    RESET --> INIT --> RTR --> RTS <--> SQD         any but RESET --> ERR
 *                                ^                   any           --> RESET
 *                                +------ SQE         (datagrams: a send failed)
 *
 * A call without IBV_QP_STATE is a transition from the state to itself.
 */
#include "personality/shca_personality.h"
#include "queue_pair/shca_queue_pair_internal.h"

#define STATES	(IBV_QPS_ERR + 1)

struct transition {
	bool allowed;
	int required;
	int optional;
};

#define NOTHING		{ .allowed = true }

static const struct transition rc_transitions[STATES][STATES] = {
	[IBV_QPS_RESET] = {
		[IBV_QPS_RESET] = NOTHING,
		[IBV_QPS_INIT] = { true, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, 0 },
	},
	[IBV_QPS_INIT] = {
		[IBV_QPS_RESET] = NOTHING,
		[IBV_QPS_INIT] = { true, 0, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS },
		[IBV_QPS_RTR] = { true, IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				  IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
				  IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX },
		[IBV_QPS_ERR] = NOTHING,
	},
	[IBV_QPS_RTR] = {
		[IBV_QPS_RESET] = NOTHING,
		[IBV_QPS_RTS] = { true, IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				  IBV_QP_MAX_QP_RD_ATOMIC,
				  IBV_QP_CUR_STATE | IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER |
				  IBV_QP_PATH_MIG_STATE },
		[IBV_QPS_ERR] = NOTHING,
	},
	[IBV_QPS_RTS] = {
		[IBV_QPS_RESET] = NOTHING,
		[IBV_QPS_RTS] = { true, 0, IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_ALT_PATH |
				  IBV_QP_PATH_MIG_STATE | IBV_QP_MIN_RNR_TIMER },
		[IBV_QPS_SQD] = { true, 0, IBV_QP_EN_SQD_ASYNC_NOTIFY },
		[IBV_QPS_ERR] = NOTHING,
	},
	[IBV_QPS_SQD] = {
		[IBV_QPS_RESET] = NOTHING,
		[IBV_QPS_RTS] = { true, 0, IBV_QP_CUR_STATE | IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS |
				  IBV_QP_MIN_RNR_TIMER | IBV_QP_PATH_MIG_STATE },
		[IBV_QPS_SQD] = { true, 0, IBV_QP_PORT | IBV_QP_AV | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				  IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MAX_DEST_RD_ATOMIC |
				  IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX |
				  IBV_QP_MIN_RNR_TIMER | IBV_QP_PATH_MIG_STATE },
		[IBV_QPS_ERR] = NOTHING,
	},
	[IBV_QPS_ERR] = {
		[IBV_QPS_RESET] = NOTHING,
		[IBV_QPS_ERR] = NOTHING,
	},
};

static const struct transition ud_transitions[STATES][STATES] = {
	[IBV_QPS_RESET] = {
		[IBV_QPS_RESET] = NOTHING,
		[IBV_QPS_INIT] = { true, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY, 0 },
	},
	[IBV_QPS_INIT] = {
		[IBV_QPS_RESET] = NOTHING,
		[IBV_QPS_INIT] = { true, 0, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY },
		[IBV_QPS_RTR] = { true, 0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY },
		[IBV_QPS_ERR] = NOTHING,
	},
	[IBV_QPS_RTR] = {
		[IBV_QPS_RESET] = NOTHING,
		[IBV_QPS_RTS] = { true, IBV_QP_SQ_PSN, IBV_QP_CUR_STATE | IBV_QP_QKEY },
		[IBV_QPS_ERR] = NOTHING,
	},
	[IBV_QPS_RTS] = {
		[IBV_QPS_RESET] = NOTHING,
		[IBV_QPS_RTS] = { true, 0, IBV_QP_CUR_STATE | IBV_QP_QKEY },
		[IBV_QPS_SQD] = { true, 0, IBV_QP_EN_SQD_ASYNC_NOTIFY },
		[IBV_QPS_ERR] = NOTHING,
	},
	[IBV_QPS_SQD] = {
		[IBV_QPS_RESET] = NOTHING,
		[IBV_QPS_RTS] = { true, 0, IBV_QP_CUR_STATE | IBV_QP_QKEY },
		[IBV_QPS_SQD] = { true, 0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY },
		[IBV_QPS_ERR] = NOTHING,
	},
	[IBV_QPS_SQE] = {
		[IBV_QPS_RESET] = NOTHING,
		[IBV_QPS_RTS] = { true, 0, IBV_QP_CUR_STATE | IBV_QP_QKEY },
		[IBV_QPS_ERR] = NOTHING,
	},
	[IBV_QPS_ERR] = {
		[IBV_QPS_RESET] = NOTHING,
		[IBV_QPS_ERR] = NOTHING,
	},
};

/* For queue pairs that rdma_cm connects: see shca_qp_connect. */
static const struct transition iwarp_transitions[STATES][STATES] = {
	[IBV_QPS_RESET] = {
		[IBV_QPS_RESET] = NOTHING,
		[IBV_QPS_INIT] = { true, 0, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS },
	},
	[IBV_QPS_INIT] = {
		[IBV_QPS_RESET] = NOTHING,
		[IBV_QPS_INIT] = { true, 0, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS },
		[IBV_QPS_RTR] = { true, 0, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS },
		[IBV_QPS_ERR] = NOTHING,
	},
	/* librdmacm enters RTR before a connection. After it, where RoCE goes to RTS, librdmacm sets the port. */
	[IBV_QPS_RTR] = {
		[IBV_QPS_RESET] = NOTHING,
		[IBV_QPS_RTR] = { true, 0, IBV_QP_PORT | IBV_QP_ACCESS_FLAGS },
		[IBV_QPS_ERR] = NOTHING,
	},
	[IBV_QPS_RTS] = {
		[IBV_QPS_RESET] = NOTHING,
		[IBV_QPS_RTS] = { true, 0, IBV_QP_CUR_STATE | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS },
		[IBV_QPS_ERR] = NOTHING,
	},
	[IBV_QPS_ERR] = {
		[IBV_QPS_RESET] = NOTHING,
		[IBV_QPS_ERR] = NOTHING,
	},
};

static const struct transition *transition_of(const struct shca_qp *qp, enum ibv_qp_state to)
{
	if (qp->ibv.qp_type == IBV_QPT_UD || qp->ibv.qp_type == IBV_QPT_DRIVER)
		return &ud_transitions[qp->ibv.state][to];
	return shca_personality()->connect_by_cm_only ? &iwarp_transitions[qp->ibv.state][to] :
							&rc_transitions[qp->ibv.state][to];
}

bool shca_transition_is_allowed(const struct shca_qp *qp, enum ibv_qp_state to, int mask)
{
	const struct transition *transition;

	if ((unsigned int)to >= STATES)
		return false;
	/* SRD's own table differs from that of datagrams by this one attribute. */
	if (qp->ibv.qp_type == IBV_QPT_DRIVER && qp->ibv.state == IBV_QPS_RTR && to == IBV_QPS_RTS)
		mask &= ~IBV_QP_RNR_RETRY;
	transition = transition_of(qp, to);
	return transition->allowed && (mask & transition->required) == transition->required &&
	       !(mask & ~(transition->required | transition->optional | IBV_QP_STATE));
}
