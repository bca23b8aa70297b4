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

/* The device: listing, opening, queries, the port, the addresses, removal. */
#include <endian.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "abi/shca_ops.h"
#include "base/shca_upcalls.h"
#include "device/shca_context.h"
#include "device/shca_device.h"
#include "device/shca_gid.h"
#include "personality/shca_personality.h"
#include "progress/shca_removal.h"
#include "t_child.h"
#include "t_context.h"

static struct ibv_context *context;

static void expect_event(enum ibv_event_type type)
{
	struct ibv_async_event event;

	T_MUST(t_wait_readable(context->async_fd));
	T_MUST(!ibv_get_async_event(context, &event));
	CHECK_EQ(type, event.event_type);
	ibv_ack_async_event(&event);
}

/* ---- listing and opening ---- */

static void one_device_is_listed(void)
{
	int count = -1;
	struct ibv_device **list = ibv_get_device_list(&count);

	T_MUST(list);
	CHECK_EQ(1, count);
	CHECK(list[0] && !list[1]);
	CHECK_TEXT("softhca0", ibv_get_device_name(list[0]));
	CHECK_EQ(0, ibv_get_device_index(list[0]));
	CHECK(ibv_get_device_guid(list[0]) != 0);
	/* Locally administered, and individual. */
	CHECK_EQ(2, be64toh(ibv_get_device_guid(list[0])) >> 56 & 3);
	ibv_free_device_list(list);
}

/* The directory of the only device's files. */
static void expect_paths(const char *root)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	char expected[2 * IBV_SYSFS_PATH_MAX];

	T_MUST(list && list[0]);
	CHECK_TEXT(root, ibv_get_sysfs_path());
	snprintf(expected, sizeof(expected), "%s/class/infiniband_verbs/softhca0", root);
	CHECK_TEXT(expected, list[0]->dev_path);
	snprintf(expected, sizeof(expected), "%s/class/infiniband/softhca0", root);
	CHECK_TEXT(expected, list[0]->ibdev_path);
	ibv_free_device_list(list);
}

static void paths_are_the_kernels(void)
{
	expect_paths("/sys");
}

static void paths_follow_sysfs_path(void)
{
	expect_paths("/tmp/some where");
}

static void files_of_the_device_are_found(void)
{
	char too_long[IBV_SYSFS_PATH_MAX];

	memset(too_long, 'x', sizeof(too_long) - 1);
	too_long[sizeof(too_long) - 1] = 0;
	t_in_child(NULL, NULL, paths_are_the_kernels);
	t_in_child("SYSFS_PATH", "/tmp/some where//", paths_follow_sysfs_path);
	t_in_child("SYSFS_PATH", "", paths_are_the_kernels);
	t_in_child("SYSFS_PATH", too_long, paths_are_the_kernels);
}

static void use_twice(void)
{
	for (int i = 0; i < 2; i++)
		CHECK_EQ(0, ibv_close_device(t_context_open()));
}

static void notice_is_printed_once(void)
{
	char said[512];
	char *line;

	t_said_in_child(NULL, NULL, use_twice, said, sizeof(said));
	line = strstr(said, "softhca: ");
	T_MUST(line);
	CHECK(strstr(line, "software RDMA device, not hardware (personality rc)\n"));
	CHECK(!strstr(line + 1, "softhca: "));
	t_said_in_child("SOFTHCA_QUIET", "1", use_twice, said, sizeof(said));
	CHECK_TEXT("", said);
}

static void objects_outlive_a_closed_device(void)
{
	struct ibv_context *other = t_context_open();
	struct ibv_pd *pd = ibv_alloc_pd(other);

	T_MUST(pd);
	/* As on a real device, the program may go on. Unlike there, the remaining objects can still be released. */
	CHECK_EQ(0, ibv_close_device(other));
	CHECK_EQ(0, ibv_dealloc_pd(pd));
	CHECK_EQ(0, ibv_close_device(other));
}

