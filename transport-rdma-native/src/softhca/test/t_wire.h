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
 * Links and progress alone: the calls to queue pairs, connection management and the device are counted here, and a test
 * may replace them.
 */
#ifndef T_WIRE_H
#define T_WIRE_H

#include <fcntl.h>

#include "base/shca_clock.h"
#include "base/shca_upcalls.h"
#include "cm/shca_cm_progress.h"
#include "device/shca_device.h"
#include "progress/shca_engine.h"
#include "progress/shca_removal.h"
#include "queue_pair/shca_queue_pair_progress.h"
#include "registry/shca_fabric.h"
#include "transport/shca_transport.h"
#include "wire/shca_link.h"
#include "wire/shca_process.h"
#include "t_fabric.h"

static void (*_Atomic t_on_packet)(struct shca_link *link, const struct shca_packet *packet, const uint8_t *payload);
static void (*_Atomic t_on_message)(struct shca_process *process, const void *message, size_t size);
static uint64_t (*_Atomic t_on_tick)(struct shca_wire_user *user, uint64_t now);
static _Atomic uint32_t t_unblocked;
static _Atomic uint32_t t_died;
static _Atomic uint32_t t_removed;
static _Atomic int t_port_up;
/* The waker of the packets of t_try_send; 0: the helper thread. */
static uint32_t t_waker;

bool shca_qp_receive(struct shca_link *link, const struct shca_packet *packet, const void *payload)
{
	if (t_on_packet)
		t_on_packet(link, packet, payload);
	return true;
}

void shca_transport_no_queue_pair(struct shca_link *link, const struct shca_packet *packet, const void *payload)
{
	(void)link;
	(void)packet;
	(void)payload;
}

void shca_qp_acknowledge_all(struct shca_link *link)
{
	(void)link;
}

void shca_qp_unblock(struct shca_wire_user *user)
{
	(void)user;
	atomic_fetch_add(&t_unblocked, 1);
}

uint64_t shca_qp_tick(struct shca_wire_user *user, uint64_t now)
{
	return t_on_tick ? t_on_tick(user, now) : 0;
}

void shca_cm_message(struct shca_process *process, const void *message, size_t size)
{
	if (t_on_message)
		t_on_message(process, message, size);
}

void shca_cm_process_died(struct shca_process *process)
{
	CHECK_EQ(SHCA_PROCESS_DEAD, atomic_load(&process->state));
	atomic_fetch_add(&t_died, 1);
}

uint64_t shca_cm_tick(uint64_t now)
{
	(void)now;
	return 0;
}

void shca_device_remove(void)
{
	atomic_fetch_add(&t_removed, 1);
}

void shca_device_insert(void)
{
	atomic_fetch_sub(&t_removed, 1);
}

void shca_device_set_port(bool up)
{
	atomic_store(&t_port_up, up ? 1 : -1);
}

/* ---- links; of this set, and to the same set of the other process, where a test is not about sets ---- */

#define T_SET	(&shca_link_sets[0])

static inline struct shca_link *t_link_to(uint32_t slot)
{
	struct shca_link *link;

	return shca_link_reach(T_SET, slot, 0, &link) ? NULL : link;
}

/* ---- packets with a number that determines their content ---- */

#define T_LARGEST	(SHCA_SEGMENT + SHCA_GRH_SIZE)

static inline uint32_t t_qpn(uint32_t slot)
{
	return shca_qpn(slot, 1);
}

static inline uint32_t t_size_of(uint32_t number)
{
	uint64_t z = (number + 1) * 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z ^= z >> 27;
	return z % 16 ? (uint32_t)(z >> 8) % 200 : (uint32_t)((z >> 8) % (T_LARGEST + 1));
}

/* Returns false when the ring is full; user, if not NULL, is blocked then. */
static inline bool t_try_send(struct shca_link *link, struct shca_wire_user *user, uint32_t number, uint32_t size)
{
	struct shca_packet *packet = shca_link_begin(link, user, size);

	if (!packet)
		return false;
	packet->type = SHCA_SEND;
	packet->source = t_qpn(shca_fabric_slot());
	packet->destination = t_qpn(link->peer);
	packet->offset = number;
	memset(shca_link_payload(link, packet), (int)(number * 31 + number / 251) & 0xff, size);
	shca_link_end(link, packet, t_waker);
	return true;
}

static inline void t_check_packet(const struct shca_packet *packet, const uint8_t *payload, uint32_t number,
				  uint32_t size)
{
	uint8_t filled = (uint8_t)(number * 31 + number / 251);

	if (packet->offset != number || packet->payload != size)
		T_FAIL("packet %u of %u bytes instead of %u of %u", packet->offset, packet->payload, number, size);
	else if (size && (payload[0] != filled || memcmp(payload, payload + 1, size - 1)))
		T_FAIL("packet %u has other content", number);
}

static inline void t_poll_once(void)
{
	shca_links_note_poll(T_SET);
	shca_engine_progress(T_SET);
}

/* Repeats step until the condition holds; gives up after T_PATIENCE. */
#define T_STEP_UNTIL(condition, text, step)							\
	do {											\
		uint64_t t_limit = shca_now() + T_PATIENCE_MS * 1000000ull;			\
												\
		while (!(condition)) {								\
			step;									\
			if (shca_now() > t_limit) {						\
				T_FAIL("has not happened: %s", text);				\
				break;								\
			}									\
		}										\
	} while (0)

#define T_POLL_UNTIL(condition)	T_STEP_UNTIL(condition, #condition, t_poll_once())
/* Leaves the work to the helper thread. */
#define T_WAIT_UNTIL(condition)	T_STEP_UNTIL(condition, #condition, usleep(200))

#endif
