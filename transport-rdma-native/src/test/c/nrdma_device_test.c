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

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "abi/nrdma_abi.h"
#include "t_rdma.h"

#define LONG_NAME "a23456789b123456789c123456789d123456789e123456789f123456789g123"

static struct ibv_device devices[2] = {
	{ .name = "rxe0", .node_type = IBV_NODE_CA, .transport_type = IBV_TRANSPORT_IB },
	{ .name = LONG_NAME, .node_type = IBV_NODE_RNIC, .transport_type = IBV_TRANSPORT_IWARP },
};
static struct ibv_device *list[3];
static int lists_out;
static int list_error;
static struct ibv_context context;
static int closed;

static struct ibv_device **get_device_list(int *count)
{
	if (list_error) {
		errno = list_error;
		return NULL;
	}
	list[0] = &devices[0];
	list[1] = &devices[1];
	if (count)
		*count = 2;
	lists_out++;
	return list;
}

static void free_device_list(struct ibv_device **returned)
{
	CHECK(returned == list);
	lists_out--;
}

static const char *get_device_name(struct ibv_device *device)
{
	return device->name;
}

static __be64 get_device_guid(struct ibv_device *device)
{
	return htobe64(device == &devices[0] ? 0x020000fffe000000 : 1);
}

static struct ibv_context *open_device(struct ibv_device *device)
{
	context.device = device;
	return &context;
}

static int close_device(struct ibv_context *of)
{
	CHECK(of == &context);
	closed++;
	return 0;
}

static void use_fakes(void)
{
	struct nrdma_verbs_symbols *verbs = t_verbs();

	verbs->ibv_get_device_list = get_device_list;
	verbs->ibv_free_device_list = free_device_list;
	verbs->ibv_get_device_name = get_device_name;
	verbs->ibv_get_device_guid = get_device_guid;
	verbs->ibv_open_device = open_device;
	verbs->ibv_close_device = close_device;
}

/* ---- list and open ---- */

static jint list_devices(struct nrdma_device_info *infos, jint max)
{
	return T_NATIVE(nrdma_device_methods, jint, listDevices, jlong, jint)(T_ENV, t_handle(infos), max);
}

static void devices_are_listed(void)
{
	struct nrdma_device_info infos[2];

	memset(infos, 0xa5, sizeof(infos));
	CHECK_EQ(2, list_devices(infos, 2));
	CHECK_TEXT("rxe0", infos[0].name);
	CHECK_EQ(0x020000fffe000000, infos[0].guid);
	CHECK_EQ(IBV_NODE_CA, infos[0].node_type);
	CHECK_EQ(IBV_TRANSPORT_IB, infos[0].transport_type);
	CHECK_TEXT(LONG_NAME, infos[1].name);
	CHECK_EQ(IBV_TRANSPORT_IWARP, infos[1].transport_type);
	CHECK_EQ(0, lists_out);
}

static void more_devices_than_room_are_counted(void)
{
	struct nrdma_device_info infos[2];

	memset(infos, 0, sizeof(infos));
	CHECK_EQ(2, list_devices(infos, 1));
	CHECK_TEXT("rxe0", infos[0].name);
	CHECK_TEXT("", infos[1].name);
	CHECK_EQ(2, list_devices(NULL, 0));
	CHECK_EQ(0, lists_out);
}

static void list_that_fails_says_why(void)
{
	list_error = ENOSYS;
	CHECK_EQ(-ENOSYS, list_devices(NULL, 0));
	list_error = 0;
}

/* As much of a JVM as strings need: a jstring points to its characters. */
static const char *get_chars(__attribute__((unused)) JNIEnv *env, jstring string,
			     __attribute__((unused)) jboolean *is_copy)
{
	return (const char *)string;
}

static int strings_released;

static void release_chars(__attribute__((unused)) JNIEnv *env, __attribute__((unused)) jstring string,
			  __attribute__((unused)) const char *chars)
{
	strings_released++;
}

static jlong open_by_name(char *name)
{
	static const struct JNINativeInterface_ functions = {
		.GetStringUTFChars = get_chars,
		.ReleaseStringUTFChars = release_chars,
	};
	JNIEnv env = &functions;

	return T_NATIVE(nrdma_device_methods, jlong, openDevice, jstring)(&env, NULL, (jstring)name);
}

