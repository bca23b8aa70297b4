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
 * The function tables of a context. No entry that a program may call is NULL: unsupported functions return EOPNOTSUPP.
 */
#include "abi/shca_ops.h"

#include <errno.h>
#include <fcntl.h>

#include "base/shca_error.h"
#include "queue/shca_completion_queue.h"
#include "queue/shca_shared_receive_queue.h"
#include "queue_pair/shca_queue_pair.h"
#include "transport/shca_transport.h"

#define COMP_VECTORS	4

/* ---- unsupported functions ---- */

#define REFUSE_NEW(name, type, ...)			\
	static struct type *name(__VA_ARGS__)		\
	{						\
		return shca_null(EOPNOTSUPP);		\
	}

#define REFUSE(name, ...)				\
	static int name(__VA_ARGS__)			\
	{						\
		return shca_error(EOPNOTSUPP);		\
	}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

REFUSE_NEW(alloc_mw, ibv_mw, struct ibv_pd *pd, enum ibv_mw_type type)
REFUSE(bind_mw, struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
REFUSE(dealloc_mw, struct ibv_mw *mw)
REFUSE(advise_mr, struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags, struct ibv_sge *list,
       uint32_t count)
REFUSE_NEW(alloc_null_mr, ibv_mr, struct ibv_pd *pd)
REFUSE(read_counters, struct ibv_counters *counters, uint64_t *values, uint32_t count, uint32_t flags)
REFUSE(attach_counters, struct ibv_counters *counters, struct ibv_counter_attach_attr *attr, struct ibv_flow *flow)
REFUSE_NEW(create_counters, ibv_counters, struct ibv_context *context, struct ibv_counters_init_attr *attr)
REFUSE(destroy_counters, struct ibv_counters *counters)
REFUSE_NEW(reg_dm_mr, ibv_mr, struct ibv_pd *pd, struct ibv_dm *dm, uint64_t offset, size_t length, unsigned int access)
REFUSE_NEW(alloc_dm, ibv_dm, struct ibv_context *context, struct ibv_alloc_dm_attr *attr)
REFUSE(free_dm, struct ibv_dm *dm)
REFUSE(modify_flow_action_esp, struct ibv_flow_action *action, struct ibv_flow_action_esp_attr *attr)
REFUSE(destroy_flow_action, struct ibv_flow_action *action)
REFUSE_NEW(create_flow_action_esp, ibv_flow_action, struct ibv_context *context, struct ibv_flow_action_esp_attr *attr)
REFUSE(modify_qp_rate_limit, struct ibv_qp *qp, struct ibv_qp_rate_limit_attr *attr)
REFUSE_NEW(alloc_parent_domain, ibv_pd, struct ibv_context *context, struct ibv_parent_domain_init_attr *attr)
REFUSE(dealloc_td, struct ibv_td *td)
REFUSE_NEW(alloc_td, ibv_td, struct ibv_context *context, struct ibv_td_init_attr *attr)
REFUSE(modify_cq, struct ibv_cq *cq, struct ibv_modify_cq_attr *attr)
REFUSE(post_srq_ops, struct ibv_srq *srq, struct ibv_ops_wr *op, struct ibv_ops_wr **bad_op)
REFUSE(destroy_rwq_ind_table, struct ibv_rwq_ind_table *table)
REFUSE_NEW(create_rwq_ind_table, ibv_rwq_ind_table, struct ibv_context *context,
	   struct ibv_rwq_ind_table_init_attr *attr)
REFUSE(destroy_wq, struct ibv_wq *wq)
REFUSE(modify_wq, struct ibv_wq *wq, struct ibv_wq_attr *attr)
REFUSE_NEW(create_wq, ibv_wq, struct ibv_context *context, struct ibv_wq_init_attr *attr)
REFUSE(query_rt_values, struct ibv_context *context, struct ibv_values_ex *values)
REFUSE(destroy_flow, struct ibv_flow *flow)
REFUSE_NEW(create_flow, ibv_flow, struct ibv_qp *qp, struct ibv_flow_attr *attr)
REFUSE_NEW(open_qp, ibv_qp, struct ibv_context *context, struct ibv_qp_open_attr *attr)
REFUSE(get_srq_num, struct ibv_srq *srq, uint32_t *number)
REFUSE_NEW(open_xrcd, ibv_xrcd, struct ibv_context *context, struct ibv_xrcd_init_attr *attr)
REFUSE(close_xrcd, struct ibv_xrcd *xrcd)

#pragma GCC diagnostic pop

/* Creates basic queues only: XRC and tag matching are not supported. */
static struct ibv_srq *create_srq_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *attr)
{
	struct ibv_srq_init_attr basic = { .srq_context = attr->srq_context, .attr = attr->attr };

