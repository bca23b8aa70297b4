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

#include <stdio.h>

#include "abi/nrdma_abi.h"
#include "abi/nrdma_abi_layout.h"

#define RECORD(record) { #record, NULL, 0, sizeof(struct record) }
#define FIELD(record, field) \
	{ #record, #field, offsetof(struct record, field), sizeof(((struct record *)0)->field) }

/* Lists every field, including reserved ones: nrdma_abi_test.c checks that the rows cover every byte. */
const struct nrdma_abi_row nrdma_abi_rows[] = {
	RECORD(nrdma_wc),
	FIELD(nrdma_wc, wr_id),
	FIELD(nrdma_wc, byte_len),
	FIELD(nrdma_wc, imm_or_vendor_err),
	FIELD(nrdma_wc, qp_num),
	FIELD(nrdma_wc, src_qp),
	FIELD(nrdma_wc, status),
	FIELD(nrdma_wc, opcode),
	FIELD(nrdma_wc, flags),
	FIELD(nrdma_wc, sl),
	FIELD(nrdma_wc, slid),
	FIELD(nrdma_wc, reserved),
	RECORD(nrdma_sge),
	FIELD(nrdma_sge, addr),
	FIELD(nrdma_sge, length),
	FIELD(nrdma_sge, lkey),
	RECORD(nrdma_send_wr),
	FIELD(nrdma_send_wr, wr_id),
	FIELD(nrdma_send_wr, opcode),
	FIELD(nrdma_send_wr, flags),
	FIELD(nrdma_send_wr, num_sge),
	FIELD(nrdma_send_wr, imm),
	FIELD(nrdma_send_wr, remote_addr),
	FIELD(nrdma_send_wr, rkey),
	FIELD(nrdma_send_wr, remote_qpn),
	FIELD(nrdma_send_wr, compare_add_or_ah),
	FIELD(nrdma_send_wr, swap_or_qkey),
	RECORD(nrdma_recv_wr),
	FIELD(nrdma_recv_wr, wr_id),
	FIELD(nrdma_recv_wr, num_sge),
	FIELD(nrdma_recv_wr, reserved),
	RECORD(nrdma_device_info),
	FIELD(nrdma_device_info, name),
	FIELD(nrdma_device_info, guid),
	FIELD(nrdma_device_info, node_type),
	FIELD(nrdma_device_info, transport_type),
	RECORD(nrdma_device_attr),
	FIELD(nrdma_device_attr, fw_ver),
	FIELD(nrdma_device_attr, node_guid),
	FIELD(nrdma_device_attr, sys_image_guid),
	FIELD(nrdma_device_attr, max_mr_size),
	FIELD(nrdma_device_attr, page_size_cap),
	FIELD(nrdma_device_attr, vendor_id),
	FIELD(nrdma_device_attr, vendor_part_id),
	FIELD(nrdma_device_attr, hw_ver),
	FIELD(nrdma_device_attr, device_cap_flags),
	FIELD(nrdma_device_attr, max_qp),
	FIELD(nrdma_device_attr, max_qp_wr),
	FIELD(nrdma_device_attr, max_sge),
	FIELD(nrdma_device_attr, max_sge_rd),
	FIELD(nrdma_device_attr, max_cq),
	FIELD(nrdma_device_attr, max_cqe),
	FIELD(nrdma_device_attr, max_mr),
	FIELD(nrdma_device_attr, max_pd),
	FIELD(nrdma_device_attr, max_qp_rd_atom),
	FIELD(nrdma_device_attr, max_qp_init_rd_atom),
	FIELD(nrdma_device_attr, atomic_cap),
	FIELD(nrdma_device_attr, max_ah),
	FIELD(nrdma_device_attr, max_srq),
	FIELD(nrdma_device_attr, max_srq_wr),
	FIELD(nrdma_device_attr, max_srq_sge),
	FIELD(nrdma_device_attr, max_pkeys),
	FIELD(nrdma_device_attr, phys_port_cnt),
	FIELD(nrdma_device_attr, num_comp_vectors),
	RECORD(nrdma_port_attr),
	FIELD(nrdma_port_attr, state),
	FIELD(nrdma_port_attr, max_mtu),
	FIELD(nrdma_port_attr, active_mtu),
	FIELD(nrdma_port_attr, gid_tbl_len),
	FIELD(nrdma_port_attr, pkey_tbl_len),
	FIELD(nrdma_port_attr, max_msg_sz),
	FIELD(nrdma_port_attr, lid),
	FIELD(nrdma_port_attr, link_layer),
	FIELD(nrdma_port_attr, active_speed),
	FIELD(nrdma_port_attr, active_width),
	RECORD(nrdma_gid),
	FIELD(nrdma_gid, raw),
	FIELD(nrdma_gid, type),
	FIELD(nrdma_gid, ndev_ifindex),
	RECORD(nrdma_async_event),
	FIELD(nrdma_async_event, context),
	FIELD(nrdma_async_event, type),
	FIELD(nrdma_async_event, port_num),
	RECORD(nrdma_cq_init),
	FIELD(nrdma_cq_init, device),
	FIELD(nrdma_cq_init, channel),
	FIELD(nrdma_cq_init, context),
	FIELD(nrdma_cq_init, cqe),
	FIELD(nrdma_cq_init, comp_vector),
	FIELD(nrdma_cq_init, extended),
	FIELD(nrdma_cq_init, single_threaded),
	FIELD(nrdma_cq_init, sender_gids),
	FIELD(nrdma_cq_init, reserved),
	RECORD(nrdma_srq_init),
	FIELD(nrdma_srq_init, pd),
	FIELD(nrdma_srq_init, context),
	FIELD(nrdma_srq_init, max_wr),
	FIELD(nrdma_srq_init, max_sge),
	FIELD(nrdma_srq_init, limit),
	FIELD(nrdma_srq_init, reserved),
	RECORD(nrdma_qp_init),
	FIELD(nrdma_qp_init, pd),
	FIELD(nrdma_qp_init, send_cq),
	FIELD(nrdma_qp_init, recv_cq),
	FIELD(nrdma_qp_init, srq),
	FIELD(nrdma_qp_init, context),
	FIELD(nrdma_qp_init, max_send_wr),
	FIELD(nrdma_qp_init, max_recv_wr),
	FIELD(nrdma_qp_init, max_send_sge),
	FIELD(nrdma_qp_init, max_recv_sge),
	FIELD(nrdma_qp_init, max_inline),
	FIELD(nrdma_qp_init, qp_num),
	FIELD(nrdma_qp_init, type),
	FIELD(nrdma_qp_init, sq_sig_all),
	FIELD(nrdma_qp_init, extended),
	FIELD(nrdma_qp_init, service_level),
	FIELD(nrdma_qp_init, vendor_id),
	RECORD(nrdma_ah_attr),
	FIELD(nrdma_ah_attr, dgid),
	FIELD(nrdma_ah_attr, flow_label),
	FIELD(nrdma_ah_attr, dlid),
	FIELD(nrdma_ah_attr, sgid_index),
	FIELD(nrdma_ah_attr, hop_limit),
	FIELD(nrdma_ah_attr, traffic_class),
	FIELD(nrdma_ah_attr, sl),
	FIELD(nrdma_ah_attr, src_path_bits),
	FIELD(nrdma_ah_attr, static_rate),
	FIELD(nrdma_ah_attr, is_global),
	FIELD(nrdma_ah_attr, port_num),
	FIELD(nrdma_ah_attr, reserved),
	RECORD(nrdma_qp_attr),
	FIELD(nrdma_qp_attr, mask),
	FIELD(nrdma_qp_attr, qkey),
	FIELD(nrdma_qp_attr, rq_psn),
	FIELD(nrdma_qp_attr, sq_psn),
	FIELD(nrdma_qp_attr, dest_qp_num),
	FIELD(nrdma_qp_attr, access_flags),
	FIELD(nrdma_qp_attr, ah),
	FIELD(nrdma_qp_attr, pkey_index),
	FIELD(nrdma_qp_attr, state),
	FIELD(nrdma_qp_attr, path_mtu),
	FIELD(nrdma_qp_attr, max_rd_atomic),
	FIELD(nrdma_qp_attr, max_dest_rd_atomic),
	FIELD(nrdma_qp_attr, min_rnr_timer),
	FIELD(nrdma_qp_attr, port_num),
	FIELD(nrdma_qp_attr, timeout),
	FIELD(nrdma_qp_attr, retry_cnt),
	FIELD(nrdma_qp_attr, rnr_retry),
	FIELD(nrdma_qp_attr, sq_draining),
	FIELD(nrdma_qp_attr, max_send_wr),
	FIELD(nrdma_qp_attr, max_recv_wr),
	FIELD(nrdma_qp_attr, max_send_sge),
	FIELD(nrdma_qp_attr, max_recv_sge),
	FIELD(nrdma_qp_attr, max_inline),
	RECORD(nrdma_sockaddr),
	FIELD(nrdma_sockaddr, addr),
	FIELD(nrdma_sockaddr, scope_id),
	FIELD(nrdma_sockaddr, port),
	FIELD(nrdma_sockaddr, family),
	FIELD(nrdma_sockaddr, reserved),
	RECORD(nrdma_conn_param),
	FIELD(nrdma_conn_param, qp_num),
	FIELD(nrdma_conn_param, responder_resources),
	FIELD(nrdma_conn_param, initiator_depth),
	FIELD(nrdma_conn_param, flow_control),
	FIELD(nrdma_conn_param, retry_count),
	FIELD(nrdma_conn_param, rnr_retry_count),
	FIELD(nrdma_conn_param, srq),
	FIELD(nrdma_conn_param, private_data_len),
	FIELD(nrdma_conn_param, reserved),
	FIELD(nrdma_conn_param, private_data),
	RECORD(nrdma_cm_event),
	FIELD(nrdma_cm_event, id),
	FIELD(nrdma_cm_event, context),
	FIELD(nrdma_cm_event, type),
	FIELD(nrdma_cm_event, status),
	FIELD(nrdma_cm_event, conn),
	FIELD(nrdma_cm_event, ah),
	FIELD(nrdma_cm_event, qkey),
	RECORD(nrdma_efa_attr),
	FIELD(nrdma_efa_attr, max_sq_wr),
	FIELD(nrdma_efa_attr, max_rq_wr),
	FIELD(nrdma_efa_attr, max_sq_sge),
	FIELD(nrdma_efa_attr, max_rq_sge),
	FIELD(nrdma_efa_attr, inline_buf_size),
	FIELD(nrdma_efa_attr, reserved),
	FIELD(nrdma_efa_attr, device_caps),
	FIELD(nrdma_efa_attr, max_rdma_size),
};

const size_t nrdma_abi_row_count = sizeof(nrdma_abi_rows) / sizeof(nrdma_abi_rows[0]);

static int format_row(char *text, size_t size, const struct nrdma_abi_row *row)
{
	if (!row->field)
		return snprintf(text, size, "%s=%zu\n", row->record, row->size);
	return snprintf(text, size, "%s.%s=%zu\n", row->record, row->field, row->offset);
}

size_t nrdma_abi_layout(char *text, size_t size)
{
	size_t length = 0;
	size_t i;

	for (i = 0; i < nrdma_abi_row_count; i++) {
		size_t used = length < size ? length : size;

		length += (size_t)format_row(text + used, size - used, &nrdma_abi_rows[i]);
	}
	return length;
}