static void device_is_opened_by_name_and_does_not_block(void)
{
	int fds[2];

	CHECK_EQ(0, pipe(fds));
	context.async_fd = fds[0];
	CHECK_EQ(t_handle(&context), open_by_name(LONG_NAME));
	CHECK(context.device == &devices[1]);
	CHECK(fcntl(fds[0], F_GETFL) & O_NONBLOCK);
	CHECK_EQ(0, lists_out);
	CHECK_EQ(1, strings_released);
	CHECK_EQ(fds[0], T_NATIVE(nrdma_device_methods, jint, asyncEventFd, jlong)(T_ENV, t_handle(&context)));
	close(fds[0]);
	close(fds[1]);
}

static void unknown_device_is_enodev(void)
{
	CHECK_EQ(-ENODEV, open_by_name("rxe"));
	CHECK_EQ(-ENODEV, open_by_name("rxe01"));
	CHECK_EQ(0, lists_out);
	list_error = EPERM;
	CHECK_EQ(-EPERM, open_by_name("rxe0"));
	list_error = 0;
}

static void device_that_would_block_is_closed(void)
{
	context.async_fd = -1;
	CHECK_EQ(-EBADF, open_by_name("rxe0"));
	CHECK_EQ(1, closed);
	CHECK_EQ(0, lists_out);
}

/* ---- query ---- */

static int query_device(struct ibv_context *of, struct ibv_device_attr *attr)
{
	CHECK(of == &context);
	*attr = (struct ibv_device_attr) {
		.fw_ver = "1.2.3", .node_guid = htobe64(1), .sys_image_guid = htobe64(2), .max_mr_size = UINT64_MAX,
		.page_size_cap = 3, .vendor_id = 4, .vendor_part_id = 5, .hw_ver = 6, .device_cap_flags = 7,
		.max_qp = 8, .max_qp_wr = 9, .max_sge = 10, .max_sge_rd = 11, .max_cq = 12, .max_cqe = 13,
		.max_mr = 14, .max_pd = 15, .max_qp_rd_atom = 16, .max_qp_init_rd_atom = 17,
		.atomic_cap = IBV_ATOMIC_GLOB, .max_ah = 18, .max_srq = 19, .max_srq_wr = 20, .max_srq_sge = 21,
		.max_pkeys = 22, .phys_port_cnt = 23,
	};
	return 0;
}

static void device_attributes_are_copied(void)
{
	struct nrdma_device_attr expected = {
		.fw_ver = "1.2.3", .node_guid = 1, .sys_image_guid = 2, .max_mr_size = UINT64_MAX,
		.page_size_cap = 3, .vendor_id = 4, .vendor_part_id = 5, .hw_ver = 6, .device_cap_flags = 7,
		.max_qp = 8, .max_qp_wr = 9, .max_sge = 10, .max_sge_rd = 11, .max_cq = 12, .max_cqe = 13,
		.max_mr = 14, .max_pd = 15, .max_qp_rd_atom = 16, .max_qp_init_rd_atom = 17,
		.atomic_cap = IBV_ATOMIC_GLOB, .max_ah = 18, .max_srq = 19, .max_srq_wr = 20, .max_srq_sge = 21,
		.max_pkeys = 22, .phys_port_cnt = 23, .num_comp_vectors = 24,
	};
	struct nrdma_device_attr actual;

	memset(&actual, 0xa5, sizeof(actual));
	context.num_comp_vectors = 24;
	t_verbs()->ibv_query_device = query_device;
	CHECK_EQ(0, T_NATIVE(nrdma_device_methods, jint, queryDevice, jlong, jlong)
		 (T_ENV, t_handle(&context), t_handle(&actual)));
	CHECK_BYTES(&expected, &actual, sizeof(expected));
}

static int query_port(struct ibv_context *of, uint8_t port, struct _compat_ibv_port_attr *compat)
{
	CHECK(of == &context);
	CHECK_EQ(255, port);
	*(struct ibv_port_attr *)compat = (struct ibv_port_attr) {
		.state = IBV_PORT_ACTIVE, .max_mtu = IBV_MTU_4096, .active_mtu = IBV_MTU_1024,
		.gid_tbl_len = 1024, .pkey_tbl_len = 2, .max_msg_sz = 0x80000000, .lid = 3,
		.link_layer = IBV_LINK_LAYER_ETHERNET, .active_speed = 4, .active_width = 5,
	};
	return 0;
}

static jint query_port_number(jint port, struct nrdma_port_attr *attr)
{
	t_verbs()->ibv_query_port = query_port;
	return T_NATIVE(nrdma_device_methods, jint, queryPort, jlong, jint, jlong)
		(T_ENV, t_handle(&context), port, t_handle(attr));
}

