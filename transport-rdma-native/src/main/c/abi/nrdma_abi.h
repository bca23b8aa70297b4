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
 * The records that C and Java share. They are not those of rdma-core: they have fixed sizes, natural
 * alignment, and no pointers to structures that differ between architectures (those of rdma-core
 * embed pthread_mutex_t). Java declares the same records field by field in
 * io.nettyrdma.jni.AbiLayout. The two are compared by name when the library is loaded (nrdma_abi.c),
 * so a mismatch is an error at start-up and not a corrupt record later.
 *
 * Numbers are in host byte order, including immediate data and ports: only this library converts
 * from and to network byte order. GIDs and IP addresses are bytes in network order.
 * A handle is a pointer of this library or of rdma-core as a 64-bit number; 0 is "none".
 * A "context" is a number that Java chose, not a pointer. Events carry it; an event may be read after
 * its object is gone, and must then match no other object.
 */
#ifndef NRDMA_ABI_H
#define NRDMA_ABI_H

#include <stddef.h>
#include <stdint.h>

/* ---- data path ---------------------------------------------------------------------------- */

/*
 * A work completion.
 *
 *    0                8            12               16        20        24 25 26 27 28   30   32
 *   +----------------+------------+----------------+---------+---------+--+--+--+--+----+----+
 *   | wr_id          | byte_len   | imm or         | qp_num  | src_qp  |st|op|fl|sl|slid|  0 |
 *   |                |            | vendor_err     |         |         |  |  |  |  |    |    |
 *   +----------------+------------+----------------+---------+---------+--+--+--+--+----+----+
 *
 * Verbs define only wr_id, status, qp_num and vendor_err of a failed completion, and no vendor_err
 * of a successful one, so imm and vendor_err share a field.
 */
struct nrdma_wc {
	uint64_t wr_id;
	uint32_t byte_len;
	uint32_t imm_or_vendor_err;
	uint32_t qp_num;
	uint32_t src_qp;
	uint8_t status;		/* enum ibv_wc_status */
	uint8_t opcode;		/* enum ibv_wc_opcode */
	uint8_t flags;		/* IBV_WC_GRH = 1, IBV_WC_WITH_IMM = 2, NRDMA_WC_SENDER_GID */
	uint8_t sl;
	uint16_t slid;
	uint16_t reserved;
};

#define NRDMA_WC_SENDER_GID 128	/* its sender's GID is behind the completions: see nrdma_poll */

/* An SGE. It has the layout of struct ibv_sge, so lists are passed to rdma-core without a copy. */
struct nrdma_sge {
	uint64_t addr;
	uint32_t length;
	uint32_t lkey;
};

/*
 * A send work request: this header, followed by num_sge times struct nrdma_sge and then the next
 * work request. The opcode and the type of the queue pair determine which fields are used:
 *
 *    0        8  9  10      12       16            24      28           32            40           48
 *   +--------+--+--+-------+--------+-------------+-------+------------+-------------+-----------+
 *   | wr_id  |op|fl|num_sge| imm    | remote_addr | rkey  | remote_qpn | compare_add | swap      |
 *   |        |  |  |       |        |             |       |            | or ah       | or qkey   |
 *   +--------+--+--+-------+--------+-------------+-------+------------+-------------+-----------+
 *     all              all   *_imm    one-sided   one-sided  datagram     atomic or datagram
 *
 * Only connections have atomics and only datagrams have address handles, so they share fields.
 */
struct nrdma_send_wr {
	uint64_t wr_id;
	uint8_t opcode;		/* enum ibv_wr_opcode */
	uint8_t flags;		/* enum ibv_send_flags: FENCE 1, SIGNALED 2, SOLICITED 4, INLINE 8 */
	uint16_t num_sge;
	uint32_t imm;
	uint64_t remote_addr;
	uint32_t rkey;
	uint32_t remote_qpn;
	uint64_t compare_add_or_ah;
	uint64_t swap_or_qkey;
};

/* A receive work request: this header, followed by num_sge times struct nrdma_sge. */
struct nrdma_recv_wr {
	uint64_t wr_id;
	uint32_t num_sge;
	uint32_t reserved;
};

/* ---- devices ------------------------------------------------------------------------------ */

#define NRDMA_NAME_MAX 64	/* IBV_SYSFS_NAME_MAX, including the terminating zero */

