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

/* EFA: what the device reports and refuses, and the functions of libefa. */
#include <arpa/inet.h>
#include <rdma/rdma_cma.h>

#include "abi/shca_efadv.h"
#include "device/shca_context.h"
#include "fault/shca_fault.h"
#include "t_child.h"
#include "t_srd.h"

#define VARIABLE	"SOFTHCA_PERSONALITY"

#define CHECK_REFUSED(error, creation)			\
	do {						\
		errno = 0;				\
		CHECK((creation) == NULL);		\
		CHECK_EQ(error, errno);			\
	} while (0)

static struct t_srd side;

static void open_side(void)
{
	t_efa_open();
	t_srd_open(&side, 4096, T_MESSAGES, -1);
}

static void close_side(void)
{
	t_srd_close(&side);
	t_efa_close();
}

/* ---- queries ---- */

static void device_reports_efa(void)
{
	struct ibv_device_attr device;
	struct ibv_gid_entry entries[8];
	struct ibv_port_attr port;
	union ibv_gid gid;

	open_side();
	CHECK_EQ(IBV_NODE_UNSPECIFIED, t_efa->device->node_type);
	CHECK_EQ(IBV_TRANSPORT_UNSPECIFIED, t_efa->device->transport_type);
	CHECK_EQ(0, ibv_query_device(t_efa, &device));
	CHECK_EQ(SHCA_VENDOR_ID, device.vendor_id);
	CHECK_EQ(256, device.max_qp);
	CHECK_EQ(4096, device.max_qp_wr);
	CHECK_EQ(2, device.max_sge);
	CHECK_EQ(1, device.max_sge_rd);
	CHECK_EQ(512, device.max_cq);
	CHECK_EQ(32768, device.max_cqe);
	CHECK_EQ(1024, device.max_ah);
	CHECK_EQ(256, device.max_pd);
	CHECK_EQ(0, device.max_srq);
	CHECK_EQ(0, device.device_cap_flags);
	CHECK_EQ(IBV_ATOMIC_NONE, device.atomic_cap);
	CHECK_EQ(0, ibv_query_port(t_efa, 1, &port));
	CHECK_EQ(IBV_LINK_LAYER_UNSPECIFIED, port.link_layer);
	CHECK_EQ(1, port.gid_tbl_len);
	CHECK_EQ(1, port.pkey_tbl_len);
	CHECK_EQ(1, port.lmc);
	CHECK_EQ(8928, port.max_msg_sz);
	CHECK_EQ(IBV_MTU_4096, port.active_mtu);
	CHECK_EQ(0, port.flags);
	CHECK_EQ(0, port.port_cap_flags);
	CHECK_EQ(1, ibv_query_gid_table(t_efa, entries, 8, 0));
	CHECK_EQ(0xfe, entries[0].gid.raw[0]);
	CHECK_EQ(IBV_GID_TYPE_IB, entries[0].gid_type);
	CHECK_EQ(-1, ibv_query_gid(t_efa, 1, 1, &gid));
	close_side();
}

static void expect_caps(uint32_t caps, uint32_t max_rdma)
{
	struct efadv_device_attr attr;
	uint8_t longer[sizeof(attr) + 8];

	t_efa_open();
	CHECK_EQ(EINVAL, efadv_query_device(t_efa, &attr, 23));
	memset(&attr, 0xff, sizeof(attr));
	CHECK_EQ(0, efadv_query_device(t_efa, &attr, sizeof(attr)));
	CHECK_EQ(0, attr.comp_mask);
	CHECK_EQ(4096, attr.max_sq_wr);
	CHECK_EQ(32768, attr.max_rq_wr);
	CHECK_EQ(2, attr.max_sq_sge);
	CHECK_EQ(3, attr.max_rq_sge);
	CHECK_EQ(32, attr.inline_buf_size);
	CHECK_EQ(caps, attr.device_caps);
	CHECK_EQ(max_rdma, attr.max_rdma_size);
	memset(longer, 0xff, sizeof(longer));
	CHECK_EQ(0, efadv_query_device(t_efa, (struct efadv_device_attr *)longer, sizeof(longer)));
	CHECK_EQ(0, longer[sizeof(attr)]);
	t_efa_close();
}

static void efa_reads_and_writes(void)
{
	expect_caps(15, 1u << 30);
}

