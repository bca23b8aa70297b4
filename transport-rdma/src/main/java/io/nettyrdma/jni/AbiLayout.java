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
package io.nettyrdma.jni;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Offsets, in bytes, of the fields of the records that Java and the native library share. {@code abi/nrdma_abi.h}
 * documents the fields. All records are in native byte order.
 */
public final class AbiLayout {

    /** {@code struct nrdma_wc}. */
    public static final class WorkCompletionRecord {
        static final StructLayout LAYOUT = new StructLayout("nrdma_wc");
        public static final int WR_ID = LAYOUT.u64("wr_id");
        public static final int BYTE_LEN = LAYOUT.u32("byte_len");
        public static final int IMM_OR_VENDOR_ERR = LAYOUT.u32("imm_or_vendor_err");
        public static final int QP_NUM = LAYOUT.u32("qp_num");
        public static final int SRC_QP = LAYOUT.u32("src_qp");
        public static final int STATUS = LAYOUT.u8("status");
        public static final int OPCODE = LAYOUT.u8("opcode");
        public static final int FLAGS = LAYOUT.u8("flags");
        public static final int SL = LAYOUT.u8("sl");
        public static final int SLID = LAYOUT.u16("slid");
        static final int RESERVED = LAYOUT.u16("reserved");
        public static final int SIZE = LAYOUT.size();

        private WorkCompletionRecord() {
        }
    }

    /** {@code struct nrdma_sge}. */
    public static final class ScatterGatherRecord {
        static final StructLayout LAYOUT = new StructLayout("nrdma_sge");
        public static final int ADDR = LAYOUT.u64("addr");
        public static final int LENGTH = LAYOUT.u32("length");
        public static final int LKEY = LAYOUT.u32("lkey");
        public static final int SIZE = LAYOUT.size();

        private ScatterGatherRecord() {
        }
    }

    /** {@code struct nrdma_send_wr}. */
    public static final class SendRecord {
        static final StructLayout LAYOUT = new StructLayout("nrdma_send_wr");
        public static final int WR_ID = LAYOUT.u64("wr_id");
        public static final int OPCODE = LAYOUT.u8("opcode");
        public static final int FLAGS = LAYOUT.u8("flags");
        public static final int NUM_SGE = LAYOUT.u16("num_sge");
        public static final int IMM = LAYOUT.u32("imm");
        public static final int REMOTE_ADDR = LAYOUT.u64("remote_addr");
        public static final int RKEY = LAYOUT.u32("rkey");
        public static final int REMOTE_QPN = LAYOUT.u32("remote_qpn");
        public static final int COMPARE_ADD_OR_AH = LAYOUT.u64("compare_add_or_ah");
        public static final int SWAP_OR_QKEY = LAYOUT.u64("swap_or_qkey");
        public static final int SIZE = LAYOUT.size();

        private SendRecord() {
        }
    }

    /** {@code struct nrdma_recv_wr}. */
    public static final class ReceiveRecord {
        static final StructLayout LAYOUT = new StructLayout("nrdma_recv_wr");
        public static final int WR_ID = LAYOUT.u64("wr_id");
        public static final int NUM_SGE = LAYOUT.u32("num_sge");
        static final int RESERVED = LAYOUT.u32("reserved");
        public static final int SIZE = LAYOUT.size();

        private ReceiveRecord() {
        }
    }

    /** {@code struct nrdma_device_info}. */
    public static final class DeviceInfo {
        static final StructLayout LAYOUT = new StructLayout("nrdma_device_info");
        public static final int NAME = LAYOUT.bytes("name", 64);
        public static final int GUID = LAYOUT.u64("guid");
        public static final int NODE_TYPE = LAYOUT.u32("node_type");
        public static final int TRANSPORT_TYPE = LAYOUT.u32("transport_type");
        public static final int SIZE = LAYOUT.size();

        private DeviceInfo() {
        }
    }