struct nrdma_device_info {
	char name[NRDMA_NAME_MAX];
	uint64_t guid;		/* as a number: 0x0200:00ff:fe00:0000 is 0x020000fffe000000 */
	uint32_t node_type;	/* enum ibv_node_type */
	uint32_t transport_type;	/* enum ibv_transport_type: IB 0, IWARP 1, ... */
};

struct nrdma_device_attr {
	char fw_ver[64];
	uint64_t node_guid;
	uint64_t sys_image_guid;
	uint64_t max_mr_size;
	uint64_t page_size_cap;
	uint32_t vendor_id;
	uint32_t vendor_part_id;
	uint32_t hw_ver;
	uint32_t device_cap_flags;
	uint32_t max_qp;
	uint32_t max_qp_wr;
	uint32_t max_sge;
	uint32_t max_sge_rd;
	uint32_t max_cq;
	uint32_t max_cqe;
	uint32_t max_mr;
	uint32_t max_pd;
	uint32_t max_qp_rd_atom;
	uint32_t max_qp_init_rd_atom;
	uint32_t atomic_cap;	/* enum ibv_atomic_cap: NONE 0, HCA 1, GLOB 2 */
	uint32_t max_ah;
	uint32_t max_srq;
	uint32_t max_srq_wr;
	uint32_t max_srq_sge;
	uint32_t max_pkeys;
	uint32_t phys_port_cnt;
	uint32_t num_comp_vectors;
};

struct nrdma_port_attr {
	uint32_t state;		/* enum ibv_port_state: ACTIVE 4 */
	uint32_t max_mtu;	/* enum ibv_mtu: 1 is 256 bytes ... 5 is 4096 */
	uint32_t active_mtu;
	uint32_t gid_tbl_len;
	uint32_t pkey_tbl_len;
	uint32_t max_msg_sz;	/* bytes */
	uint32_t lid;
	uint32_t link_layer;	/* UNSPECIFIED 0, INFINIBAND 1, ETHERNET 2 */
	uint32_t active_speed;
	uint32_t active_width;
};

struct nrdma_gid {
	uint8_t raw[16];
	uint32_t type;		/* IB 0, RoCE v1 1, RoCE v2 2; NRDMA_GID_TYPE_UNKNOWN */
	uint32_t ndev_ifindex;
};

#define NRDMA_GID_TYPE_UNKNOWN 0xffffffffu

struct nrdma_async_event {
	uint64_t context;	/* of the queue pair, CQ or SRQ; 0 for port and device events */
	uint32_t type;		/* enum ibv_event_type */
	uint32_t port_num;
};

/* ---- queues ------------------------------------------------------------------------------- */

/* In: all fields. Out: cqe, extended, single_threaded and sender_gids as granted. */
struct nrdma_cq_init {
	uint64_t device;
	uint64_t channel;	/* 0: no events */
	uint64_t context;
	uint32_t cqe;
	uint32_t comp_vector;
	uint8_t extended;	/* 1: try ibv_create_cq_ex first, 0: use only ibv_create_cq */
	uint8_t single_threaded;	/* 1: one thread at a time uses it and its queue pairs; extended queues only */
	uint8_t sender_gids;	/* 1: try efadv_create_cq with EFADV_WC_EX_WITH_SGID first; extended queues only */
	uint8_t reserved[5];
};

struct nrdma_srq_init {
	uint64_t pd;
	uint64_t context;
	uint32_t max_wr;	/* out: as granted */
	uint32_t max_sge;	/* out: as granted */
	uint32_t limit;
	uint32_t reserved;
};

/* In: all fields but qp_num. Out: qp_num, the five capacities and extended as granted. */
struct nrdma_qp_init {
	uint64_t pd;
	uint64_t send_cq;
	uint64_t recv_cq;
	uint64_t srq;		/* 0: the queue pair has its own receive queue */
	uint64_t context;
	uint32_t max_send_wr;
	uint32_t max_recv_wr;
	uint32_t max_send_sge;
	uint32_t max_recv_sge;
	uint32_t max_inline;
	uint32_t qp_num;
	uint8_t type;		/* enum ibv_qp_type: RC 2, UD 4, DRIVER 255, which is EFA's SRD */
	uint8_t sq_sig_all;
	uint8_t extended;	/* 1: try ibv_create_qp_ex with ibv_wr_* first, 0: use only ibv_create_qp */
	uint8_t service_level;	/* of SRD; out: 0 if the level asked for was refused */
	uint32_t vendor_id;	/* of the device: nrdma_soft_roce.h */
};