static void efa44_has_no_write(void)
{
	struct ibv_qp_init_attr_ex attr;
	struct shca_efadv_qp_init_attr efa = { .sl = 8 };

	expect_caps(7, 1u << 30);
	open_side();
	CHECK_REFUSED(EOPNOTSUPP, t_srd_qp(&side, IBV_QP_EX_WITH_RDMA_WRITE));
	CHECK_REFUSED(EOPNOTSUPP, ibv_reg_mr(side.pd, side.memory, 4096,
					     IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));
	attr = t_srd_attr(&side, T_MESSAGES);
	CHECK_REFUSED(EINVAL, efadv_create_qp_ex(t_efa, &attr, (struct efadv_qp_init_attr *)&efa, sizeof(efa)));
	close_side();
}

static void efa0_has_messages_alone(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 1, .rnr_retry = 3 };
	struct ibv_cq_init_attr_ex cq = { .cqe = 4 };
	struct efadv_cq_init_attr efa = { .wc_flags = EFADV_WC_EX_WITH_SGID };
	struct ibv_comp_channel *channel;
	struct ibv_cq_ex *plain;
	struct ibv_pd *pd;
	struct ibv_qp *qp;
	struct t_srd bare;

	expect_caps(0, 0);
	t_efa_open();
	channel = ibv_create_comp_channel(t_efa);
	pd = ibv_alloc_pd(t_efa);
	T_MUST(channel && pd);
	CHECK_REFUSED(EOPNOTSUPP, ibv_create_cq(t_efa, 4, NULL, channel, 0));
	CHECK_REFUSED(EOPNOTSUPP, efadv_create_cq(t_efa, &cq, &efa, sizeof(efa)));
	plain = ibv_create_cq_ex(t_efa, &cq);
	T_MUST(plain);
	bare = (struct t_srd){ .pd = pd, .send_cq = plain, .recv_cq = plain };
	CHECK_REFUSED(EOPNOTSUPP, t_srd_qp(&bare, IBV_QP_EX_WITH_RDMA_READ));
	qp = t_srd_qp(&bare, T_MESSAGES);
	T_MUST(qp);
	T_MUST(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY));
	attr.qp_state = IBV_QPS_RTR;
	T_MUST(!ibv_modify_qp(qp, &attr, IBV_QP_STATE));
	attr.qp_state = IBV_QPS_RTS;
	CHECK_EQ(EOPNOTSUPP, ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_RNR_RETRY));
	CHECK_EQ(0, ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN));
	CHECK_EQ(0, ibv_destroy_qp(qp));
	CHECK_EQ(0, ibv_destroy_cq(ibv_cq_ex_to_cq(plain)));
	CHECK_EQ(0, ibv_destroy_comp_channel(channel));
	CHECK_EQ(0, ibv_dealloc_pd(pd));
	t_efa_close();
}

/* ---- queue pairs ---- */

static void plain_call_creates_only_datagrams(void)
{
	struct ibv_qp_init_attr attr;
	struct ibv_qp *qp;

	open_side();
	attr = (struct ibv_qp_init_attr){
		.send_cq = ibv_cq_ex_to_cq(side.send_cq), .recv_cq = ibv_cq_ex_to_cq(side.recv_cq),
		.cap = { .max_send_wr = 5, .max_recv_wr = 5, .max_send_sge = 1, .max_recv_sge = 3 },
		.qp_type = IBV_QPT_RC,
	};
	CHECK_REFUSED(EOPNOTSUPP, ibv_create_qp(side.pd, &attr));
	attr.qp_type = IBV_QPT_DRIVER;
	CHECK_REFUSED(EOPNOTSUPP, ibv_create_qp(side.pd, &attr));
	attr.qp_type = IBV_QPT_UD;
	qp = ibv_create_qp(side.pd, &attr);
	T_MUST(qp);
	/* As many as fit into rings of a power of two. */
	CHECK_EQ(8, attr.cap.max_send_wr);
	CHECK_EQ(5, attr.cap.max_recv_wr);
	CHECK_EQ(0, ibv_destroy_qp(qp));
	attr.cap.max_recv_wr = 32768 / 3 + 1;
	CHECK_REFUSED(EINVAL, ibv_create_qp(side.pd, &attr));
	attr.cap.max_recv_wr = 5;
	CHECK_REFUSED(EINVAL, efadv_create_driver_qp(side.pd, &attr, EFADV_QP_DRIVER_TYPE_SRD));
	attr.qp_type = IBV_QPT_DRIVER;
	CHECK_REFUSED(EOPNOTSUPP, efadv_create_driver_qp(side.pd, &attr, EFADV_QP_DRIVER_TYPE_SRD + 1));
	qp = efadv_create_driver_qp(side.pd, &attr, EFADV_QP_DRIVER_TYPE_SRD);
	T_MUST(qp);
	CHECK(!ibv_qp_to_qp_ex(qp));
	CHECK_EQ(0, ibv_destroy_qp(qp));
	close_side();
}