    /** {@code struct nrdma_device_attr}. */
    public static final class DeviceAttributes {
        static final StructLayout LAYOUT = new StructLayout("nrdma_device_attr");
        public static final int FW_VER = LAYOUT.bytes("fw_ver", 64);
        public static final int NODE_GUID = LAYOUT.u64("node_guid");
        public static final int SYS_IMAGE_GUID = LAYOUT.u64("sys_image_guid");
        public static final int MAX_MR_SIZE = LAYOUT.u64("max_mr_size");
        public static final int PAGE_SIZE_CAP = LAYOUT.u64("page_size_cap");
        public static final int VENDOR_ID = LAYOUT.u32("vendor_id");
        public static final int VENDOR_PART_ID = LAYOUT.u32("vendor_part_id");
        public static final int HW_VER = LAYOUT.u32("hw_ver");
        public static final int DEVICE_CAP_FLAGS = LAYOUT.u32("device_cap_flags");
        public static final int MAX_QP = LAYOUT.u32("max_qp");
        public static final int MAX_QP_WR = LAYOUT.u32("max_qp_wr");
        public static final int MAX_SGE = LAYOUT.u32("max_sge");
        public static final int MAX_SGE_RD = LAYOUT.u32("max_sge_rd");
        public static final int MAX_CQ = LAYOUT.u32("max_cq");
        public static final int MAX_CQE = LAYOUT.u32("max_cqe");
        public static final int MAX_MR = LAYOUT.u32("max_mr");
        public static final int MAX_PD = LAYOUT.u32("max_pd");
        public static final int MAX_QP_RD_ATOM = LAYOUT.u32("max_qp_rd_atom");
        public static final int MAX_QP_INIT_RD_ATOM = LAYOUT.u32("max_qp_init_rd_atom");
        public static final int ATOMIC_CAP = LAYOUT.u32("atomic_cap");
        public static final int MAX_AH = LAYOUT.u32("max_ah");
        public static final int MAX_SRQ = LAYOUT.u32("max_srq");
        public static final int MAX_SRQ_WR = LAYOUT.u32("max_srq_wr");
        public static final int MAX_SRQ_SGE = LAYOUT.u32("max_srq_sge");
        public static final int MAX_PKEYS = LAYOUT.u32("max_pkeys");
        public static final int PHYS_PORT_CNT = LAYOUT.u32("phys_port_cnt");
        public static final int NUM_COMP_VECTORS = LAYOUT.u32("num_comp_vectors");
        public static final int SIZE = LAYOUT.size();

        private DeviceAttributes() {
        }
    }

    /** {@code struct nrdma_port_attr}. */
    public static final class PortAttributes {
        static final StructLayout LAYOUT = new StructLayout("nrdma_port_attr");
        public static final int STATE = LAYOUT.u32("state");
        public static final int MAX_MTU = LAYOUT.u32("max_mtu");
        public static final int ACTIVE_MTU = LAYOUT.u32("active_mtu");
        public static final int GID_TBL_LEN = LAYOUT.u32("gid_tbl_len");
        public static final int PKEY_TBL_LEN = LAYOUT.u32("pkey_tbl_len");
        public static final int MAX_MSG_SZ = LAYOUT.u32("max_msg_sz");
        public static final int LID = LAYOUT.u32("lid");
        public static final int LINK_LAYER = LAYOUT.u32("link_layer");
        public static final int ACTIVE_SPEED = LAYOUT.u32("active_speed");
        public static final int ACTIVE_WIDTH = LAYOUT.u32("active_width");
        public static final int SIZE = LAYOUT.size();

        private PortAttributes() {
        }
    }

    /** {@code struct nrdma_gid}. */
    public static final class Gid {
        static final StructLayout LAYOUT = new StructLayout("nrdma_gid");
        public static final int RAW = LAYOUT.bytes("raw", 16);
        public static final int TYPE = LAYOUT.u32("type");
        public static final int NDEV_IFINDEX = LAYOUT.u32("ndev_ifindex");
        public static final int SIZE = LAYOUT.size();

        private Gid() {
        }
    }

