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
 * Which requests may wait for an answer at the same time. The kernel limits them in the layer of its MADs
 * (process_backlog_mads and retry_send, core/mad.c; Linux 7.3): of the messages of connection management that ask for
 * an answer, REQ, SIDR_REQ and DREQ, a port has at most a quarter of the 512 receives of QP 1 outstanding. A REP asks
 * for an answer, too, but is sent by an agent without limit.
 *
 *   rdma_connect, rdma_disconnect
 *     |  none queued, fewer than 128 outstanding
 *     +-----------------------------------------> OUTSTANDING: a try runs, 4.25 s
 *     |                                            |  ^   |  ^
 *     |            no answer, others are queued    |  |   +--+ no answer, none is queued: the next try
 *     |            +-------------------------------+  |
 *     |  else      v                                  |
 *     +-------> QUEUED -------------------------------+
 *                       the first, when there is room
 *
 *   from both: answer, end of the id; from OUTSTANDING: end of the last try --> OUTSIDE
 *
 * So 128 requests to a server that does not answer keep those to all other servers back for 4.25 s. An MRA gives no
 * room: it prolongs the try to 68 s. The server sends one when it gets a request a second time. From then on the others
 * wait for 68 s, or until the program destroys ids.
 *
 * The kernel counts for all processes of its machine. Here each process has its own 128, as if it were a machine.
 * iWARP has TCP's handshake in place of these messages.
 */
#include "base/shca_clock.h"
#include "cm/shca_cm_kernel.h"
#include "wire/shca_wakeup.h"

#define LIMIT	128u

static struct {
	unsigned int outstanding;
	struct shca_cm_id *first;	/* queued */
	struct shca_cm_id *last;
} window;

static void append(struct shca_cm_id *id)
{
	id->window = SHCA_CM_QUEUED;
	id->next_queued = NULL;
	id->previous_queued = window.last;
	if (window.last)
		window.last->next_queued = id;
	else
		window.first = id;
	window.last = id;
}

static void unlink_id(struct shca_cm_id *id)
{
	if (id->previous_queued)
		id->previous_queued->next_queued = id->next_queued;
	else
		window.first = id->next_queued;
	if (id->next_queued)
		id->next_queued->previous_queued = id->previous_queued;
	else
		window.last = id->previous_queued;
}

static bool is_limited(const struct shca_cm_id *id)
{
	return !shca_cm_is_iwarp() && (id->state == SHCA_CM_REQUESTING || id->state == SHCA_CM_DISCONNECTING);
}

static bool has_room(const struct shca_cm_id *id)
{
	return !window.first && (id->window == SHCA_CM_OUTSTANDING || window.outstanding < LIMIT);
}

bool shca_cm_window_enter(struct shca_cm_id *id)
{
	bool enters;

	if (!is_limited(id))
		return true;
	enters = has_room(id);
	shca_cm_window_leave(id);
	if (enters) {
		id->window = SHCA_CM_OUTSTANDING;
		window.outstanding++;
	} else {
		append(id);
	}
	return enters;
}

void shca_cm_window_leave(struct shca_cm_id *id)
{
	if (id->window == SHCA_CM_QUEUED)
		unlink_id(id);
	if (id->window == SHCA_CM_OUTSTANDING) {
		window.outstanding--;
		/* The helper thread sends, as the kernel's worker does. */
		if (window.first)
			shca_wakeup_at(shca_now());
	}
	id->window = SHCA_CM_OUTSIDE;
}

struct shca_cm_id *shca_cm_window_next(void)
{
	struct shca_cm_id *id = window.first;

	if (!id || window.outstanding == LIMIT)
		return NULL;
	unlink_id(id);
	id->window = SHCA_CM_OUTSTANDING;
	window.outstanding++;
	return id;
}