static struct ibv_qp *create(const struct ibv_qp_init_attr_ex *like, struct shca_efadv_qp_init_attr efa, uint32_t size)
{
	struct ibv_qp_init_attr_ex attr = *like;
	uint8_t given[sizeof(efa) + 8] = { 0 };

	memcpy(given, &efa, sizeof(efa));
	given[sizeof(efa)] = size > sizeof(efa) + 1;	/* something unknown behind it */
	return efadv_create_qp_ex(t_efa, &attr, (struct efadv_qp_init_attr *)given, size);
}

static void queue_pair_attributes_are_checked(void)
{
	struct shca_efadv_qp_init_attr srd = { 0 }, efa;
	struct ibv_qp_init_attr_ex like, attr;
	struct ibv_qp_ex *ex;
	struct ibv_qp *qp;

	open_side();
	like = t_srd_attr(&side, T_MESSAGES);
	CHECK_REFUSED(EINVAL, create(&like, srd, 11));
	CHECK_REFUSED(EINVAL, create(&like, srd, sizeof(srd) + 8));
	efa = (struct shca_efadv_qp_init_attr){ .comp_mask = 1 };
	CHECK_REFUSED(EINVAL, create(&like, efa, sizeof(efa)));
	efa = (struct shca_efadv_qp_init_attr){ .reserved = 1 };
	CHECK_REFUSED(EINVAL, create(&like, efa, sizeof(efa)));
	efa = (struct shca_efadv_qp_init_attr){ .flags = 1 };
	CHECK_REFUSED(EOPNOTSUPP, create(&like, efa, sizeof(efa)));
	efa = (struct shca_efadv_qp_init_attr){ .driver_qp_type = 1 };
	CHECK_REFUSED(EOPNOTSUPP, create(&like, efa, sizeof(efa)));
	attr = like;
	attr.qp_type = IBV_QPT_UD;
	CHECK_REFUSED(EINVAL, create(&attr, srd, sizeof(srd)));
	attr = like;
	attr.comp_mask |= IBV_QP_INIT_ATTR_CREATE_FLAGS;
	CHECK_REFUSED(EOPNOTSUPP, create(&attr, srd, sizeof(srd)));
	attr = like;
	attr.comp_mask &= ~(uint32_t)IBV_QP_INIT_ATTR_PD;
	CHECK_REFUSED(EINVAL, create(&attr, srd, sizeof(srd)));
	attr = like;
	attr.send_ops_flags |= IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
	CHECK_REFUSED(EOPNOTSUPP, create(&attr, srd, sizeof(srd)));
	attr = like;
	attr.recv_cq = NULL;
	CHECK_REFUSED(EINVAL, create(&attr, srd, sizeof(srd)));
	attr = like;
	attr.cap.max_send_sge = 3;
	CHECK_REFUSED(EINVAL, create(&attr, srd, sizeof(srd)));
	attr = like;
	attr.cap.max_inline_data = 33;
	CHECK_REFUSED(EINVAL, create(&attr, srd, sizeof(srd)));
	efa = (struct shca_efadv_qp_init_attr){ .sl = 8 };
	qp = create(&like, efa, sizeof(efa));
	T_MUST(qp);
	ex = ibv_qp_to_qp_ex(qp);
	CHECK(ex->wr_send && ex->wr_send_imm && ex->wr_set_ud_addr && ex->wr_set_inline_data);
	CHECK(!ex->wr_rdma_read && !ex->wr_rdma_write && !ex->wr_rdma_write_imm && !ex->wr_atomic_fetch_add);
	CHECK_EQ(0, ibv_destroy_qp(qp));
	close_side();
}