struct nrdma_ah_attr {
	uint8_t dgid[16];
	uint32_t flow_label;
	uint16_t dlid;
	uint8_t sgid_index;
	uint8_t hop_limit;
	uint8_t traffic_class;
	uint8_t sl;
	uint8_t src_path_bits;
	uint8_t static_rate;
	uint8_t is_global;
	uint8_t port_num;
	uint8_t reserved[2];
};

/* mask names the valid fields, as in ibv_modify_qp. Only a query fills the capacities. */
struct nrdma_qp_attr {
	uint32_t mask;		/* enum ibv_qp_attr_mask */
	uint32_t qkey;
	uint32_t rq_psn;
	uint32_t sq_psn;
	uint32_t dest_qp_num;
	uint32_t access_flags;
	struct nrdma_ah_attr ah;
	uint16_t pkey_index;
	uint8_t state;		/* enum ibv_qp_state */
	uint8_t path_mtu;	/* enum ibv_mtu */
	uint8_t max_rd_atomic;
	uint8_t max_dest_rd_atomic;
	uint8_t min_rnr_timer;
	uint8_t port_num;
	uint8_t timeout;
	uint8_t retry_cnt;
	uint8_t rnr_retry;
	uint8_t sq_draining;
	uint32_t max_send_wr;
	uint32_t max_recv_wr;
	uint32_t max_send_sge;
	uint32_t max_recv_sge;
	uint32_t max_inline;
};

/* ---- connection manager ------------------------------------------------------------------- */

/* An IP address and port. family is 4, 6, or 0 for "none". */
struct nrdma_sockaddr {
	uint8_t addr[16];	/* an IPv4 address fills the first four bytes */
	uint32_t scope_id;
	uint16_t port;
	uint8_t family;
	uint8_t reserved;
};

/* Parameters of connect and accept; a rnr_retry of 7 is without limit. */
struct nrdma_conn_param {
	uint32_t qp_num;
	uint8_t responder_resources;
	uint8_t initiator_depth;
	uint8_t flow_control;
	uint8_t retry_count;
	uint8_t rnr_retry_count;
	uint8_t srq;
	uint8_t private_data_len;
	uint8_t reserved;
	uint8_t private_data[256];
};

/*
 * An event of the connection manager, already copied and acknowledged. For a connection request, id
 * is the handle of its new rdma_cm_id, which the reader of the event now owns; otherwise it is 0.
 * context names the id of the event, which for a connection request is the listening id.
 */
struct nrdma_cm_event {
	uint64_t id;
	uint64_t context;
	uint32_t type;		/* enum rdma_cm_event_type */
	int32_t status;		/* 0 on success, -errno, or the reason of a reject */
	struct nrdma_conn_param conn;	/* qp_num: the peer's */
	struct nrdma_ah_attr ah;	/* datagram service only */
	uint32_t qkey;		/* datagram service only */
};

/* ---- EFA ---------------------------------------------------------------------------------- */

struct nrdma_efa_attr {
	uint32_t max_sq_wr;
	uint32_t max_rq_wr;
	uint16_t max_sq_sge;
	uint16_t max_rq_sge;
	uint16_t inline_buf_size;
	uint16_t reserved;
	uint32_t device_caps;	/* EFADV_DEVICE_ATTR_CAPS_* */
	uint32_t max_rdma_size;
};

/* Java and the drawings above depend on these. */
_Static_assert(sizeof(struct nrdma_wc) == 32, "two completions in a cache line");
_Static_assert(offsetof(struct nrdma_wc, status) == 24, "see the drawing");
_Static_assert(sizeof(struct nrdma_sge) == 16, "passed on as struct ibv_sge");
_Static_assert(sizeof(struct nrdma_send_wr) == 48, "see the drawing");
_Static_assert(offsetof(struct nrdma_send_wr, compare_add_or_ah) == 32, "see the drawing");
_Static_assert(sizeof(struct nrdma_recv_wr) == 16, "its list starts aligned");

#endif