static void descriptor_closes_with_its_context(void)
{
	struct ibv_context *other = t_context_open();
	int fd = other->cmd_fd;

	CHECK(fcntl(fd, F_GETFD) >= 0);
	CHECK_EQ(0, ibv_close_device(other));
	CHECK_EQ(-1, fcntl(fd, F_GETFD));
}

/* ---- function tables ---- */

static void no_function_is_null(void)
{
	struct verbs_context *vctx = &to_shca_context(context)->vctx;
	void **member = (void **)vctx;
	void **end = (void **)&vctx->_ABI_placeholder3;

	CHECK(context->abi_compat == (void *)UINTPTR_MAX);
	CHECK_EQ(sizeof(*vctx), vctx->sz);
	for (; member < end; member++) {
		/* Not functions that a program may call. */
		if (member == (void **)&vctx->priv || member == (void **)&vctx->ABI_placeholder1 ||
		    member == (void **)&vctx->ABI_placeholder2)
			continue;
		if (!*member)
			T_FAIL("member %td of verbs_context is NULL", member - (void **)vctx);
	}
	CHECK(context->ops.alloc_mw && context->ops.bind_mw && context->ops.dealloc_mw);
	CHECK(context->ops.poll_cq && context->ops.req_notify_cq && context->ops.post_srq_recv);
	CHECK(context->ops.post_send && context->ops.post_recv);
	CHECK(context->num_comp_vectors >= 1);
}

static void unsupported_functions_fail_with_eopnotsupp(void)
{
	struct ibv_pd *pd = ibv_alloc_pd(context);
	struct ibv_td_init_attr td = { 0 };
	struct ibv_xrcd_init_attr xrcd = { 0 };
	struct ibv_alloc_dm_attr dm = { .length = 64 };
	struct ibv_values_ex values = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };

	T_MUST(pd);
	CHECK_REFUSED(EOPNOTSUPP, ibv_alloc_mw(pd, IBV_MW_TYPE_1));
	CHECK_REFUSED(EOPNOTSUPP, ibv_alloc_td(context, &td));
	CHECK_REFUSED(EOPNOTSUPP, ibv_open_xrcd(context, &xrcd));
	CHECK_REFUSED(EOPNOTSUPP, ibv_alloc_dm(context, &dm));
	CHECK_REFUSED(EOPNOTSUPP, ibv_alloc_null_mr(pd));
	CHECK_EQ(EOPNOTSUPP, ibv_query_rt_values_ex(context, &values));
	CHECK_REFUSED(EINVAL, ibv_import_device(-1));
	CHECK_REFUSED(EOPNOTSUPP, ibv_import_device(context->cmd_fd));
	CHECK_REFUSED(EOPNOTSUPP, ibv_import_pd(context, 1));
	CHECK_EQ(IBV_FORK_UNNEEDED, ibv_is_fork_initialized());
	CHECK_EQ(0, ibv_fork_init());
	CHECK_EQ(0, ibv_dealloc_pd(pd));
}

/* ---- queries: a caller's struct may be older or newer than ours ---- */

static void queries_fill_what_the_caller_has(void)
{
	struct verbs_context *vctx = &to_shca_context(context)->vctx;
	struct ibv_query_device_ex_input unknown = { .comp_mask = 1 };
	struct {
		struct ibv_device_attr_ex attr;
		uint8_t newer[16];
	} device;
	size_t older = offsetof(struct ibv_device_attr_ex, odp_caps);

	memset(&device, 0xaa, sizeof(device));
	CHECK_EQ(0, vctx->query_device_ex(context, NULL, &device.attr, sizeof(device)));
	CHECK_EQ(shca_personality()->max_qp, device.attr.orig_attr.max_qp);
	CHECK_EQ(0, device.newer[0] | device.newer[15]);
	memset(&device, 0xaa, sizeof(device));
	CHECK_EQ(0, vctx->query_device_ex(context, NULL, &device.attr, older));
	CHECK_EQ(shca_personality()->max_qp, device.attr.orig_attr.max_qp);
	CHECK_EQ(0xaa, ((uint8_t *)&device)[older]);
	CHECK_EQ(EINVAL, vctx->query_device_ex(context, &unknown, &device.attr, sizeof(device)));
	CHECK_EQ(EINVAL, vctx->query_device_ex(context, NULL, &device.attr, 16));
}

