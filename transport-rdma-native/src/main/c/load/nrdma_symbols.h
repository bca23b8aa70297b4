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
 * The symbols of rdma-core, resolved at run time: on a machine without rdma-core the shim must load
 * and report what is missing. Only nrdma_forward.c reads the tables; all other code calls the
 * functions by their own names.
 *
 * Safe from any thread. An open library of rdma-core stays open until the process ends: its providers
 * have threads and objects that may outlive all users.
 */
#ifndef NRDMA_SYMBOLS_H
#define NRDMA_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

#include <infiniband/efadv.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

/* Numbered as in io.nettyrdma.jni.LibraryNative. */
enum nrdma_library {
	NRDMA_LIBRARY_VERBS,
	NRDMA_LIBRARY_CM,
	NRDMA_LIBRARY_EFA,
	NRDMA_LIBRARY_COUNT,
};

/* Why the last call of this thread that failed with this number did so, or NULL. Of the software device's softhca.h. */
const char *softhca_reason(int error);
/* Whether the software device has closed what it keeps open. Of softhca.h, too. */
bool softhca_close(void);

#define NRDMA_VERBS_REQUIRED(X) \
	X(ibv_ack_async_event) \
	X(ibv_ack_cq_events) \
	X(ibv_alloc_pd) \
	X(ibv_close_device) \
	X(ibv_create_ah) \
	X(ibv_create_comp_channel) \
	X(ibv_create_cq) \
	X(ibv_create_qp) \
	X(ibv_create_srq) \
	X(ibv_dealloc_pd) \
	X(ibv_dereg_mr) \
	X(ibv_destroy_ah) \
	X(ibv_destroy_comp_channel) \
	X(ibv_destroy_cq) \
	X(ibv_destroy_qp) \
	X(ibv_destroy_srq) \
	X(ibv_free_device_list) \
	X(ibv_get_async_event) \
	X(ibv_get_cq_event) \
	X(ibv_get_device_guid) \
	X(ibv_get_device_list) \
	X(ibv_get_device_name) \
	X(ibv_modify_qp) \
	X(ibv_modify_srq) \
	X(ibv_open_device) \
	X(ibv_query_device) \
	X(ibv_query_gid) \
	X(ibv_query_port) \
	X(ibv_query_qp) \
	X(ibv_query_srq) \
	X(ibv_reg_mr)

/* Newer than the others: from v32, v24 and v28 of rdma-core; and what only the software device has. */
#define NRDMA_VERBS_OPTIONAL(X) \
	X(_ibv_query_gid_ex) \
	X(ibv_qp_to_qp_ex) \
	X(ibv_reg_mr_iova2) \
	X(softhca_close) \
	X(softhca_reason)

#define NRDMA_CM_REQUIRED(X) \
	X(rdma_accept) \
	X(rdma_ack_cm_event) \
	X(rdma_bind_addr) \
	X(rdma_connect) \
	X(rdma_create_event_channel) \
	X(rdma_create_id) \
	X(rdma_destroy_event_channel) \
	X(rdma_destroy_id) \
	X(rdma_disconnect) \
	X(rdma_establish) \
	X(rdma_get_cm_event) \
	X(rdma_init_qp_attr) \
	X(rdma_listen) \
	X(rdma_migrate_id) \
	X(rdma_notify) \
	X(rdma_reject) \
	X(rdma_resolve_addr) \
	X(rdma_resolve_route) \
	X(rdma_set_option)

#define NRDMA_CM_OPTIONAL(X)

#define NRDMA_EFA_REQUIRED(X) \
	X(efadv_query_device)

#define NRDMA_EFA_OPTIONAL(X) \
	X(efadv_cq_from_ibv_cq_ex) \
	X(efadv_create_cq) \
	X(efadv_create_qp_ex) \
	X(efadv_query_ah)

#define NRDMA_POINTER(name) __typeof__(name) *name;

struct nrdma_verbs_symbols {
	NRDMA_VERBS_REQUIRED(NRDMA_POINTER)
	NRDMA_VERBS_OPTIONAL(NRDMA_POINTER)
};

struct nrdma_cm_symbols {
	NRDMA_CM_REQUIRED(NRDMA_POINTER)
	NRDMA_CM_OPTIONAL(NRDMA_POINTER)
};

struct nrdma_efa_symbols {
	NRDMA_EFA_REQUIRED(NRDMA_POINTER)
	NRDMA_EFA_OPTIONAL(NRDMA_POINTER)
};

#undef NRDMA_POINTER

/*
 * Opens a library by path or by soname. Returns NULL on success, otherwise text, filled with what is
 * missing: the text of dlerror, or the name of a symbol. Opening an open library succeeds and ignores
 * the path. After a failure the caller may try another path.
 */
const char *nrdma_open_library(enum nrdma_library which, const char *path, char *text, size_t size);

/*
 * Unloads the software device, if that is open; rdma-core stays. No thread may be in a call of it, or make one later.
 * Returns false if it stays because something of it is still in use, so that it may still access memory.
 */
bool nrdma_unload_software(void);

/* NULL until the library is open. Then required pointers are set; optional ones may be NULL. */
const struct nrdma_verbs_symbols *nrdma_verbs_symbols(void);
const struct nrdma_cm_symbols *nrdma_cm_symbols(void);
const struct nrdma_efa_symbols *nrdma_efa_symbols(void);

#endif
