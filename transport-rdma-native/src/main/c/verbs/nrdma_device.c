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

/* Devices: list, open, query. The handle of an open device is its struct ibv_context. */
#include <endian.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "abi/nrdma_abi.h"
#include "abi/nrdma_error.h"
#include "abi/nrdma_fd.h"
#include "jni/nrdma_jni.h"

static void copy_name(char to[NRDMA_NAME_MAX], const char *name)
{
	strncpy(to, name, NRDMA_NAME_MAX - 1);
	to[NRDMA_NAME_MAX - 1] = '\0';
}

static jint jni_listDevices(NRDMA_ENV, jlong infos, jint max)
{
	struct nrdma_device_info *info = nrdma_ptr(infos);
	struct ibv_device **list;
	int count = 0;
	int i;

	errno = 0;
	list = ibv_get_device_list(&count);
	if (!list)
		return -nrdma_errno();
	for (i = 0; i < count && i < max; i++, info++) {
		copy_name(info->name, ibv_get_device_name(list[i]));
		info->guid = be64toh(ibv_get_device_guid(list[i]));
		info->node_type = (uint32_t)list[i]->node_type;
		info->transport_type = (uint32_t)list[i]->transport_type;
	}
	ibv_free_device_list(list);
	return count;
}

static int64_t open_in_list(struct ibv_device **list, const char *name)
{
	struct ibv_context *context;
	int err;

	while (*list && strcmp(ibv_get_device_name(*list), name))
		list++;
	if (!*list)
		return -ENODEV;
	errno = 0;
	context = ibv_open_device(*list);
	if (!context)
		return -nrdma_errno();
	err = nrdma_set_nonblocking(context->async_fd);
	if (err) {
		ibv_close_device(context);
		return -err;
	}
	return nrdma_handle(context);
}

static jlong jni_openDevice(NRDMA_ENV, jstring name)
{
	const char *chars = (*env)->GetStringUTFChars(env, name, NULL);
	struct ibv_device **list;
	int64_t device;

	if (!chars)
		return -ENOMEM;
	errno = 0;
	list = ibv_get_device_list(NULL);
	device = list ? open_in_list(list, chars) : -nrdma_errno();
	if (list)
		ibv_free_device_list(list);
	(*env)->ReleaseStringUTFChars(env, name, chars);
	return device;
}

static jint jni_closeDevice(NRDMA_ENV, jlong device)
{
	return NRDMA_RESULT(ibv_close_device(nrdma_ptr(device)));
}

static void copy_device_attr(struct nrdma_device_attr *to, const struct ibv_device_attr *from)
{
	memcpy(to->fw_ver, from->fw_ver, sizeof(to->fw_ver));
	to->node_guid = be64toh(from->node_guid);
	to->sys_image_guid = be64toh(from->sys_image_guid);
	to->max_mr_size = from->max_mr_size;
	to->page_size_cap = from->page_size_cap;
	to->vendor_id = from->vendor_id;
	to->vendor_part_id = from->vendor_part_id;
	to->hw_ver = from->hw_ver;
	to->device_cap_flags = from->device_cap_flags;
	to->max_qp = (uint32_t)from->max_qp;
	to->max_qp_wr = (uint32_t)from->max_qp_wr;
	to->max_sge = (uint32_t)from->max_sge;
	to->max_sge_rd = (uint32_t)from->max_sge_rd;
	to->max_cq = (uint32_t)from->max_cq;
	to->max_cqe = (uint32_t)from->max_cqe;
	to->max_mr = (uint32_t)from->max_mr;
	to->max_pd = (uint32_t)from->max_pd;
	to->max_qp_rd_atom = (uint32_t)from->max_qp_rd_atom;
	to->max_qp_init_rd_atom = (uint32_t)from->max_qp_init_rd_atom;
	to->atomic_cap = from->atomic_cap;
	to->max_ah = (uint32_t)from->max_ah;
	to->max_srq = (uint32_t)from->max_srq;
	to->max_srq_wr = (uint32_t)from->max_srq_wr;
	to->max_srq_sge = (uint32_t)from->max_srq_sge;
	to->max_pkeys = from->max_pkeys;
	to->phys_port_cnt = from->phys_port_cnt;
}