static void a_port_is_queried_in_either_way(void)
{
	struct ibv_port_attr attr, old;

	memset(&old, 0xaa, sizeof(old));
	CHECK_EQ(0, ibv_query_port(context, SHCA_PORT, &attr));
	CHECK_EQ(0, (ibv_query_port)(context, SHCA_PORT, (struct _compat_ibv_port_attr *)&old));
	CHECK_BYTES(&attr, &old, offsetof(struct ibv_port_attr, port_cap_flags2));
	CHECK_EQ(0xaaaa, old.port_cap_flags2);
	CHECK_EQ(IBV_PORT_ACTIVE, attr.state);
	CHECK_EQ(IBV_LINK_LAYER_ETHERNET, attr.link_layer);
	CHECK_EQ(0, attr.lid);
	CHECK(attr.flags & IBV_QPF_GRH_REQUIRED);
	CHECK_EQ(EINVAL, ibv_query_port(context, 0, &attr));
	CHECK_EQ(EINVAL, ibv_query_port(context, SHCA_PORT + 1, &attr));
}

static void one_pkey_is_reported(void)
{
	__be16 pkey = 0;

	CHECK_EQ(0, ibv_query_pkey(context, SHCA_PORT, 0, &pkey));
	CHECK_EQ(0xffff, pkey);
	CHECK_EQ(-1, ibv_query_pkey(context, SHCA_PORT, 1, &pkey));
	CHECK_EQ(-1, ibv_query_pkey(context, SHCA_PORT + 1, 0, &pkey));
	CHECK_EQ(0, ibv_get_pkey_index(context, SHCA_PORT, htobe16(0xffff)));
	CHECK(ibv_get_pkey_index(context, SHCA_PORT, htobe16(0x1234)) < 0);
}

/* ---- addresses ---- */

static bool to_gid(const struct ifaddrs *address, union ibv_gid *gid)
{
	memset(gid, 0, sizeof(*gid));
	if (!address->ifa_addr || !(address->ifa_flags & IFF_UP))
		return false;
	if (address->ifa_addr->sa_family == AF_INET) {
		memset(&gid->raw[10], 0xff, 2);
		memcpy(&gid->raw[12], &((const struct sockaddr_in *)address->ifa_addr)->sin_addr, 4);
		return true;
	}
	if (address->ifa_addr->sa_family == AF_INET6) {
		memcpy(gid->raw, &((const struct sockaddr_in6 *)address->ifa_addr)->sin6_addr, 16);
		return true;
	}
	return false;
}

static bool is_in_table(const union ibv_gid *gid)
{
	struct ibv_port_attr port;
	union ibv_gid entry;

	T_MUST(!ibv_query_port(context, SHCA_PORT, &port));
	for (int i = 0; i < port.gid_tbl_len; i++) {
		T_MUST(!ibv_query_gid(context, SHCA_PORT, i, &entry));
		if (!memcmp(&entry, gid, sizeof(entry)))
			return true;
	}
	return false;
}

static void every_address_has_a_gid(void)
{
	union ibv_gid own, gid, elsewhere = { .raw = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 } };
	__be64 guid = shca_guid();
	struct ifaddrs *all;
	int count = 0;

	CHECK_EQ(0, ibv_query_gid(context, SHCA_PORT, 0, &own));
	CHECK_EQ(0xfe, own.raw[0]);
	CHECK_EQ(0x80, own.raw[1]);
	CHECK_BYTES(&guid, &own.raw[8], sizeof(guid));
	CHECK(shca_gid_is_local(&own));
	T_MUST(!getifaddrs(&all));
	for (struct ifaddrs *address = all; address; address = address->ifa_next) {
		if (!to_gid(address, &gid))
			continue;
		CHECK(is_in_table(&gid));
		CHECK(shca_gid_is_local(&gid));
		count++;
	}
	freeifaddrs(all);
	CHECK(count > 0);
	CHECK(!shca_gid_is_local(&elsewhere));
}

