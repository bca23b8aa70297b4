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

/* Links to another process, which sends back all that it receives, and packets that are counted as they arrive. */
#ifndef T_LINK_H
#define T_LINK_H

#include "base/shca_clock.h"
#include "progress/shca_engine.h"
#include "registry/shca_fabric.h"
#include "wire/shca_link.h"
#include "t_wire.h"

#define T_SMALL	8	/* the size of a packet, in bytes, where it does not matter */

/* ---- the other process: starts, reports its slot, and sends back all that it receives until asked to end ---- */

static inline void t_send_back(struct shca_link *link, const struct shca_packet *packet, const uint8_t *payload)
{
	struct shca_packet *answer = shca_link_begin(link, NULL, packet->payload);

	if (!answer) {
		T_FAIL("no room for answer %u", packet->offset);
		return;
	}
	answer->type = SHCA_SEND;
	answer->source = packet->destination;
	answer->destination = packet->source;
	answer->offset = packet->offset;
	memcpy(shca_link_payload(link, answer), payload, packet->payload);
	shca_link_end(link, answer, 0);
}

static inline void t_echo(int fd)
{
	t_on_packet = t_send_back;
	CHECK_EQ(0, shca_engine_start());
	t_put(fd, shca_fabric_slot());
	while (!t_is_readable(fd))
		t_poll_once();
	shca_engine_stop();
}

static inline void t_stop(const struct t_process *process)
{
	T_MUST(!kill(process->pid, SIGSTOP));
	t_wait_for_state(process->pid, 'T');
}

/* ---- this process ---- */

/* Starts the other process, then this one, and connects to the other. */
static inline struct shca_link *t_link_open(struct t_process *other, void (*run)(int fd))
{
	struct shca_link *link;
	uint32_t slot;

	*other = t_fork(run);
	slot = (uint32_t)t_get(other->fd);
	CHECK_EQ(0, shca_engine_start());
	link = t_link_to(slot);
	T_MUST(link);
	CHECK_EQ(slot, link->peer);
	return link;
}

static inline void t_link_close(struct t_process *other)
{
	t_put(other->fd, 0);
	t_join(other);
	shca_engine_stop();
}

static _Atomic uint32_t t_received;

static inline void t_check_next(struct shca_link *link, const struct shca_packet *packet, const uint8_t *payload)
{
	(void)link;
	t_check_packet(packet, payload, t_received, t_size_of(t_received));
	t_received++;
}

static inline void t_check_small(struct shca_link *link, const struct shca_packet *packet, const uint8_t *payload)
{
	(void)link;
	t_check_packet(packet, payload, t_received, T_SMALL);
	t_received++;
}

/* Keeps at most window packets in flight. */
static inline void t_send_and_receive(struct shca_link *link, uint32_t count, uint32_t window)
{
	uint32_t sent = 0;

	t_received = 0;
	t_on_packet = t_check_next;
	while (sent < count && !t_failures) {
		T_POLL_UNTIL(sent - t_received < window);
		if (t_try_send(link, NULL, sent, t_size_of(sent))) {
			sent++;
			shca_link_ring_doorbell(link);
		}
	}
	T_POLL_UNTIL(t_received == sent);
}

#endif
