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

#include "datapath/nrdma_datapath.h"

#include <errno.h>

#include "t_rdma.h"

static struct ibv_context context;
static struct ibv_comp_channel channel;
static struct ibv_cq ibv_cq = { .context = &context };
static struct nrdma_cq cq = { .cq = &ibv_cq };

static int notify_calls, notify_solicited, notify_result;

static int req_notify_cq(struct ibv_cq *of, int solicited_only)
{
	CHECK(of == &ibv_cq);
	notify_calls++;
	notify_solicited = solicited_only;
	return notify_result;
}

static void queue_without_channel_is_never_armed(void)
{
	context.ops.req_notify_cq = req_notify_cq;
	ibv_cq.channel = NULL;
	CHECK_EQ(-EINVAL, nrdma_request_notify(&cq, false));
	CHECK_EQ(0, notify_calls);
}

static void queue_with_channel_is_armed(void)
{
	context.ops.req_notify_cq = req_notify_cq;
	ibv_cq.channel = &channel;
	CHECK_EQ(0, nrdma_request_notify(&cq, false));
	CHECK_EQ(0, notify_solicited);
	CHECK_EQ(0, nrdma_request_notify(&cq, true));
	CHECK_EQ(1, notify_solicited);
	CHECK_EQ(2, notify_calls);
	notify_result = EOPNOTSUPP;
	CHECK_EQ(-EOPNOTSUPP, nrdma_request_notify(&cq, true));
	notify_result = -EOPNOTSUPP;
	CHECK_EQ(-EOPNOTSUPP, nrdma_request_notify(&cq, true));
}

/* The results of reading the channel, in turn: 0 is an event, else the errno. */
static const int *script;
static uintptr_t next_context;

static int get_cq_event(struct ibv_comp_channel *of, struct ibv_cq **event_cq, void **cq_context)
{
	CHECK(of == &channel);
	errno = *script++;
	if (errno)
		return -1;
	*event_cq = &ibv_cq;
	*cq_context = (void *)++next_context;
	return 0;
}

static uint64_t contexts[4];

static int next_events(const int *steps, int max)
{
	script = steps;
	next_context = 100;
	memset(contexts, 0, sizeof(contexts));
	t_verbs()->ibv_get_cq_event = get_cq_event;
	return nrdma_next_completion_events(&channel, contexts, max);
}

static void events_bring_the_contexts_of_their_queues(void)
{
	static const int steps[] = { 0, EINTR, 0, EAGAIN };

	CHECK_EQ(2, next_events(steps, 4));
	CHECK_EQ(101, contexts[0]);
	CHECK_EQ(102, contexts[1]);
	CHECK_EQ(0, contexts[2]);
}

static void no_more_events_are_taken_than_there_is_room_for(void)
{
	static const int steps[] = { 0, 0, 0, EAGAIN };

	CHECK_EQ(2, next_events(steps, 2));
	CHECK(script == steps + 2);
}

static void nothing_pending_is_no_error(void)
{
	static const int steps[] = { EINTR, EAGAIN };

	CHECK_EQ(0, next_events(steps, 4));
}

static void error_comes_after_the_events_before_it(void)
{
	static const int steps[] = { 0, EBADF, EBADF };

	CHECK_EQ(1, next_events(steps, 4));
	CHECK_EQ(-EBADF, next_events(steps + 1, 4));
}

static unsigned int acknowledged;

static void ack_cq_events(struct ibv_cq *of, unsigned int count)
{
	CHECK(of == &ibv_cq);
	acknowledged += count;
}

static void events_are_acknowledged_together(void)
{
	t_verbs()->ibv_ack_cq_events = ack_cq_events;
	T_NATIVE(nrdma_datapath_methods, void, acknowledgeEvents, jlong, jint)(T_ENV, t_handle(&cq), 7);
	CHECK_EQ(7, acknowledged);
}

int main(void)
{
	T_RUN(queue_without_channel_is_never_armed);
	T_RUN(queue_with_channel_is_armed);
	T_RUN(events_bring_the_contexts_of_their_queues);
	T_RUN(no_more_events_are_taken_than_there_is_room_for);
	T_RUN(nothing_pending_is_no_error);
	T_RUN(error_comes_after_the_events_before_it);
	T_RUN(events_are_acknowledged_together);
	return t_result();
}
