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

#include "cm/nrdma_cm_event.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "t_rdma.h"

static struct rdma_event_channel channel;
static struct rdma_cm_id listener = { .context = (void *)0x11, .ps = RDMA_PS_TCP };
static struct rdma_cm_id id = { .context = (void *)0x22, .ps = RDMA_PS_TCP };
static char data[256];

/* What librdmacm returns next. */
static struct rdma_cm_event event;
static int get_errors[4];
static int gets;
static int errno_of_success;
static int unacknowledged;

static int get_cm_event(struct rdma_event_channel *of, struct rdma_cm_event **to)
{
	CHECK(of == &channel);
	errno = get_errors[gets++];
	if (errno)
		return -1;
	errno = errno_of_success;
	unacknowledged++;
	*to = &event;
	return 0;
}

static int ack_cm_event(struct rdma_cm_event *acknowledged)
{
	CHECK(acknowledged == &event);
	unacknowledged--;
	memset(&event, 0xa5, sizeof(event));
	return 0;
}

static int next_event(struct nrdma_cm_event *record)
{
	memset(record, 0xa5, sizeof(*record));
	gets = 0;
	t_cm()->rdma_get_cm_event = get_cm_event;
	t_cm()->rdma_ack_cm_event = ack_cm_event;
	return nrdma_next_cm_event(&channel, record);
}

static struct rdma_cm_event new_event(enum rdma_cm_event_type type)
{
	int i;

	for (i = 0; i < 256; i++)
		data[i] = (char)i;
	memset(get_errors, 0, sizeof(get_errors));
	errno_of_success = 0;
	id.ps = RDMA_PS_TCP;
	return (struct rdma_cm_event) { .id = &id, .event = type };
}

static void event_without_parameters_is_copied(void)
{
	struct nrdma_cm_event expected = { .context = 0x22, .type = RDMA_CM_EVENT_ADDR_ERROR, .status = -ENODEV };
	struct nrdma_cm_event record;

	event = new_event(RDMA_CM_EVENT_ADDR_ERROR);
	event.status = -ENODEV;
	CHECK_EQ(1, next_event(&record));
	CHECK_EQ(0, unacknowledged);
	CHECK_BYTES(&expected, &record, sizeof(record));
}

static void connection_request_names_the_new_id_and_its_listener(void)
{
	struct nrdma_cm_event record;

	event = new_event(RDMA_CM_EVENT_CONNECT_REQUEST);
	event.listen_id = &listener;
	event.param.conn = (struct rdma_conn_param) {
		.private_data = data, .private_data_len = 255, .responder_resources = 1,
		.initiator_depth = 2, .flow_control = 3, .retry_count = 4, .rnr_retry_count = 5, .srq = 6,
		.qp_num = 0x123456,
	};
	CHECK_EQ(1, next_event(&record));
	CHECK_EQ(RDMA_CM_EVENT_CONNECT_REQUEST, record.type);
	CHECK_EQ((uintptr_t)&id, record.id);
	CHECK_EQ(0x11, record.context);
	CHECK_EQ(1, record.conn.responder_resources);
	CHECK_EQ(2, record.conn.initiator_depth);
	CHECK_EQ(3, record.conn.flow_control);
	CHECK_EQ(4, record.conn.retry_count);
	CHECK_EQ(5, record.conn.rnr_retry_count);
	CHECK_EQ(6, record.conn.srq);
	CHECK_EQ(0x123456, record.conn.qp_num);
	CHECK_EQ(255, record.conn.private_data_len);
	CHECK_BYTES(data, record.conn.private_data, 255);
	CHECK_EQ(0, record.conn.private_data[255]);
	CHECK_EQ(0, record.qkey);
}

static void reject_brings_its_reason_and_data(void)
{
	struct nrdma_cm_event record;

	event = new_event(RDMA_CM_EVENT_REJECTED);
	event.status = 28;
	event.param.conn.private_data = data;
	event.param.conn.private_data_len = 2;
	CHECK_EQ(1, next_event(&record));
	CHECK_EQ(28, record.status);
	CHECK_EQ(0, record.id);
	CHECK_EQ(0x22, record.context);
	CHECK_EQ(2, record.conn.private_data_len);
	CHECK_BYTES(data, record.conn.private_data, 2);
	CHECK_EQ(0, record.conn.private_data[2]);
}

