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

#include "verbs/nrdma_async_event.h"

#include <errno.h>

#include "t_rdma.h"

static struct ibv_context context;
static struct ibv_cq cq = { .cq_context = (void *)0xc0 };
static struct ibv_qp qp = { .qp_context = (void *)0x90 };
static struct ibv_srq srq = { .srq_context = (void *)0x50 };

static void check_copy(struct ibv_async_event event, uint64_t expected_context, uint32_t port)
{
	struct nrdma_async_event record;

	memset(&record, 0xa5, sizeof(record));
	nrdma_copy_async_event(&event, &record);
	CHECK_EQ(event.event_type, record.type);
	CHECK_EQ(expected_context, record.context);
	CHECK_EQ(port, record.port_num);
}

static void event_of_a_queue_has_its_context(void)
{
	static const enum ibv_event_type of_qp[] = {
		IBV_EVENT_QP_FATAL, IBV_EVENT_QP_REQ_ERR, IBV_EVENT_QP_ACCESS_ERR, IBV_EVENT_COMM_EST,
		IBV_EVENT_SQ_DRAINED, IBV_EVENT_PATH_MIG, IBV_EVENT_PATH_MIG_ERR,
		IBV_EVENT_QP_LAST_WQE_REACHED,
	};
	size_t i;

	for (i = 0; i < sizeof(of_qp) / sizeof(of_qp[0]); i++)
		check_copy((struct ibv_async_event) { .element.qp = &qp, .event_type = of_qp[i] }, 0x90, 0);
	check_copy((struct ibv_async_event) { .element.cq = &cq, .event_type = IBV_EVENT_CQ_ERR }, 0xc0, 0);
	check_copy((struct ibv_async_event) { .element.srq = &srq, .event_type = IBV_EVENT_SRQ_ERR }, 0x50, 0);
	check_copy((struct ibv_async_event) {
		.element.srq = &srq, .event_type = IBV_EVENT_SRQ_LIMIT_REACHED,
	}, 0x50, 0);
}

static void event_of_a_port_has_its_number(void)
{
	static const enum ibv_event_type of_port[] = {
		IBV_EVENT_PORT_ACTIVE, IBV_EVENT_PORT_ERR, IBV_EVENT_LID_CHANGE, IBV_EVENT_PKEY_CHANGE,
		IBV_EVENT_SM_CHANGE, IBV_EVENT_CLIENT_REREGISTER, IBV_EVENT_GID_CHANGE,
	};
	size_t i;

	for (i = 0; i < sizeof(of_port) / sizeof(of_port[0]); i++)
		check_copy((struct ibv_async_event) { .element.port_num = 2, .event_type = of_port[i] }, 0, 2);
}

/* The element must not be followed, whatever it is. */
static void event_of_the_device_or_of_unknown_type_has_neither(void)
{
	struct ibv_async_event event = { .element.qp = (void *)1, .event_type = IBV_EVENT_DEVICE_FATAL };

	check_copy(event, 0, 0);
	event.event_type = IBV_EVENT_WQ_FATAL;
	check_copy(event, 0, 0);
	event.event_type = (enum ibv_event_type)99;
	check_copy(event, 0, 0);
}

/* The results of the reads, in turn: 0 is an event, else the errno. */
static const int *script;
static int unacknowledged;

static int get_async_event(struct ibv_context *of, struct ibv_async_event *event)
{
	CHECK(of == &context);
	CHECK_EQ(0, unacknowledged);
	errno = *script++;
	if (errno)
		return -1;
	*event = (struct ibv_async_event) { .element.qp = &qp, .event_type = IBV_EVENT_COMM_EST };
	unacknowledged++;
	return 0;
}

static void ack_async_event(struct ibv_async_event *event)
{
	CHECK(event->element.qp == &qp);
	unacknowledged--;
}

static struct nrdma_async_event records[4];

static jint next_events(const int *steps, jint max)
{
	script = steps;
	memset(records, 0, sizeof(records));
	t_verbs()->ibv_get_async_event = get_async_event;
	t_verbs()->ibv_ack_async_event = ack_async_event;
	return T_NATIVE(nrdma_async_event_methods, jint, nextAsyncEvents, jlong, jlong, jint)
		(T_ENV, t_handle(&context), t_handle(records), max);
}

static void events_are_copied_and_acknowledged_one_by_one(void)
{
	static const int steps[] = { 0, EINTR, 0, EAGAIN };

	CHECK_EQ(2, next_events(steps, 4));
	CHECK_EQ(0, unacknowledged);
	CHECK_EQ(0x90, records[1].context);
	CHECK_EQ(0, records[2].context);
}

static void no_more_events_are_taken_than_there_is_room_for(void)
{
	static const int steps[] = { 0, 0, 0 };

	CHECK_EQ(2, next_events(steps, 2));
	CHECK(script == steps + 2);
}

static void nothing_pending_is_no_error_but_a_dead_device_is(void)
{
	static const int steps[] = { EAGAIN, EIO };

	CHECK_EQ(0, next_events(steps, 4));
	CHECK_EQ(-EIO, next_events(steps + 1, 4));
}

int main(void)
{
	T_RUN(event_of_a_queue_has_its_context);
	T_RUN(event_of_a_port_has_its_number);
	T_RUN(event_of_the_device_or_of_unknown_type_has_neither);
	T_RUN(events_are_copied_and_acknowledged_one_by_one);
	T_RUN(no_more_events_are_taken_than_there_is_room_for);
	T_RUN(nothing_pending_is_no_error_but_a_dead_device_is);
	return t_result();
}
