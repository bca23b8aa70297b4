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
 * Sends messages, and runs the timers that repeat them. A message may be lost by a fault, or when the peer reads none
 * for long: all that matter are repeated until they are answered. SOFTHCA_CM_TIMEOUT_MS is the total time that a
 * request, a reply or a DREQ waits for its answer. The default is 68 s, as in the kernel: 16 messages, one every 4.25
 * s. Each MRA, by which the peer says that it needs a while, restarts that time. It does not run while a message is
 * queued behind others (shca_cm_window.c). The quiet time after a connection, which ends with TIMEWAIT_EXIT, scales
 * with it (0.53 s by default).
 */
#include <errno.h>
#include <stdlib.h>

#include "base/shca_clock.h"
#include "base/shca_say.h"
#include "cm/shca_cm_kernel.h"
#include "cm/shca_cm_progress.h"
#include "fault/shca_fault.h"
#include "queue_pair/shca_queue_pair.h"
#include "registry/shca_fabric.h"
#include "registry/shca_ports.h"
#include "wire/shca_process.h"
#include "wire/shca_wakeup.h"

#define NS_PER_MS		1000000ull
#define TRIES			16u
/*
 * A tick walks all ids, so with thousands of them it does not run for each one alone. Kernel timers have this
 * resolution.
 */
#define TIMER_NS		(4 * NS_PER_MS)
#define TIMEOUT_MS		68000u
#define MAX_TIMEOUT_MS	86400000l
#define TIMEWAITS		128u	/* quiet times per timeout */

static uint32_t timeout_ms = TIMEOUT_MS;

static void read_environment(void)
{
	const char *text = getenv("SOFTHCA_CM_TIMEOUT_MS");
	char *end;
	long value;

	if (!text || !*text)
		return;
	value = strtol(text, &end, 10);
	if (*end || value < (long)TRIES || value > MAX_TIMEOUT_MS)
		shca_say("SOFTHCA_CM_TIMEOUT_MS=%s is not a number from %u to %ld: %u is used", text,
			 TRIES, MAX_TIMEOUT_MS, TIMEOUT_MS);
	else
		timeout_ms = (uint32_t)value;
}

static uint32_t timeout(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_environment);
	return timeout_ms;
}

/*
 * When the first timer of an id ends, or earlier, if a timer was stopped; 0: none runs. A tick before that time visits
 * no id, of which there can be ten thousand. Guarded by shca_cm_lock.
 */
static uint64_t earliest;

static void set_deadline_ns(uint64_t *deadline, uint64_t ns)
{
	*deadline = shca_now() + ns;
	shca_wakeup_at(*deadline);
}

static void start_timer(struct shca_cm_id *id, uint64_t ns)
{
	set_deadline_ns(&id->deadline, ns);
	earliest = shca_sooner(earliest, id->deadline);
}

void shca_cm_set_deadline(struct shca_cm_id *id, int64_t ms)
{
	if (ms < 0)
		id->deadline = 0;
	else
		start_timer(id, (uint64_t)ms * NS_PER_MS);
}

uint64_t shca_cm_end_of_tries(void)
{
	return shca_now() + timeout() * NS_PER_MS;
}

void shca_cm_stop_timer(struct shca_cm_id *id)
{
	id->deadline = 0;
	shca_cm_window_leave(id);
}

void shca_cm_wait_longer(struct shca_cm_id *id)
{
	if (id->deadline)
		shca_cm_set_deadline(id, timeout());
}

void shca_cm_enter_timewait(struct shca_cm_id *id)
{
	shca_cm_stop_timer(id);
	id->state = SHCA_CM_TIMEWAIT;
	start_timer(id, timeout() * NS_PER_MS / TIMEWAITS);
}

/* ---- sending; a lost message is repeated, or the end of the process reports the loss ---- */

static bool is_lost(enum shca_cm_type type)
{
	return shca_faults_are_active() &&
	       (shca_fault_drop_message() || (type == SHCA_CM_RTU && shca_fault_drop_ready()));
}

static void send_by(struct shca_process *process, const struct shca_cm_message *message)
{
	uint8_t bytes[SHCA_CM_BYTES];
	size_t size = shca_cm_message_write(message, bytes);

	if (process && !is_lost(message->type))
		shca_cm_deliver(process, message->type, bytes, size);
}

