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
 * libefa, Amazon's extension of verbs. On other devices each function fails with EOPNOTSUPP. The checks and
 * their order are those of rdma-core's provider.
 */
#include "abi/shca_efadv.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "address/shca_address_handle.h"
#include "base/shca_error.h"
#include "base/shca_export.h"
#include "device/shca_context.h"
#include "personality/shca_personality.h"
#include "queue/shca_completion_queue.h"
#include "queue_pair/shca_queue_pair.h"
#include "transport/shca_transport.h"

static bool is_efa(void)
{
	return shca_personality()->srd;
}

/* Whether a caller of a newer version leaves 0 in the fields that are not known here. */
static bool is_clear_behind(const void *given, size_t known, uint32_t size)
{
	const uint8_t *bytes = given;

	for (size_t i = known; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

static uint32_t device_caps(void)
{
	const struct shca_personality *personality = shca_personality();

	return (personality->rdma_read ? EFADV_DEVICE_ATTR_CAPS_RDMA_READ : 0) |
	       (personality->rnr_retry ? EFADV_DEVICE_ATTR_CAPS_RNR_RETRY : 0) |
	       (personality->source_gid ? EFADV_DEVICE_ATTR_CAPS_CQ_WITH_SGID : 0) |
	       (personality->rdma_write ? SHCA_EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE : 0);
}

SHCA_EXPORT int efadv_query_device(struct ibv_context *context, struct efadv_device_attr *attr, uint32_t size)
{
	const struct shca_personality *personality = shca_personality();
	struct efadv_device_attr full = {
		.max_sq_wr = personality->max_qp_wr,
		.max_rq_wr = personality->max_recv_wr,
		.max_sq_sge = (uint16_t)personality->max_sge,
		.max_rq_sge = (uint16_t)personality->max_recv_sge,
		.inline_buf_size = (uint16_t)personality->max_inline,
		.device_caps = device_caps(),
		.max_rdma_size = personality->max_rdma,
	};

	(void)context;
	if (!is_efa())
		return shca_error(EOPNOTSUPP);
	/* The oldest caller's structure ends before device_caps. */
	if (size < offsetof(struct efadv_device_attr, device_caps))
		return shca_error(EINVAL);
	memset(attr, 0, size);
	memcpy(attr, &full, size < sizeof(full) ? size : sizeof(full));
	return 0;
}

SHCA_EXPORT int efadv_query_ah(struct ibv_ah *ah, struct efadv_ah_attr *attr, uint32_t size)
{
	if (!is_efa())
		return shca_error(EOPNOTSUPP);
	if (size < offsetof(struct efadv_ah_attr, reserved))
		return shca_error(EINVAL);
	memset(attr, 0, size);
	attr->ahn = (uint16_t)to_shca_ah(ah)->number;
	return 0;
}

/* ---- queue pairs ---- */

SHCA_EXPORT struct ibv_qp *efadv_create_driver_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr, uint32_t type)
{
	struct ibv_qp_init_attr_ex extended = shca_extended(pd, attr);
	struct ibv_qp *qp;

	if (!is_efa())
		return shca_null(EOPNOTSUPP);
	if (attr->qp_type != IBV_QPT_DRIVER)
		return shca_null(EINVAL);
	if (type != EFADV_QP_DRIVER_TYPE_SRD)
		return shca_null(EOPNOTSUPP);
	qp = shca_transport_create(pd->context, &extended);
	if (qp)
		attr->cap = extended.cap;
	return qp;
}

SHCA_EXPORT struct ibv_qp *efadv_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr,
					      struct efadv_qp_init_attr *efa, uint32_t size)
{
	struct shca_efadv_qp_init_attr given = { 0 };

	if (!is_efa())
		return shca_null(EOPNOTSUPP);
	if (attr->qp_type != IBV_QPT_DRIVER || size < offsetof(struct efadv_qp_init_attr, reserved) ||
	    !is_clear_behind(efa, sizeof(given), size))
		return shca_null(EINVAL);
	memcpy(&given, efa, size < sizeof(given) ? size : sizeof(given));
	/* To a library that does not know them, the service level and the flags are reserved. */
	if (given.comp_mask || given.reserved ||
	    (!shca_personality()->service_level && (given.flags || given.sl)))
		return shca_null(EINVAL);
	/* Receives of writes without a posted receive, and inline writes: this device has neither. */
	if (given.driver_qp_type != EFADV_QP_DRIVER_TYPE_SRD || given.flags)
		return shca_null(EOPNOTSUPP);
	return shca_transport_create(context, attr);
}

/* ---- completion queues ---- */

SHCA_EXPORT struct ibv_cq_ex *efadv_create_cq(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr,
					      struct efadv_cq_init_attr *efa, uint32_t size)
{
	if (!is_efa())
		return shca_null(EOPNOTSUPP);
	if (size < sizeof(*efa) || efa->comp_mask || !is_clear_behind(efa, sizeof(*efa), size))
		return shca_null(EINVAL);
	if (efa->wc_flags & ~(uint64_t)(shca_personality()->source_gid ? EFADV_WC_EX_WITH_SGID : 0))
		return shca_null(EOPNOTSUPP);
	return efa->wc_flags ? shca_create_cq_with_sources(context, attr) : shca_create_cq_ex(context, attr);
}

SHCA_EXPORT struct efadv_cq *efadv_cq_from_ibv_cq_ex(struct ibv_cq_ex *cq)
{
	if (!is_efa())
		return shca_null(EOPNOTSUPP);
	return (struct efadv_cq *)&shca_container_of(cq, struct shca_cq, ex)->efa;
}