static void datagram_service_brings_an_address(enum rdma_cm_event_type type)
{
	struct nrdma_cm_event record;

	event = new_event(type);
	event.listen_id = &listener;
	event.param.ud = (struct rdma_ud_param) {
		.private_data = data, .private_data_len = 3, .qp_num = 7, .qkey = RDMA_UDP_QKEY,
		.ah_attr = { .grh = { .dgid.raw = { 1, 2 }, .hop_limit = 64 }, .is_global = 1, .port_num = 1 },
	};
	id.ps = RDMA_PS_UDP;
	CHECK_EQ(1, next_event(&record));
	CHECK_EQ(7, record.conn.qp_num);
	CHECK_EQ(RDMA_UDP_QKEY, record.qkey);
	CHECK_EQ(2, record.ah.dgid[1]);
	CHECK_EQ(64, record.ah.hop_limit);
	CHECK_EQ(1, record.ah.is_global);
	CHECK_EQ(1, record.ah.port_num);
	CHECK_EQ(3, record.conn.private_data_len);
	CHECK_BYTES(data, record.conn.private_data, 3);
	CHECK_EQ(0, record.conn.retry_count);
}

static void datagram_events_bring_an_address(void)
{
	datagram_service_brings_an_address(RDMA_CM_EVENT_ESTABLISHED);
	datagram_service_brings_an_address(RDMA_CM_EVENT_CONNECT_REQUEST);
}

static void datagram_reject_brings_its_data(void)
{
	struct nrdma_cm_event record;

	event = new_event(RDMA_CM_EVENT_REJECTED);
	event.param.conn.private_data = data;
	event.param.conn.private_data_len = 4;
	id.ps = RDMA_PS_UDP;
	CHECK_EQ(1, next_event(&record));
	CHECK_EQ(4, record.conn.private_data_len);
	CHECK_EQ(0, record.qkey);
}

static void status_of_minus_one_becomes_the_errno_behind_it(void)
{
	struct nrdma_cm_event record;

	event = new_event(RDMA_CM_EVENT_ADDR_ERROR);
	event.status = -1;
	errno_of_success = ENODEV;
	CHECK_EQ(1, next_event(&record));
	CHECK_EQ(-ENODEV, record.status);
}

static void interrupted_read_is_repeated(void)
{
	struct nrdma_cm_event record;

	event = new_event(RDMA_CM_EVENT_DISCONNECTED);
	get_errors[0] = get_errors[1] = EINTR;
	CHECK_EQ(1, next_event(&record));
	CHECK_EQ(3, gets);
}

static void nothing_pending_is_no_error_but_a_dead_channel_is(void)
{
	struct nrdma_cm_event record;

	event = new_event(RDMA_CM_EVENT_DISCONNECTED);
	get_errors[0] = EAGAIN;
	CHECK_EQ(0, next_event(&record));
	get_errors[0] = EBADF;
	CHECK_EQ(-EBADF, next_event(&record));
	CHECK_EQ(0, unacknowledged);
}

static int create_error;
static int channels_destroyed;

static struct rdma_event_channel *create_event_channel(void)
{
	errno = create_error;
	return create_error ? NULL : &channel;
}

static struct rdma_event_channel *create_no_event_channel(void)
{
	return NULL;
}

static void destroy_event_channel(struct rdma_event_channel *destroyed)
{
	CHECK(destroyed == &channel);
	channels_destroyed++;
}

static jlong create_channel(void)
{
	t_cm()->rdma_destroy_event_channel = destroy_event_channel;
	return ((jlong (*)(JNIEnv *, jclass))t_find_native(&nrdma_cm_event_methods, "createEventChannel"))(T_ENV);
}

static void channel_does_not_block(void)
{
	int fds[2];

	CHECK_EQ(0, pipe(fds));
	channel.fd = fds[0];
	t_cm()->rdma_create_event_channel = create_event_channel;
	CHECK_EQ(t_handle(&channel), create_channel());
	CHECK(fcntl(fds[0], F_GETFL) & O_NONBLOCK);
	close(fds[0]);
	close(fds[1]);
	channel.fd = -1;
	CHECK_EQ(-EBADF, create_channel());
	CHECK_EQ(1, channels_destroyed);
}

/* Without /dev/infiniband/rdma_cm librdmacm sets an errno, or none. */
static void channel_without_kernel_support_says_why(void)
{
	t_cm()->rdma_create_event_channel = create_event_channel;
	create_error = ENOENT;
	CHECK_EQ(-ENOENT, create_channel());
	t_cm()->rdma_create_event_channel = create_no_event_channel;
	errno = EAGAIN;
	CHECK_EQ(-ENODEV, create_channel());
}

int main(void)
{
	T_RUN(event_without_parameters_is_copied);
	T_RUN(connection_request_names_the_new_id_and_its_listener);
	T_RUN(reject_brings_its_reason_and_data);
	T_RUN(datagram_events_bring_an_address);
	T_RUN(datagram_reject_brings_its_data);
	T_RUN(status_of_minus_one_becomes_the_errno_behind_it);
	T_RUN(interrupted_read_is_repeated);
	T_RUN(nothing_pending_is_no_error_but_a_dead_channel_is);
	T_RUN(channel_does_not_block);
	T_RUN(channel_without_kernel_support_says_why);
	return t_result();
}