	if (attr->comp_mask & ~(uint32_t)(IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD) ||
	    (attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE && attr->srq_type != IBV_SRQT_BASIC))
		return shca_null(EOPNOTSUPP);
	if (!(attr->comp_mask & IBV_SRQ_INIT_ATTR_PD) || !attr->pd || attr->pd->context != context) {
		return shca_null(EINVAL);
	}
	return ibv_create_srq(attr->pd, &basic);
}

static const struct ibv_context_ops context_ops = {
	.alloc_mw = alloc_mw,
	.bind_mw = bind_mw,
	.dealloc_mw = dealloc_mw,
	.poll_cq = shca_poll_cq,
	.req_notify_cq = shca_req_notify_cq,
	.post_srq_recv = shca_post_srq_recv,
	.post_send = shca_post_send,
	.post_recv = shca_post_recv,
};

static const struct verbs_context verbs = {
	.query_port = shca_query_port,
	.advise_mr = advise_mr,
	.alloc_null_mr = alloc_null_mr,
	.read_counters = read_counters,
	.attach_counters_point_flow = attach_counters,
	.create_counters = create_counters,
	.destroy_counters = destroy_counters,
	.reg_dm_mr = reg_dm_mr,
	.alloc_dm = alloc_dm,
	.free_dm = free_dm,
	.modify_flow_action_esp = modify_flow_action_esp,
	.destroy_flow_action = destroy_flow_action,
	.create_flow_action_esp = create_flow_action_esp,
	.modify_qp_rate_limit = modify_qp_rate_limit,
	.alloc_parent_domain = alloc_parent_domain,
	.dealloc_td = dealloc_td,
	.alloc_td = alloc_td,
	.modify_cq = modify_cq,
	.post_srq_ops = post_srq_ops,
	.destroy_rwq_ind_table = destroy_rwq_ind_table,
	.create_rwq_ind_table = create_rwq_ind_table,
	.destroy_wq = destroy_wq,
	.modify_wq = modify_wq,
	.create_wq = create_wq,
	.query_rt_values = query_rt_values,
	.create_cq_ex = shca_create_cq_ex,
	.query_device_ex = shca_query_device_ex,
	.ibv_destroy_flow = destroy_flow,
	.ibv_create_flow = create_flow,
	.open_qp = open_qp,
	.create_qp_ex = shca_create_qp_ex,
	.get_srq_num = get_srq_num,
	.create_srq_ex = create_srq_ex,
	.open_xrcd = open_xrcd,
	.close_xrcd = close_xrcd,
	.sz = sizeof(struct verbs_context),
};

void shca_context_init(struct shca_context *context, struct ibv_device *device)
{
	struct ibv_context *ibv = &context->vctx.context;

	context->vctx = verbs;
	ibv->device = device;
	ibv->ops = context_ops;
	/*
	 * A program that shares the device with another process duplicates this descriptor, and
	 * ibv_import_device refuses it then. Nothing else needs it, so a failure does not matter.
	 */
	ibv->cmd_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	ibv->async_fd = context->events.fd;
	ibv->num_comp_vectors = COMP_VECTORS;
	pthread_mutex_init(&ibv->mutex, NULL);
	/* Shows the inline functions of verbs.h that a verbs_context surrounds this context. */
	ibv->abi_compat = (void *)UINTPTR_MAX;
}