    /** {@code struct nrdma_async_event}. */
    public static final class AsyncEvent {
        static final StructLayout LAYOUT = new StructLayout("nrdma_async_event");
        public static final int CONTEXT = LAYOUT.u64("context");
        public static final int TYPE = LAYOUT.u32("type");
        public static final int PORT_NUM = LAYOUT.u32("port_num");
        public static final int SIZE = LAYOUT.size();

        private AsyncEvent() {
        }
    }

    /** {@code struct nrdma_cq_init}. */
    public static final class CompletionQueueInit {
        static final StructLayout LAYOUT = new StructLayout("nrdma_cq_init");
        public static final int DEVICE = LAYOUT.u64("device");
        public static final int CHANNEL = LAYOUT.u64("channel");
        public static final int CONTEXT = LAYOUT.u64("context");
        public static final int CQE = LAYOUT.u32("cqe");
        public static final int COMP_VECTOR = LAYOUT.u32("comp_vector");
        public static final int EXTENDED = LAYOUT.u8("extended");
        public static final int SINGLE_THREADED = LAYOUT.u8("single_threaded");
        public static final int SENDER_GIDS = LAYOUT.u8("sender_gids");
        static final int RESERVED = LAYOUT.bytes("reserved", 5);
        public static final int SIZE = LAYOUT.size();

        private CompletionQueueInit() {
        }
    }

    /** {@code struct nrdma_srq_init}. */
    public static final class SharedReceiveQueueInit {
        static final StructLayout LAYOUT = new StructLayout("nrdma_srq_init");
        public static final int PD = LAYOUT.u64("pd");
        public static final int CONTEXT = LAYOUT.u64("context");
        public static final int MAX_WR = LAYOUT.u32("max_wr");
        public static final int MAX_SGE = LAYOUT.u32("max_sge");
        public static final int LIMIT = LAYOUT.u32("limit");
        static final int RESERVED = LAYOUT.u32("reserved");
        public static final int SIZE = LAYOUT.size();

        private SharedReceiveQueueInit() {
        }
    }

    /** {@code struct nrdma_qp_init}. */
    public static final class QueuePairInit {
        static final StructLayout LAYOUT = new StructLayout("nrdma_qp_init");
        public static final int PD = LAYOUT.u64("pd");
        public static final int SEND_CQ = LAYOUT.u64("send_cq");
        public static final int RECV_CQ = LAYOUT.u64("recv_cq");
        public static final int SRQ = LAYOUT.u64("srq");
        public static final int CONTEXT = LAYOUT.u64("context");
        public static final int MAX_SEND_WR = LAYOUT.u32("max_send_wr");
        public static final int MAX_RECV_WR = LAYOUT.u32("max_recv_wr");
        public static final int MAX_SEND_SGE = LAYOUT.u32("max_send_sge");
        public static final int MAX_RECV_SGE = LAYOUT.u32("max_recv_sge");
        public static final int MAX_INLINE = LAYOUT.u32("max_inline");
        public static final int QP_NUM = LAYOUT.u32("qp_num");
        public static final int TYPE = LAYOUT.u8("type");
        public static final int SQ_SIG_ALL = LAYOUT.u8("sq_sig_all");
        public static final int EXTENDED = LAYOUT.u8("extended");
        public static final int SERVICE_LEVEL = LAYOUT.u8("service_level");
        public static final int VENDOR_ID = LAYOUT.u32("vendor_id");
        public static final int SIZE = LAYOUT.size();

        private QueuePairInit() {
        }
    }

    /** {@code struct nrdma_ah_attr}. */
    public static final class AddressHandleAttributes {
        static final StructLayout LAYOUT = new StructLayout("nrdma_ah_attr");
        public static final int DGID = LAYOUT.bytes("dgid", 16);
        public static final int FLOW_LABEL = LAYOUT.u32("flow_label");
        public static final int DLID = LAYOUT.u16("dlid");
        public static final int SGID_INDEX = LAYOUT.u8("sgid_index");
        public static final int HOP_LIMIT = LAYOUT.u8("hop_limit");
        public static final int TRAFFIC_CLASS = LAYOUT.u8("traffic_class");
        public static final int SL = LAYOUT.u8("sl");
        public static final int SRC_PATH_BITS = LAYOUT.u8("src_path_bits");
        public static final int STATIC_RATE = LAYOUT.u8("static_rate");
        public static final int IS_GLOBAL = LAYOUT.u8("is_global");
        public static final int PORT_NUM = LAYOUT.u8("port_num");
        static final int RESERVED = LAYOUT.bytes("reserved", 2);
        public static final int SIZE = LAYOUT.size();