static void table_of_gids_is_limited(void)
{
	struct ibv_gid_entry entry, entries[256];
	struct ibv_port_attr port;
	union ibv_gid gid;
	ssize_t count = ibv_query_gid_table(context, entries, 256, 0);
	int used = 0;

	T_MUST(!ibv_query_port(context, SHCA_PORT, &port));
	for (int i = 0; i < port.gid_tbl_len; i++) {
		int error = ibv_query_gid_ex(context, SHCA_PORT, (uint32_t)i, &entry, 0);

		CHECK_EQ(0, ibv_query_gid(context, SHCA_PORT, i, &gid));
		if (error) {
			/* A free entry: the old call reads zeros. */
			CHECK_EQ(ENODATA, error);
			CHECK_EQ(0, gid.global.subnet_prefix | gid.global.interface_id);
			continue;
		}
		CHECK_EQ(i, entry.gid_index);
		CHECK_EQ(SHCA_PORT, entry.port_num);
		CHECK_EQ(IBV_GID_TYPE_ROCE_V2, entry.gid_type);
		CHECK_BYTES(&gid, &entry.gid, sizeof(gid));
		CHECK_BYTES(&entries[used].gid, &gid, sizeof(gid));
		used++;
	}
	CHECK_EQ(used, count);
	CHECK_EQ(-EINVAL, ibv_query_gid_table(context, entries, (size_t)used - 1, 0));
	CHECK_EQ(-1, ibv_query_gid(context, SHCA_PORT, port.gid_tbl_len, &gid));
	CHECK_EQ(-1, ibv_query_gid(context, SHCA_PORT, -1, &gid));
	CHECK_EQ(-1, ibv_query_gid(context, SHCA_PORT + 1, 0, &gid));
	CHECK_EQ(EINVAL, ibv_query_gid_ex(context, SHCA_PORT, (uint32_t)port.gid_tbl_len, &entry, 0));
}

static void set_loopback(bool up)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = up ? IFF_UP : 0 };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	T_MUST(fd >= 0 && !ioctl(fd, SIOCSIFFLAGS, &request));
	close(fd);
}

/* It is not specified how old an answer may be, so this asks until it is new. */
static bool comes_to_be_local(const union ibv_gid *gid, bool local)
{
	time_t end = time(NULL) + T_PATIENCE;
	union ibv_gid unused;

	do {
		/* A query of an entry looks for changes; an unused index is as good as any. */
		shca_gid_at(1, &unused, NULL);
		if (shca_gid_is_local(gid) == local)
			return true;
		sched_yield();
	} while (time(NULL) < end);
	return false;
}

