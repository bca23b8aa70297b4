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
 * Functions of libibverbs, librdmacm and libefa that are newer than the headers which this is built with, for features
 * that the device lacks. Without them a call of a newer program would go to the library behind this one, with objects
 * that it does not know. testsuite/softhca/symbols compares the names with those of rdma-core.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include "base/shca_error.h"
#include "base/shca_export.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define REFUSE(name, ...)						\
	SHCA_EXPORT int name(__VA_ARGS__);				\
	int name(__VA_ARGS__)						\
	{								\
		return shca_error(EOPNOTSUPP);				\
	}

/* Returns -1 with errno. */
#define FAIL(name, ...)							\
	SHCA_EXPORT int name(__VA_ARGS__);				\
	int name(__VA_ARGS__)						\
	{								\
		errno = EOPNOTSUPP;					\
		return -1;						\
	}

#define REFUSE_NEW(type, name, ...)					\
	SHCA_EXPORT type *name(__VA_ARGS__);				\
	type *name(__VA_ARGS__)						\
	{								\
		return shca_null(EOPNOTSUPP);				\
	}

/* ---- libibverbs: hints for the bus, from version 59 of rdma-core on ---- */

struct ibv_dmah;
struct ibv_dmah_init_attr;

REFUSE_NEW(struct ibv_dmah, ibv_alloc_dmah, struct ibv_context *context, struct ibv_dmah_init_attr *attr)
REFUSE(ibv_dealloc_dmah, struct ibv_dmah *handle)

/* ---- from 62 on ---- */

FAIL(ibv_dm_export_dmabuf_fd, struct ibv_dm *memory)
REFUSE(ibv_query_port_speed, struct ibv_context *context, uint32_t port, uint64_t *speed)

/* ---- buffers that a provider allocates, from 64 on ---- */

struct ibv_buf;

REFUSE_NEW(void, ibv_alloc_buf, struct ibv_pd *pd, size_t size, struct ibv_buf **buffer)
FAIL(ibv_export_buf_dmabuf_fd, struct ibv_buf *buffer)
REFUSE_NEW(struct ibv_mr, ibv_reg_buf_mr, struct ibv_pd *pd, struct ibv_buf *buffer, void *address, size_t length,
	   int access)

SHCA_EXPORT void ibv_free_buf(struct ibv_buf *buffer);
void ibv_free_buf(struct ibv_buf *buffer)
{
}

/* ---- completion counters, from 65 on ---- */

struct ibv_comp_cntr;
struct ibv_comp_cntr_caps;
struct ibv_comp_cntr_init_attr;
struct ibv_qp_attach_comp_cntr_attr;

REFUSE(_ibv_query_comp_cntr_caps, struct ibv_context *context, struct ibv_comp_cntr_caps *caps, size_t size)
REFUSE_NEW(struct ibv_comp_cntr, ibv_create_comp_cntr, struct ibv_context *context,
	   struct ibv_comp_cntr_init_attr *attr)
REFUSE(ibv_destroy_comp_cntr, struct ibv_comp_cntr *counter)
REFUSE(ibv_set_comp_cntr, struct ibv_comp_cntr *counter, uint64_t value)
REFUSE(ibv_set_err_comp_cntr, struct ibv_comp_cntr *counter, uint64_t value)
REFUSE(ibv_inc_comp_cntr, struct ibv_comp_cntr *counter, uint64_t amount)
REFUSE(ibv_inc_err_comp_cntr, struct ibv_comp_cntr *counter, uint64_t amount)
REFUSE(ibv_read_comp_cntr, struct ibv_comp_cntr *counter, uint64_t *value)
REFUSE(ibv_read_err_comp_cntr, struct ibv_comp_cntr *counter, uint64_t *value)
REFUSE(ibv_qp_attach_comp_cntr, struct ibv_qp *qp, struct ibv_comp_cntr *counter,
       struct ibv_qp_attach_comp_cntr_attr *attr)

/* ---- librdmacm, from 60 on ---- */

FAIL(rdma_resolve_addrinfo, struct rdma_cm_id *id, const char *node, const char *service,
     const struct rdma_addrinfo *hints)
FAIL(rdma_query_addrinfo, struct rdma_cm_id *id, struct rdma_addrinfo **info)
FAIL(rdma_write_cm_event, struct rdma_cm_id *id, enum rdma_cm_event_type event, int status, uint64_t argument)

/* ---- libefa, from 51 on ---- */

struct efadv_comp_cntr_init_attr;
struct efadv_cq_attr;
struct efadv_mr_attr;
struct efadv_qp;
struct efadv_rq_depth_attr;
struct efadv_sq_depth_attr;
struct efadv_wq_attr;

REFUSE(efadv_query_mr, struct ibv_mr *mr, struct efadv_mr_attr *attr, uint32_t size)
REFUSE(efadv_query_cq, struct ibv_cq *cq, struct efadv_cq_attr *attr, uint32_t size)
REFUSE(efadv_query_qp_wqs, struct ibv_qp *qp, struct efadv_wq_attr *send, struct efadv_wq_attr *receive, uint32_t size)
REFUSE_NEW(struct efadv_qp, efadv_qp_from_ibv_qp_ex, struct ibv_qp_ex *qp)
REFUSE_NEW(struct ibv_comp_cntr, efadv_create_comp_cntr, struct ibv_context *context,
	   struct ibv_comp_cntr_init_attr *attr, struct efadv_comp_cntr_init_attr *efa, uint32_t size)

/* A depth, or the negative error. */
#define REFUSE_DEPTH(name, ...)						\
	SHCA_EXPORT int name(__VA_ARGS__);				\
	int name(__VA_ARGS__)						\
	{								\
		return -shca_error(EOPNOTSUPP);				\
	}

REFUSE_DEPTH(efadv_get_max_sq_depth, struct ibv_context *context, struct efadv_sq_depth_attr *attr, uint32_t size)
REFUSE_DEPTH(efadv_get_max_rq_depth, struct ibv_context *context, struct efadv_rq_depth_attr *attr, uint32_t size)
