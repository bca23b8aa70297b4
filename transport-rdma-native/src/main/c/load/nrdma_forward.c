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
 * The functions of rdma-core under their own names; each calls the symbol that nrdma_symbols.c found.
 * The rest of the shim is therefore plain verbs code, and the inline functions of verbs.h link without
 * linking rdma-core. If a library is not open, or too old to have a symbol, the call fails with ENOSYS.
 *
 * These functions must not be exported. They would replace the real ones for every library that
 * resolves the symbols later, such as librdmacm, and then call themselves without end. They are hidden
 * here, independent of compiler options.
 */
#include <errno.h>

#include "load/nrdma_symbols.h"

#pragma GCC visibility push(hidden)

/* The names are in parentheses because verbs.h has macros for some of them. */
#define FORWARD(library, type, name, parameters, arguments, otherwise)				\
	type (name) parameters									\
	{											\
		const struct nrdma_##library##_symbols *symbols = nrdma_##library##_symbols();	\
												\
		if (!symbols || !symbols->name) {						\
			errno = ENOSYS;								\
			return otherwise;							\
		}										\
		return (symbols->name) arguments;						\
	}

#define FORWARD_VOID(library, name, parameters, arguments)					\
	void (name) parameters									\
	{											\
		const struct nrdma_##library##_symbols *symbols = nrdma_##library##_symbols();	\
												\
		if (symbols)									\
			(symbols->name) arguments;						\
	}

/* ---- libibverbs ---- */

FORWARD(verbs, struct ibv_device **, ibv_get_device_list, (int *num_devices), (num_devices), NULL)
FORWARD_VOID(verbs, ibv_free_device_list, (struct ibv_device **list), (list))
FORWARD(verbs, const char *, ibv_get_device_name, (struct ibv_device *device), (device), NULL)
FORWARD(verbs, __be64, ibv_get_device_guid, (struct ibv_device *device), (device), 0)
FORWARD(verbs, struct ibv_context *, ibv_open_device, (struct ibv_device *device), (device), NULL)
FORWARD(verbs, int, ibv_close_device, (struct ibv_context *context), (context), ENOSYS)
FORWARD(verbs, int, ibv_query_device,
	(struct ibv_context *context, struct ibv_device_attr *attr), (context, attr), ENOSYS)
FORWARD(verbs, int, ibv_query_port,
	(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *attr),
	(context, port, attr), ENOSYS)
FORWARD(verbs, int, ibv_query_gid,
	(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid),
	(context, port, index, gid), ENOSYS)
FORWARD(verbs, int, _ibv_query_gid_ex,
	(struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *entry,
	 uint32_t flags, size_t entry_size),
	(context, port, index, entry, flags, entry_size), ENOSYS)

FORWARD(verbs, int, ibv_get_async_event,
	(struct ibv_context *context, struct ibv_async_event *event), (context, event), -1)
FORWARD_VOID(verbs, ibv_ack_async_event, (struct ibv_async_event *event), (event))

FORWARD(verbs, struct ibv_pd *, ibv_alloc_pd, (struct ibv_context *context), (context), NULL)
FORWARD(verbs, int, ibv_dealloc_pd, (struct ibv_pd *pd), (pd), ENOSYS)
FORWARD(verbs, struct ibv_mr *, ibv_reg_mr,
	(struct ibv_pd *pd, void *addr, size_t length, int access),
	(pd, addr, length, access), NULL)
FORWARD(verbs, struct ibv_mr *, ibv_reg_mr_iova2,
	(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access),
	(pd, addr, length, iova, access), NULL)
FORWARD(verbs, int, ibv_dereg_mr, (struct ibv_mr *mr), (mr), ENOSYS)

FORWARD(verbs, struct ibv_comp_channel *, ibv_create_comp_channel,
	(struct ibv_context *context), (context), NULL)
FORWARD(verbs, int, ibv_destroy_comp_channel, (struct ibv_comp_channel *channel), (channel), ENOSYS)
FORWARD(verbs, struct ibv_cq *, ibv_create_cq,
	(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel,
	 int comp_vector),
	(context, cqe, cq_context, channel, comp_vector), NULL)
FORWARD(verbs, int, ibv_destroy_cq, (struct ibv_cq *cq), (cq), ENOSYS)
FORWARD(verbs, int, ibv_get_cq_event,
	(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context),
	(channel, cq, cq_context), -1)
FORWARD_VOID(verbs, ibv_ack_cq_events, (struct ibv_cq *cq, unsigned int nevents), (cq, nevents))

FORWARD(verbs, struct ibv_srq *, ibv_create_srq,
	(struct ibv_pd *pd, struct ibv_srq_init_attr *attr), (pd, attr), NULL)
FORWARD(verbs, int, ibv_modify_srq,
	(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask), (srq, attr, mask), ENOSYS)