        private AddressHandleAttributes() {
        }
    }

    /** {@code struct nrdma_qp_attr}. */
    public static final class QueuePairAttributes {
        static final StructLayout LAYOUT = new StructLayout("nrdma_qp_attr");
        public static final int MASK = LAYOUT.u32("mask");
        public static final int QKEY = LAYOUT.u32("qkey");
        public static final int RQ_PSN = LAYOUT.u32("rq_psn");
        public static final int SQ_PSN = LAYOUT.u32("sq_psn");
        public static final int DEST_QP_NUM = LAYOUT.u32("dest_qp_num");
        public static final int ACCESS_FLAGS = LAYOUT.u32("access_flags");
        public static final int AH = LAYOUT.struct("ah", AddressHandleAttributes.LAYOUT);
        public static final int PKEY_INDEX = LAYOUT.u16("pkey_index");
        public static final int STATE = LAYOUT.u8("state");
        public static final int PATH_MTU = LAYOUT.u8("path_mtu");
        public static final int MAX_RD_ATOMIC = LAYOUT.u8("max_rd_atomic");
        public static final int MAX_DEST_RD_ATOMIC = LAYOUT.u8("max_dest_rd_atomic");
        public static final int MIN_RNR_TIMER = LAYOUT.u8("min_rnr_timer");
        public static final int PORT_NUM = LAYOUT.u8("port_num");
        public static final int TIMEOUT = LAYOUT.u8("timeout");
        public static final int RETRY_CNT = LAYOUT.u8("retry_cnt");
        public static final int RNR_RETRY = LAYOUT.u8("rnr_retry");
        public static final int SQ_DRAINING = LAYOUT.u8("sq_draining");
        public static final int MAX_SEND_WR = LAYOUT.u32("max_send_wr");
        public static final int MAX_RECV_WR = LAYOUT.u32("max_recv_wr");
        public static final int MAX_SEND_SGE = LAYOUT.u32("max_send_sge");
        public static final int MAX_RECV_SGE = LAYOUT.u32("max_recv_sge");
        public static final int MAX_INLINE = LAYOUT.u32("max_inline");
        public static final int SIZE = LAYOUT.size();

        private QueuePairAttributes() {
        }
    }

    /** {@code struct nrdma_sockaddr}. */
    public static final class SocketAddress {
        static final StructLayout LAYOUT = new StructLayout("nrdma_sockaddr");
        public static final int ADDR = LAYOUT.bytes("addr", 16);
        public static final int SCOPE_ID = LAYOUT.u32("scope_id");
        public static final int PORT = LAYOUT.u16("port");
        public static final int FAMILY = LAYOUT.u8("family");
        static final int RESERVED = LAYOUT.u8("reserved");
        public static final int SIZE = LAYOUT.size();

        private SocketAddress() {
        }
    }

    /** {@code struct nrdma_conn_param}. */
    public static final class ConnectionParameters {
        static final StructLayout LAYOUT = new StructLayout("nrdma_conn_param");
        public static final int QP_NUM = LAYOUT.u32("qp_num");
        public static final int RESPONDER_RESOURCES = LAYOUT.u8("responder_resources");
        public static final int INITIATOR_DEPTH = LAYOUT.u8("initiator_depth");
        public static final int FLOW_CONTROL = LAYOUT.u8("flow_control");
        public static final int RETRY_COUNT = LAYOUT.u8("retry_count");
        public static final int RNR_RETRY_COUNT = LAYOUT.u8("rnr_retry_count");
        public static final int SRQ = LAYOUT.u8("srq");
        public static final int PRIVATE_DATA_LEN = LAYOUT.u8("private_data_len");
        static final int RESERVED = LAYOUT.u8("reserved");
        public static final int PRIVATE_DATA = LAYOUT.bytes("private_data", 256);
        public static final int SIZE = LAYOUT.size();

