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
#include "transport/shca_transport.h"

#include <errno.h>

#include "base/shca_error.h"
#include "base/shca_export.h"
#include "personality/shca_personality.h"
#include "queue_pair/shca_queue_pair.h"
#include "transport/rc/shca_rc.h"
#include "transport/srd/shca_srd.h"
#include "transport/ud/shca_ud.h"

/* NULL: the device has no such type. */
static const struct shca_qp_type_ops *ops_of(enum ibv_qp_type type)
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

struct ibv_qp *shca_transport_create(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	return shca_qp_new(context, attr, ops_of(attr->qp_type));
}

struct ibv_qp *shca_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	/* A vendor's own type is made by its own functions. */
	return attr->qp_type == IBV_QPT_DRIVER ? shca_null(EOPNOTSUPP) : shca_transport_create(context, attr);
}

SHCA_EXPORT struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex extended = shca_extended(pd, attr);
	struct ibv_qp *qp = shca_create_qp_ex(pd->context, &extended);

	if (qp)
		attr->cap = extended.cap;
	return qp;
}

/* A connection notices by its timer that its peer is gone; a datagram is lost. SRD notifies its sender. */
void shca_transport_no_queue_pair(struct shca_link *link, const struct shca_packet *packet, const void *payload)
{
	shca_srd_no_queue_pair(link, packet, payload);
}