static void address(struct shca_cm_id *id, struct shca_cm_message *message)
{
	message->from = id->number;
	/* A request has no peer yet: send_request addresses it to the listener. */
	if (id->peer)
		message->to = id->peer;
}

void shca_cm_send(struct shca_cm_id *id, enum shca_cm_type type)
{
	struct shca_cm_message message = { .type = type };

	address(id, &message);
	send_by(id->process, &message);
}

/* The caller is about to refuse, and the program gets no reason. */
static void explain_absence(const struct shca_cm_id *id)
{
	char address[SHCA_CM_ADDRESS_TEXT];

	shca_cm_address_write(&id->remote, address);
	shca_fabric_explain_absence(address);
}

bool shca_cm_is_listened(const struct shca_cm_id *id)
{
	struct shca_port_owner owner;

	if (!shca_port_find_listener((int)id->id.ps, &id->remote.any, &owner))
		return true;
	explain_absence(id);
	return false;
}

/*
 * Sends the first message to the peer. The listener is looked up when the message arrives; if there is none, the
 * request is refused. For a lost message nothing was looked up, so the next one is routed again. Returns 0, or -errno
 * when this process cannot reach the peer's.
 */
static int send_request(struct shca_cm_id *id)
{
	struct shca_port_owner owner;
	uint8_t bytes[SHCA_CM_BYTES];
	int result;

	if (is_lost(id->last.type))
		return 0;
	result = shca_port_find_listener((int)id->id.ps, &id->remote.any, &owner);
	if (!result)
		result = shca_process_reach(owner.slot, &id->process);
	/* A process that is gone does not listen any more. */
	if (result == -ENOENT || result == -ECONNREFUSED) {
		explain_absence(id);
		shca_cm_no_listener(id);
		return 0;
	}
	if (result)
		return result;
	id->last.to = owner.id;
	shca_cm_deliver(id->process, id->last.type, bytes, shca_cm_message_write(&id->last, bytes));
	return 0;
}

static int send_last(struct shca_cm_id *id)
{
	if (id->state == SHCA_CM_REQUESTING && !id->process)
		return send_request(id);
	send_by(id->process, &id->last);
	return 0;
}

void shca_cm_send_again(struct shca_cm_id *id)
{
	send_last(id);
}

static int begin_try(struct shca_cm_id *id)
{
	id->tries--;
	start_timer(id, timeout() * NS_PER_MS / TRIES);
	return send_last(id);
}

static int send_repeatedly(struct shca_cm_id *id)
{
	address(id, &id->last);
	id->tries = TRIES;
	return shca_cm_window_enter(id) ? begin_try(id) : 0;
}

void shca_cm_send_repeatedly(struct shca_cm_id *id)
{
	send_repeatedly(id);
}

int shca_cm_request(struct shca_cm_id *id)
{
	int result;

	id->state = SHCA_CM_REQUESTING;
	result = send_repeatedly(id);
	/* The peer's socket has many waiting: as with a lost message. */
	if (!result || result == -EAGAIN)
		return 0;
	shca_cm_stop_timer(id);
	id->state = SHCA_CM_ROUTED;
	return result;
}

void shca_cm_answer(struct shca_process *process, const struct shca_cm_message *to, enum shca_cm_type type,
		    uint8_t status)
{
	struct shca_cm_message message = { .type = type, .from = to->to, .to = to->from, .status = status };

	/* The number of an id that never existed. */
	if (!message.from)
		message.from = UINT32_MAX;
	send_by(process, &message);
}

/* ---- DREQs of destroyed ids ---- */

struct orphan_dreq {
	struct orphan_dreq *next;
	struct shca_process *process;
	struct shca_cm_message message;
	unsigned int tries;
	uint64_t deadline;
};

static struct orphan_dreq *orphan_dreqs;

void shca_cm_send_orphan_dreq(struct shca_cm_id *id)
{
	struct orphan_dreq *dreq = calloc(1, sizeof(*dreq));

	/* Then it is sent once, which is enough unless it is lost. */
	if (!dreq) {
		shca_cm_send(id, SHCA_CM_DREQ);
		return;
	}
	dreq->process = id->process;
	dreq->message.type = SHCA_CM_DREQ;
	address(id, &dreq->message);
	dreq->tries = TRIES - 1;
	dreq->next = orphan_dreqs;
	orphan_dreqs = dreq;
	set_deadline_ns(&dreq->deadline, timeout() * NS_PER_MS / TRIES);
	send_by(dreq->process, &dreq->message);
}