/* Runs in a network namespace of its own, which has only loopback, down at first. */
static void addresses_are_added_and_removed(void)
{
	union ibv_gid loopback = { .raw = { [10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1 } };
	union ibv_gid own, first, again;

	if (unshare(CLONE_NEWNET) && unshare(CLONE_NEWUSER | CLONE_NEWNET)) {
		printf("NOT RUN: addresses_are_added_and_removed: no network namespace: %s\n", strerror(errno));
		return;
	}
	context = t_context_open();
	CHECK_EQ(0, shca_gid_at(0, &own, NULL));
	CHECK_EQ(-ENODATA, shca_gid_at(1, &first, NULL));
	CHECK(!shca_gid_is_local(&loopback));
	set_loopback(true);
	CHECK(comes_to_be_local(&loopback, true));
	CHECK_EQ(0, shca_gid_at(1, &first, NULL));
	set_loopback(false);
	CHECK(comes_to_be_local(&loopback, false));
	set_loopback(true);
	CHECK(comes_to_be_local(&loopback, true));
	CHECK_EQ(0, shca_gid_at(1, &again, NULL));
	CHECK_BYTES(&first, &again, sizeof(first));
	CHECK_EQ(0, shca_gid_at(0, &again, NULL));
	CHECK_BYTES(&own, &again, sizeof(own));
	CHECK_EQ(0, ibv_close_device(context));
}

static void table_follows_changes_of_addresses(void)
{
	t_in_child(NULL, NULL, addresses_are_added_and_removed);
}

/* ---- the port, and removal ---- */

static void port_changes_are_reported(void)
{
	struct ibv_port_attr port;

	context = t_context_open();
	shca_device_set_port(false);
	expect_event(IBV_EVENT_PORT_ERR);
	CHECK_EQ(0, ibv_query_port(context, SHCA_PORT, &port));
	CHECK_EQ(IBV_PORT_DOWN, port.state);
	shca_device_set_port(false);
	CHECK(!t_is_readable(context->async_fd));
	shca_device_set_port(true);
	expect_event(IBV_EVENT_PORT_ACTIVE);
	CHECK_EQ(0, ibv_query_port(context, SHCA_PORT, &port));
	CHECK_EQ(IBV_PORT_ACTIVE, port.state);
	CHECK_EQ(0, ibv_close_device(context));
}

static void removed_device_is_reported(void)
{
	struct ibv_device_attr attr;
	struct ibv_device **before, **after;
	struct ibv_context *fresh;
	struct ibv_port_attr port;
	struct ibv_pd *pd;
	int count = -1;

	context = t_context_open();
	before = ibv_get_device_list(NULL);
	pd = ibv_alloc_pd(context);
	T_MUST(before && pd);
	shca_device_remove();
	CHECK(shca_device_is_removed());
	expect_event(IBV_EVENT_DEVICE_FATAL);
	shca_device_remove();
	CHECK(!t_is_readable(context->async_fd));
	after = ibv_get_device_list(&count);
	T_MUST(after);
	CHECK_EQ(0, count);
	CHECK(!after[0]);
	CHECK_REFUSED(ENODEV, ibv_open_device(before[0]));
	CHECK_REFUSED(EIO, ibv_alloc_pd(context));
	CHECK_REFUSED(EIO, ibv_create_cq(context, 1, NULL, NULL, 0));
	CHECK_EQ(EIO, ibv_query_device(context, &attr));
	CHECK_EQ(EIO, ibv_query_port(context, SHCA_PORT, &port));
	shca_device_insert();
	CHECK(!shca_device_is_removed());
	/* Contexts from before stay without a device; one that is opened now has it. */
	CHECK_REFUSED(EIO, ibv_alloc_pd(context));
	fresh = ibv_open_device(before[0]);
	T_MUST(fresh);
	CHECK_EQ(0, ibv_query_port(fresh, SHCA_PORT, &port));
	CHECK_EQ(0, ibv_close_device(fresh));
	CHECK_EQ(0, ibv_dealloc_pd(pd));
	CHECK_EQ(0, ibv_close_device(context));
	ibv_free_device_list(before);
	ibv_free_device_list(after);
}

/* Events that were not fetched go with the context. */
static void a_closed_context_forgets_its_events(void)
{
	context = t_context_open();
	shca_device_set_port(false);
	shca_device_set_port(true);
	CHECK_EQ(0, ibv_close_device(context));
	removed_device_is_reported();
}

int main(void)
{
	unsetenv("SOFTHCA_PERSONALITY");
	unsetenv("SOFTHCA_QUIET");
	unsetenv("SYSFS_PATH");
	T_RUN(files_of_the_device_are_found);
	T_RUN(notice_is_printed_once);
	T_RUN(table_follows_changes_of_addresses);
	context = t_context_open();
	T_RUN(one_device_is_listed);
	T_RUN(objects_outlive_a_closed_device);
	T_RUN(descriptor_closes_with_its_context);
	T_RUN(no_function_is_null);
	T_RUN(unsupported_functions_fail_with_eopnotsupp);
	T_RUN(queries_fill_what_the_caller_has);
	T_RUN(a_port_is_queried_in_either_way);
	T_RUN(one_pkey_is_reported);
	T_RUN(every_address_has_a_gid);
	T_RUN(table_of_gids_is_limited);
	CHECK_EQ(0, ibv_close_device(context));
	T_RUN(port_changes_are_reported);
	T_RUN(a_closed_context_forgets_its_events);
	return t_result();
}