static void states_change_as_the_driver_lets_them(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 3, .rnr_retry = 5 };
	int init_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY;
	struct ibv_qp_init_attr init;
	struct ibv_qp *qp;

	open_side();
	qp = t_srd_qp(&side, T_MESSAGES);
	T_MUST(qp);
	CHECK_EQ(EINVAL, ibv_modify_qp(qp, &attr, init_mask & ~IBV_QP_QKEY));
	CHECK_EQ(EOPNOTSUPP, ibv_modify_qp(qp, &attr, init_mask | IBV_QP_ACCESS_FLAGS));
	CHECK_EQ(EINVAL, ibv_modify_qp(qp, &attr, init_mask | IBV_QP_RNR_RETRY));
	CHECK_EQ(0, ibv_modify_qp(qp, &attr, init_mask));
	CHECK_EQ(0, ibv_query_qp(qp, &attr, IBV_QP_RNR_RETRY, &init));
	CHECK_EQ(7, attr.rnr_retry);
	attr.rnr_retry = 5;
	attr.qp_state = IBV_QPS_RTS;
	CHECK_EQ(EINVAL, ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN));
	attr.qp_state = IBV_QPS_RTR;
	CHECK_EQ(EOPNOTSUPP, ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV));
	CHECK_EQ(0, ibv_modify_qp(qp, &attr, IBV_QP_STATE));
	attr.qp_state = IBV_QPS_RTS;
	CHECK_EQ(EINVAL, ibv_modify_qp(qp, &attr, IBV_QP_STATE));
	CHECK_EQ(0, ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_RNR_RETRY));
	CHECK_EQ(0, ibv_query_qp(qp, &attr, IBV_QP_STATE | IBV_QP_RNR_RETRY | IBV_QP_CAP, &init));
	CHECK_EQ(IBV_QPS_RTS, attr.qp_state);
	CHECK_EQ(5, attr.rnr_retry);
	CHECK_EQ(IBV_QPT_DRIVER, init.qp_type);
	CHECK_EQ(EOPNOTSUPP, ibv_query_qp(qp, &attr, IBV_QP_AV, &init));
	CHECK_EQ(0, ibv_destroy_qp(qp));
	close_side();
}

/* Programs keep them in 16 bits, and find a queue pair by the lower 8. More than there are numbers are made. */
static void numbers_have_16_bits(void)
{
	struct t_target to;

	open_side();
	for (int i = 0; i < 600; i++) {
		struct ibv_qp *qp = t_srd_qp(&side, T_MESSAGES);

		T_MUST(qp);
		if (!qp->qp_num || qp->qp_num > UINT16_MAX || ((qp->qp_num ^ side.qp->qp_num) & 0xff) == 0)
			T_FAIL("queue pair %d has the number 0x%x", i, qp->qp_num);
		CHECK_EQ(0, ibv_destroy_qp(qp));
	}
	to = t_to(&side, 0);
	CHECK_EQ(0, t_srd_receive(&side, 1, 0, 64));
	CHECK_EQ(0, t_srd_post(&side, 2, IBV_WR_SEND, 64, 8, to));
	t_srd_expect(side.send_cq, 2, IBV_WC_SUCCESS, 0);
	to.qpn |= 1u << 16;
	CHECK_EQ(EINVAL, t_srd_post(&side, 3, IBV_WR_SEND, 64, 8, to));
	close_side();
}

/* ---- the rest ---- */

static void handles_of_one_gid_have_one_number(void)
{
	struct ibv_ah_attr attr = { .is_global = 1, .port_num = 1 };
	struct efadv_ah_attr one, other;
	struct ibv_ah *second, *stranger;

	open_side();
	second = t_handle(side.pd);
	attr.grh.dgid = t_gid;
	attr.grh.dgid.raw[9] ^= 1;
	stranger = ibv_create_ah(side.pd, &attr);
	T_MUST(second && stranger);
	CHECK_EQ(EINVAL, efadv_query_ah(side.ah, &one, 8));
	CHECK_EQ(0, efadv_query_ah(side.ah, &one, sizeof(one)));
	CHECK_EQ(0, efadv_query_ah(second, &other, sizeof(other)));
	CHECK_EQ(one.ahn, other.ahn);
	CHECK_EQ(0, efadv_query_ah(stranger, &other, sizeof(other)));
	CHECK(one.ahn != other.ahn);
	CHECK_EQ(0, ibv_destroy_ah(stranger));
	CHECK_EQ(0, ibv_destroy_ah(second));
	T_MUST(!shca_fault_set("handle@1"));
	CHECK_REFUSED(ENOMEM, ibv_create_ah(side.pd, &attr));
	T_MUST(!shca_fault_set("off,control@3:1us"));
	T_MUST(!ibv_destroy_ah(t_handle(side.pd)));
	CHECK_EQ(1000, shca_fault_control_ns());	/* each call was an occasion */
	T_MUST(!shca_fault_set("off"));
	attr.grh.dgid.raw[0] = 0x20;	/* of another network */
	CHECK_REFUSED(EINVAL, ibv_create_ah(side.pd, &attr));
	close_side();
}