static jint jni_queryDevice(NRDMA_ENV, jlong device, jlong attributes)
{
	struct ibv_context *context = nrdma_ptr(device);
	struct nrdma_device_attr *record = nrdma_ptr(attributes);
	struct ibv_device_attr attr = { .fw_ver = "" };
	int err = NRDMA_RESULT(ibv_query_device(context, &attr));

	if (err)
		return err;
	copy_device_attr(record, &attr);
	record->num_comp_vectors = (uint32_t)context->num_comp_vectors;
	return 0;
}

static jint jni_queryPort(NRDMA_ENV, jlong device, jint port, jlong attributes)
{
	struct nrdma_port_attr *record = nrdma_ptr(attributes);
	struct ibv_port_attr attr;
	int err;

	if (port < 1 || port > UINT8_MAX)
		return -EINVAL;
	err = NRDMA_RESULT(ibv_query_port(nrdma_ptr(device), (uint8_t)port, &attr));
	if (err)
		return err;
	record->state = attr.state;
	record->max_mtu = attr.max_mtu;
	record->active_mtu = attr.active_mtu;
	record->gid_tbl_len = (uint32_t)attr.gid_tbl_len;
	record->pkey_tbl_len = attr.pkey_tbl_len;
	record->max_msg_sz = attr.max_msg_sz;
	record->lid = attr.lid;
	record->link_layer = attr.link_layer;
	record->active_speed = attr.active_speed;
	record->active_width = attr.active_width;
	return 0;
}

/* Uses the old call, which does not return the type and returns zeros for an empty entry. */
static int query_gid_of_unknown_type(struct ibv_context *context, int port, int index,
				     struct nrdma_gid *record)
{
	static const union ibv_gid empty;
	union ibv_gid gid;
	int err = NRDMA_RESULT(ibv_query_gid(context, (uint8_t)port, index, &gid));

	if (err)
		return err;
	if (!memcmp(&gid, &empty, sizeof(gid)))
		return -ENODATA;
	memcpy(record->raw, gid.raw, sizeof(record->raw));
	record->type = NRDMA_GID_TYPE_UNKNOWN;
	return 0;
}

/* Returns -ENODATA and zeros for an empty entry of the table. */
static jint jni_queryGid(NRDMA_ENV, jlong device, jint port, jint index, jlong gid)
{
	struct ibv_context *context = nrdma_ptr(device);
	struct nrdma_gid *record = nrdma_ptr(gid);
	struct ibv_gid_entry entry;
	int err;

	if (port < 1 || port > UINT8_MAX || index < 0)
		return -EINVAL;
	memset(record, 0, sizeof(*record));
	err = NRDMA_RESULT(ibv_query_gid_ex(context, (uint32_t)port, (uint32_t)index, &entry, 0));
	if (err == -ENOSYS || err == -EOPNOTSUPP)
		return query_gid_of_unknown_type(context, port, index, record);
	if (err)
		return err;
	memcpy(record->raw, entry.gid.raw, sizeof(record->raw));
	record->type = entry.gid_type;
	record->ndev_ifindex = entry.ndev_ifindex;
	return 0;
}

static jint jni_asyncEventFd(NRDMA_ENV, jlong device)
{
	struct ibv_context *context = nrdma_ptr(device);

	return context->async_fd;
}

static const JNINativeMethod methods[] = {
	NRDMA_METHOD(listDevices, "(JI)I"),
	NRDMA_METHOD(openDevice, "(Ljava/lang/String;)J"),
	NRDMA_METHOD(closeDevice, "(J)I"),
	NRDMA_METHOD(queryDevice, "(JJ)I"),
	NRDMA_METHOD(queryPort, "(JIJ)I"),
	NRDMA_METHOD(queryGid, "(JIIJ)I"),
	NRDMA_METHOD(asyncEventFd, "(J)I"),
};

const struct nrdma_methods nrdma_device_methods = NRDMA_METHODS("VerbsNative", methods);
