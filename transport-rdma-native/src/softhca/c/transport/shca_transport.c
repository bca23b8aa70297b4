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

/* The types of queue pairs. A new one is a folder with a table of functions, and a line here. */
#include "personality/shca_personality.h"
#include "queue_pair/shca_queue_pair_upcalls.h"
#include "transport/rc/shca_rc.h"
#include "transport/srd/shca_srd.h"
#include "transport/ud/shca_ud.h"

const struct shca_qp_type_ops *shca_qp_type_ops(enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_RC:
		return shca_personality()->connected ? &shca_rc_ops : NULL;
	case IBV_QPT_UD:
		return shca_personality()->datagrams ? &shca_ud_ops : NULL;
	case IBV_QPT_DRIVER:
		return shca_personality()->srd ? &shca_srd_ops : NULL;
	default:
		return NULL;
	}
}

/* A connection notices by its timer that its peer is gone; a datagram is lost. SRD tells its sender. */
void shca_transport_no_queue_pair(struct shca_link *link, const struct shca_packet *packet, const void *payload)
{
	shca_srd_no_queue_pair(link, packet, payload);
}