static void functions_that_efa_lacks_are_refused(void)
{
	struct ibv_srq_init_attr srq = { .attr = { .max_wr = 1, .max_sge = 1 } };
	struct sockaddr_in loopback = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct rdma_event_channel *events = rdma_create_event_channel();
	struct rdma_cm_id *id;

	open_side();
	CHECK_REFUSED(EOPNOTSUPP, ibv_create_srq(side.pd, &srq));
	CHECK_REFUSED(EOPNOTSUPP, ibv_reg_mr(side.pd, side.memory, 4096,
					     IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC));
	CHECK_EQ(IBV_REREG_MR_ERR_INPUT, ibv_rereg_mr(side.mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, 0));
	T_MUST(events && !rdma_create_id(events, &id, NULL, RDMA_PS_TCP));
	CHECK_EQ(-1, rdma_bind_addr(id, (struct sockaddr *)&loopback));
	CHECK_EQ(ENODEV, errno);
	CHECK_EQ(0, rdma_destroy_id(id));
	rdma_destroy_event_channel(events);
	close_side();
}

/* Plain datagrams: an error is of one request, and the number of the sender comes with a message. */
static void datagrams_of_efa_fail_alone(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_send_wr wr = { .wr_id = 1, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_send_wr *bad;
	struct efadv_ah_attr number;
	struct ibv_sge sge;
	struct t_srd other;
	struct ibv_wc wc;

	open_side();
	init = (struct ibv_qp_init_attr){
		.send_cq = ibv_cq_ex_to_cq(side.send_cq), .recv_cq = ibv_cq_ex_to_cq(side.recv_cq),
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = IBV_QPT_UD,
	};
	other = side;
	other.qp = ibv_create_qp(side.pd, &init);
	T_MUST(other.qp);
	t_srd_start(other.qp, -1);
	sge = (struct ibv_sge){ (uintptr_t)side.memory + 4000, 100, side.mr->lkey };
	wr.sg_list = &sge;
	wr.wr.ud.ah = side.ah;
	wr.wr.ud.remote_qpn = other.qp->qp_num;
	wr.wr.ud.remote_qkey = T_QKEY;
	CHECK_EQ(0, ibv_post_send(other.qp, &wr, &bad));
	CHECK_EQ(IBV_WC_LOC_PROT_ERR, t_srd_wait(side.send_cq).status);
	sge.length = 16;
	CHECK_EQ(0, t_srd_receive(&other, 2, 0, 64));
	CHECK_EQ(0, ibv_post_send(other.qp, &wr, &bad));
	CHECK_EQ(IBV_WC_SUCCESS, t_srd_wait(side.send_cq).status);
	wc = t_srd_wait(side.recv_cq);
	CHECK_EQ(56, wc.byte_len);
	CHECK_EQ(0, wc.wc_flags);
	CHECK_EQ(0, efadv_query_ah(side.ah, &number, sizeof(number)));
	CHECK_EQ(number.ahn, wc.slid);
	/* A message of SRD does not reach it, and its sender is notified. */
	CHECK_EQ(0, t_srd_post(&side, 3, IBV_WR_SEND, 0, 8, t_to(&other, 0)));
	t_srd_expect(side.send_cq, 3, IBV_WC_REM_INV_RD_REQ_ERR, 9);
	CHECK_EQ(0, ibv_destroy_qp(other.qp));
	close_side();
}

static void rc_refuses_efa_functions(void)
{
	struct efadv_device_attr attr;

	t_efa_open();
	CHECK_EQ(EOPNOTSUPP, efadv_query_device(t_efa, &attr, sizeof(attr)));
	CHECK_REFUSED(EOPNOTSUPP, t_efa_cq(1));
	t_efa_close();
}

int main(void)
{
	T_MUST(!setenv("SOFTHCA_QUIET", "1", 1));
	t_in_child(VARIABLE, "efa", efa_reads_and_writes);
	t_in_child(VARIABLE, "efa44", efa44_has_no_write);
	t_in_child(VARIABLE, "efa0", efa0_has_messages_alone);
	t_in_child(VARIABLE, "rc", rc_refuses_efa_functions);
	T_MUST(!setenv(VARIABLE, "efa", 1));
	T_RUN(device_reports_efa);
	T_RUN(plain_call_creates_only_datagrams);
	T_RUN(queue_pair_attributes_are_checked);
	T_RUN(states_change_as_the_driver_lets_them);
	T_RUN(numbers_have_16_bits);
	T_RUN(handles_of_one_gid_have_one_number);
	T_RUN(functions_that_efa_lacks_are_refused);
	T_RUN(datagrams_of_efa_fail_alone);
	return t_result();
}