        private ConnectionParameters() {
        }
    }

    /** {@code struct nrdma_cm_event}. */
    public static final class CmEvent {
        static final StructLayout LAYOUT = new StructLayout("nrdma_cm_event");
        public static final int ID = LAYOUT.u64("id");
        public static final int CONTEXT = LAYOUT.u64("context");
        public static final int TYPE = LAYOUT.u32("type");
        public static final int STATUS = LAYOUT.u32("status");
        public static final int CONN = LAYOUT.struct("conn", ConnectionParameters.LAYOUT);
        public static final int AH = LAYOUT.struct("ah", AddressHandleAttributes.LAYOUT);
        public static final int QKEY = LAYOUT.u32("qkey");
        public static final int SIZE = LAYOUT.size();

        private CmEvent() {
        }
    }

    /** {@code struct nrdma_efa_attr}. */
    public static final class EfaAttributes {
        static final StructLayout LAYOUT = new StructLayout("nrdma_efa_attr");
        public static final int MAX_SQ_WR = LAYOUT.u32("max_sq_wr");
        public static final int MAX_RQ_WR = LAYOUT.u32("max_rq_wr");
        public static final int MAX_SQ_SGE = LAYOUT.u16("max_sq_sge");
        public static final int MAX_RQ_SGE = LAYOUT.u16("max_rq_sge");
        public static final int INLINE_BUF_SIZE = LAYOUT.u16("inline_buf_size");
        static final int RESERVED = LAYOUT.u16("reserved");
        public static final int DEVICE_CAPS = LAYOUT.u32("device_caps");
        public static final int MAX_RDMA_SIZE = LAYOUT.u32("max_rdma_size");
        public static final int SIZE = LAYOUT.size();

        private EfaAttributes() {
        }
    }

    private AbiLayout() {
    }

    static List<StructLayout> layouts() {
        return List.of(
                WorkCompletionRecord.LAYOUT,
                ScatterGatherRecord.LAYOUT,
                SendRecord.LAYOUT,
                ReceiveRecord.LAYOUT,
                DeviceInfo.LAYOUT,
                DeviceAttributes.LAYOUT,
                PortAttributes.LAYOUT,
                Gid.LAYOUT,
                AsyncEvent.LAYOUT,
                CompletionQueueInit.LAYOUT,
                SharedReceiveQueueInit.LAYOUT,
                QueuePairInit.LAYOUT,
                AddressHandleAttributes.LAYOUT,
                QueuePairAttributes.LAYOUT,
                SocketAddress.LAYOUT,
                ConnectionParameters.LAYOUT,
                CmEvent.LAYOUT,
                EfaAttributes.LAYOUT);
    }

    /**
     * Compares these layouts with those of the C compiler.
     *
     * @param nativeLayout lines of {@code record.field=offset} and {@code record=size}, from the native library.
     * @return a sentence for each difference; empty if there are none.
     */
    static List<String> verify(Map<String, Integer> nativeLayout) {
        List<String> differences = new ArrayList<>();
        Map<String, Integer> unknown = new TreeMap<>(nativeLayout);
        for (StructLayout layout : layouts()) {
            compare(layout.name(), layout.size(), unknown, differences);
            layout.offsets().forEach((field, offset) ->
                    compare(layout.name() + '.' + field, offset, unknown, differences));
        }
        unknown.forEach((what, there) ->
                differences.add(what + " is " + there + " in the library and missing in Java"));
        return differences;
    }

    /** Compares one offset or size, and removes it from {@code unknown}. */
    private static void compare(String what, int here, Map<String, Integer> unknown, List<String> differences) {
        Integer there = unknown.remove(what);
        if (there == null) {
            differences.add(what + " is " + here + " in Java and missing in the library");
        } else if (there != here) {
            differences.add(what + " is " + here + " in Java and " + there + " in the library");
        }
    }
}