static void forget_orphan_dreqs(const struct shca_process *process, uint32_t number)
{
	struct orphan_dreq **at = &orphan_dreqs;

	while (*at) {
		struct orphan_dreq *dreq = *at;

		if (dreq->process == process && (!number || dreq->message.from == number)) {
			*at = dreq->next;
			free(dreq);
		} else {
			at = &dreq->next;
		}
	}
}

void shca_cm_orphan_dreq_answered(const struct shca_process *process, uint32_t number)
{
	forget_orphan_dreqs(process, number);
}

void shca_cm_orphan_dreqs_forget(const struct shca_process *process)
{
	forget_orphan_dreqs(process, 0);
}

uint64_t shca_cm_orphan_dreqs_tick(uint64_t now)
{
	struct orphan_dreq **at = &orphan_dreqs;
	uint64_t next = 0;

	while (*at) {
		struct orphan_dreq *dreq = *at;

		if (dreq->deadline <= now && !dreq->tries) {
			*at = dreq->next;
			free(dreq);
			continue;
		}
		if (dreq->deadline <= now) {
			dreq->tries--;
			set_deadline_ns(&dreq->deadline, timeout() * NS_PER_MS / TRIES);
			send_by(dreq->process, &dreq->message);
		}
		next = shca_sooner(next, dreq->deadline);
		at = &dreq->next;
	}
	return next;
}

/* ---- timers ---- */

static void give_up(struct shca_cm_id *id)
{
	switch (id->state) {
	case SHCA_CM_RESOLVING:
		/* No host of the network answers for an address that is not this machine's. */
		id->state = SHCA_CM_BOUND;
		shca_cm_raise(id, RDMA_CM_EVENT_ADDR_ERROR, -ETIMEDOUT);
		break;
	case SHCA_CM_REQUESTING:
	case SHCA_CM_ACCEPTING:
		id->state = SHCA_CM_CLOSED;
		shca_cm_raise(id, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
		break;
	case SHCA_CM_NOTIFIED:
		shca_cm_report_notified(id);
		break;
	case SHCA_CM_DISCONNECTING:
		shca_cm_disconnected(id, -ETIMEDOUT);
		break;
	case SHCA_CM_TIMEWAIT:
		id->state = SHCA_CM_CLOSED;
		if (!shca_cm_is_iwarp())
			shca_cm_raise(id, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0);
		break;
	default:
		break;
	}
}

static bool sends_again(const struct shca_cm_id *id)
{
	return id->state == SHCA_CM_REQUESTING || id->state == SHCA_CM_ACCEPTING || id->state == SHCA_CM_DISCONNECTING;
}

static void tick(struct shca_cm_id *id, void *argument)
{
	const uint64_t *now = argument;

	if (id->deadline && id->deadline <= *now) {
		id->deadline = 0;
		if (!sends_again(id) || !id->tries) {
			shca_cm_stop_timer(id);
			give_up(id);
		} else if (shca_cm_window_enter(id)) {
			begin_try(id);
		}
	}
	earliest = shca_sooner(earliest, id->deadline);
}

static void send_queued(void)
{
	struct shca_cm_id *id;

	while ((id = shca_cm_window_next()))
		begin_try(id);
}

static void drop_if_failed(struct shca_cm_id *id, void *unused)
{
	(void)unused;
	shca_cm_drop_if_failed(id);
}

uint64_t shca_cm_tick(uint64_t now)
{
	uint64_t next;

	pthread_mutex_lock(&shca_cm_lock);
	if (shca_qp_take_failures())
		shca_cm_id_for_each(drop_if_failed, NULL);
	if (earliest && earliest <= now) {
		earliest = 0;
		shca_cm_id_for_each(tick, &now);
	}
	send_queued();
	next = earliest && earliest < now + TIMER_NS ? now + TIMER_NS : earliest;
	next = shca_sooner(next, shca_cm_orphan_dreqs_tick(now));
	next = shca_sooner(next, shca_cm_late_tick(now));
	pthread_mutex_unlock(&shca_cm_lock);
	return next;
}