static void port_attributes_are_copied(void)
{
	struct nrdma_port_attr expected = {
		.state = IBV_PORT_ACTIVE, .max_mtu = IBV_MTU_4096, .active_mtu = IBV_MTU_1024,
		.gid_tbl_len = 1024, .pkey_tbl_len = 2, .max_msg_sz = 0x80000000, .lid = 3,
		.link_layer = IBV_LINK_LAYER_ETHERNET, .active_speed = 4, .active_width = 5,
	};
	struct nrdma_port_attr actual;

	memset(&actual, 0xa5, sizeof(actual));
	CHECK_EQ(0, query_port_number(255, &actual));
	CHECK_BYTES(&expected, &actual, sizeof(expected));
	CHECK_EQ(-EINVAL, query_port_number(0, &actual));
	CHECK_EQ(-EINVAL, query_port_number(256, &actual));
}

static const union ibv_gid gid = { .raw = { 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 } };
static const struct nrdma_gid empty;
static int gid_ex_error;

static int query_gid_ex(struct ibv_context *of, uint32_t port, uint32_t index,
			struct ibv_gid_entry *entry, uint32_t flags, size_t size)
{
	CHECK(of == &context);
	CHECK_EQ(1, port);
	CHECK_EQ(0, flags);
	CHECK_EQ(sizeof(*entry), size);
	if (gid_ex_error)
		return gid_ex_error;
	*entry = (struct ibv_gid_entry) {
		.gid = gid, .gid_index = index, .gid_type = IBV_GID_TYPE_ROCE_V2, .ndev_ifindex = 5,
	};
	return 0;
}

/* Entry 3 exists, all others are empty. */
static int query_gid(struct ibv_context *of, uint8_t port, int index, union ibv_gid *to)
{
	CHECK(of == &context);
	CHECK_EQ(1, port);
	memset(to, 0, sizeof(*to));
	if (index == 3)
		*to = gid;
	return 0;
}

static jint query_gid_at(jint index, struct nrdma_gid *record)
{
	memset(record, 0xa5, sizeof(*record));
	t_verbs()->ibv_query_gid = query_gid;
	return T_NATIVE(nrdma_device_methods, jint, queryGid, jlong, jint, jint, jlong)
		(T_ENV, t_handle(&context), 1, index, t_handle(record));
}

static void gid_comes_with_its_type(void)
{
	struct nrdma_gid record;

	t_verbs()->_ibv_query_gid_ex = query_gid_ex;
	CHECK_EQ(0, query_gid_at(3, &record));
	CHECK_BYTES(gid.raw, record.raw, 16);
	CHECK_EQ(IBV_GID_TYPE_ROCE_V2, record.type);
	CHECK_EQ(5, record.ndev_ifindex);
	gid_ex_error = ENODATA;
	CHECK_EQ(-ENODATA, query_gid_at(4, &record));
	CHECK_BYTES(&empty, &record, sizeof(record));
	CHECK_EQ(-EINVAL, query_gid_at(-1, &record));
	gid_ex_error = 0;
}

static void check_gid_of_unknown_type(void)
{
	struct nrdma_gid record;

	CHECK_EQ(0, query_gid_at(3, &record));
	CHECK_BYTES(gid.raw, record.raw, 16);
	CHECK_EQ(NRDMA_GID_TYPE_UNKNOWN, record.type);
	CHECK_EQ(0, record.ndev_ifindex);
	CHECK_EQ(-ENODATA, query_gid_at(4, &record));
	CHECK_BYTES(&empty, &record, sizeof(record));
}

static void old_library_gives_gids_of_unknown_type(void)
{
	t_verbs()->_ibv_query_gid_ex = NULL;
	check_gid_of_unknown_type();
	t_verbs()->_ibv_query_gid_ex = query_gid_ex;
	gid_ex_error = EOPNOTSUPP;
	check_gid_of_unknown_type();
	gid_ex_error = 0;
}

int main(void)
{
	use_fakes();
	T_RUN(devices_are_listed);
	T_RUN(more_devices_than_room_are_counted);
	T_RUN(list_that_fails_says_why);
	T_RUN(device_is_opened_by_name_and_does_not_block);
	T_RUN(unknown_device_is_enodev);
	T_RUN(device_that_would_block_is_closed);
	T_RUN(device_attributes_are_copied);
	T_RUN(port_attributes_are_copied);
	T_RUN(gid_comes_with_its_type);
	T_RUN(old_library_gives_gids_of_unknown_type);
	return t_result();
}