FORWARD(verbs, int, ibv_query_srq,
	(struct ibv_srq *srq, struct ibv_srq_attr *attr), (srq, attr), ENOSYS)
FORWARD(verbs, int, ibv_destroy_srq, (struct ibv_srq *srq), (srq), ENOSYS)

FORWARD(verbs, struct ibv_qp *, ibv_create_qp,
	(struct ibv_pd *pd, struct ibv_qp_init_attr *attr), (pd, attr), NULL)
FORWARD(verbs, struct ibv_qp_ex *, ibv_qp_to_qp_ex, (struct ibv_qp *qp), (qp), NULL)
FORWARD(verbs, int, ibv_modify_qp,
	(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask), (qp, attr, mask), ENOSYS)
FORWARD(verbs, int, ibv_query_qp,
	(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init),
	(qp, attr, mask, init), ENOSYS)
FORWARD(verbs, int, ibv_destroy_qp, (struct ibv_qp *qp), (qp), ENOSYS)

FORWARD(verbs, struct ibv_ah *, ibv_create_ah,
	(struct ibv_pd *pd, struct ibv_ah_attr *attr), (pd, attr), NULL)
FORWARD(verbs, int, ibv_destroy_ah, (struct ibv_ah *ah), (ah), ENOSYS)

/* ---- librdmacm ---- */

FORWARD(cm, struct rdma_event_channel *, rdma_create_event_channel, (void), (), NULL)
FORWARD_VOID(cm, rdma_destroy_event_channel, (struct rdma_event_channel *channel), (channel))
FORWARD(cm, int, rdma_get_cm_event,
	(struct rdma_event_channel *channel, struct rdma_cm_event **event), (channel, event), -1)
FORWARD(cm, int, rdma_ack_cm_event, (struct rdma_cm_event *event), (event), -1)
FORWARD(cm, int, rdma_create_id,
	(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context,
	 enum rdma_port_space ps),
	(channel, id, context, ps), -1)
FORWARD(cm, int, rdma_destroy_id, (struct rdma_cm_id *id), (id), -1)
FORWARD(cm, int, rdma_bind_addr, (struct rdma_cm_id *id, struct sockaddr *addr), (id, addr), -1)
FORWARD(cm, int, rdma_resolve_addr,
	(struct rdma_cm_id *id, struct sockaddr *source, struct sockaddr *destination, int timeout_ms),
	(id, source, destination, timeout_ms), -1)
FORWARD(cm, int, rdma_resolve_route, (struct rdma_cm_id *id, int timeout_ms), (id, timeout_ms), -1)
FORWARD(cm, int, rdma_listen, (struct rdma_cm_id *id, int backlog), (id, backlog), -1)
FORWARD(cm, int, rdma_connect,
	(struct rdma_cm_id *id, struct rdma_conn_param *param), (id, param), -1)
FORWARD(cm, int, rdma_establish, (struct rdma_cm_id *id), (id), -1)
FORWARD(cm, int, rdma_accept,
	(struct rdma_cm_id *id, struct rdma_conn_param *param), (id, param), -1)
FORWARD(cm, int, rdma_reject,
	(struct rdma_cm_id *id, const void *private_data, uint8_t length),
	(id, private_data, length), -1)
FORWARD(cm, int, rdma_disconnect, (struct rdma_cm_id *id), (id), -1)
FORWARD(cm, int, rdma_notify, (struct rdma_cm_id *id, enum ibv_event_type event), (id, event), -1)
FORWARD(cm, int, rdma_migrate_id,
	(struct rdma_cm_id *id, struct rdma_event_channel *channel), (id, channel), -1)
FORWARD(cm, int, rdma_set_option,
	(struct rdma_cm_id *id, int level, int option, void *value, size_t length),
	(id, level, option, value, length), -1)
FORWARD(cm, int, rdma_init_qp_attr,
	(struct rdma_cm_id *id, struct ibv_qp_attr *attr, int *mask), (id, attr, mask), -1)

/* ---- libefa ---- */

FORWARD(efa, int, efadv_query_device,
	(struct ibv_context *context, struct efadv_device_attr *attr, uint32_t length),
	(context, attr, length), ENOSYS)
FORWARD(efa, struct ibv_cq_ex *, efadv_create_cq,
	(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr, struct efadv_cq_init_attr *efa,
	 uint32_t length),
	(context, attr, efa, length), NULL)
FORWARD(efa, struct efadv_cq *, efadv_cq_from_ibv_cq_ex, (struct ibv_cq_ex *cq), (cq), NULL)
FORWARD(efa, struct ibv_qp *, efadv_create_qp_ex,
	(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr, struct efadv_qp_init_attr *efa,
	 uint32_t length),
	(context, attr, efa, length), NULL)
FORWARD(efa, int, efadv_query_ah,
	(struct ibv_ah *ah, struct efadv_ah_attr *attr, uint32_t length), (ah, attr, length), ENOSYS)

#pragma GCC visibility pop
