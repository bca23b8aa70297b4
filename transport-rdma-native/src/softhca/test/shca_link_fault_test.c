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

/* Faults on a link. Each is tested in a process of its own, because its effect is permanent. */
#include "base/shca_clock.h"
#include "fault/shca_fault.h"
#include "progress/shca_engine.h"
#include "registry/shca_fabric.h"
#include "wire/shca_link.h"
#include "t_wire.h"

static _Atomic uint32_t seen;
static _Atomic uint64_t earliest;

static void record(struct shca_link *link, const struct shca_packet *packet, const uint8_t *payload)
{
	(void)link;
	(void)payload;
	CHECK_EQ(seen, packet->offset);
	CHECK(!earliest || shca_now() >= earliest);
	seen++;
}

static struct shca_link *start_and_link_to_ourselves(void)
{
	struct shca_link *link;

	t_on_packet = record;
	CHECK_EQ(0, shca_engine_start());
	link = t_link_to(shca_fabric_slot());
	T_MUST(link);
	return link;
}

static void drop_all(int fd)
{
	struct shca_link *link = start_and_link_to_ourselves();
	uint32_t i;

	(void)fd;
	CHECK_EQ(0, shca_fault_set("drop=1"));
	for (i = 0; i < 3 * SHCA_RING_SLOTS; i++)
		CHECK(t_try_send(link, NULL, i, 8));
	CHECK(!shca_link_has_packet(link));
	CHECK(shca_link_is_drained(link));
	CHECK_EQ(0, seen);
	shca_engine_stop();
}

/* No thread polls, so the helper thread has to wake by itself, and not too early. */
static void delay_all(int fd)
{
	struct shca_link *link = start_and_link_to_ourselves();
	uint32_t i;

	(void)fd;
	CHECK_EQ(0, shca_fault_set("delay=1:20ms"));
	earliest = shca_now() + 20000000;
	for (i = 0; i < 100; i++)
		CHECK(t_try_send(link, NULL, i, 8));
	shca_link_ring_doorbell(link);
	shca_engine_arm(T_SET, 0);
	T_WAIT_UNTIL(shca_link_is_drained(link));
	CHECK_EQ(100, seen);
	shca_engine_stop();
}

static void lose_peer(int fd)
{
	struct shca_link *link = start_and_link_to_ourselves();

	(void)fd;
	CHECK(t_try_send(link, NULL, 0, 8));
	CHECK_EQ(0, shca_fault_set("lose@1"));
	CHECK(t_try_send(link, NULL, 1, 8));
	CHECK(t_try_send(link, NULL, 2, 8));
	CHECK_EQ(0, shca_fault_set("off"));
	CHECK(t_try_send(link, NULL, 3, 8));
	T_POLL_UNTIL(shca_link_is_drained(link));
	shca_engine_progress(T_SET);
	CHECK_EQ(1, seen);
	shca_engine_stop();
}

static void faults_are_applied(void)
{
	void (*const kinds[])(int) = { drop_all, delay_all, lose_peer };
	int i;

	for (i = 0; i < 3; i++) {
		struct t_process process = t_fork(kinds[i]);

		t_join(&process);
	}
}

int main(void)
{
	t_seed();
	t_fabric_open();
	T_RUN(faults_are_applied);
	t_fabric_close();
	return t_result();
}
