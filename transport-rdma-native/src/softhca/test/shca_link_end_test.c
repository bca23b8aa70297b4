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

/* The end of a link: the peer ends, is killed at any moment, or writes nonsense. Packets sent before still arrive. */
#include "progress/shca_drain.h"
#include "progress/shca_engine.h"
#include "registry/shca_fabric_file.h"
#include "wire/shca_link.h"
#include "wire/shca_process.h"
#include "wire/shca_wire_user.h"
#include "t_link.h"

static void end_of_peer_is_noticed(void)
{
	static struct shca_wire_user user;
	struct t_process other;
	struct shca_link *link = t_link_open(&other, t_echo);
	uint32_t slot = link->peer;
	uint32_t life = link->life;
	uint32_t i;

	t_on_packet = NULL;
	atomic_store(&t_died, 0);
	atomic_store(&t_unblocked, 0);
	t_stop(&other);
	while (t_try_send(link, &user, 0, SHCA_SEGMENT))
		;
	t_kill(&other);
	T_WAIT_UNTIL(link->state == SHCA_LINK_FREE);
	CHECK_EQ(life + 1, link->life);
	CHECK_EQ(1, atomic_load(&t_died));
	CHECK_EQ(1, atomic_load(&t_unblocked));
	CHECK(!t_link_to(slot));
	/* As with a pulled cable, everything can be sent, and none of it has an effect. */
	for (i = 0; i < 3 * SHCA_RING_SLOTS; i++)
		CHECK(t_try_send(link, &user, i, t_size_of(i)));
	CHECK(shca_link_is_drained(link));
	CHECK(!shca_link_has_packet(link));
	CHECK_EQ(-EPIPE, shca_process_send_message(link->process, &life, sizeof(life)));
	CHECK_EQ(0, shca_drain(link, 64));
	for (i = 0; i < 100000; i++)
		CHECK(!t_link_to(slot));
	shca_engine_stop();
}

static void send_and_end(int fd)
{
	uint32_t slot;
	struct shca_link *link;
	uint32_t i;

	CHECK_EQ(0, shca_engine_start());
	slot = (uint32_t)t_get(fd);
	link = t_link_to(slot);
	T_MUST(link);
	for (i = 0; i < 1000; i++)
		T_MUST(t_try_send(link, NULL, i, T_SMALL));
	shca_link_ring_doorbell(link);
	if (t_get(fd))
		raise(SIGKILL);
	shca_engine_stop();
}

static void packets_sent_before_the_end_are_handled(void)
{
	int killed;

	for (killed = 0; killed < 2; killed++) {
		struct t_process other = t_fork(send_and_end);

		CHECK_EQ(0, shca_engine_start());
		t_received = 0;
		t_on_packet = t_check_small;
		atomic_store(&t_died, 0);
		t_put(other.fd, shca_fabric_slot());
		t_put(other.fd, killed);
		T_WAIT_UNTIL(atomic_load(&t_died) == 1);
		CHECK_EQ(1000, t_received);
		if (killed) {
			T_MUST(waitpid(other.pid, NULL, 0) == other.pid);
			close(other.fd);
		} else {
			t_join(&other);
		}
		shca_engine_stop();
	}
}

/* One process stays and receives, while others are killed at random moments as they send. */
static void send_until_killed(int fd)
{
	uint32_t slot;
	uint32_t i = 0;

	CHECK_EQ(0, shca_engine_start());
	slot = (uint32_t)t_get(fd);
	for (;;) {
		struct shca_link *link = t_link_to(slot);

		if (link && t_try_send(link, NULL, i, t_size_of(i))) {
			i++;
			shca_link_ring_doorbell(link);
		}
		shca_engine_progress(T_SET);
	}
}

static void survive(struct shca_link *link, const struct shca_packet *packet, const uint8_t *payload)
{
	static uint32_t next[SHCA_FABRIC_SLOTS];
	static uint32_t sender[SHCA_FABRIC_SLOTS];
	uint32_t slot = link->peer;
	uint32_t pid = shca_fabric_pid(slot);

	if (packet->offset == 0 && sender[slot] != pid) {
		sender[slot] = pid;
		next[slot] = 0;
	}
	t_check_packet(packet, payload, next[slot], t_size_of(next[slot]));
	next[slot]++;
}

static void survivor(int fd)
{
	t_on_packet = survive;
	CHECK_EQ(0, shca_engine_start());
	t_put(fd, shca_fabric_slot());
	while (!t_is_readable(fd) && !t_failures)
		t_poll_once();
	shca_engine_stop();
}

static void killed_senders_do_not_harm_others(void)
{
	struct t_process stays = t_fork(survivor);
	uint32_t slot = (uint32_t)t_get(stays.fd);
	int round;

	for (round = 0; round < 40; round++) {
		struct t_process first = t_fork(send_until_killed);
		struct t_process second = t_fork(send_until_killed);

		t_put(first.fd, slot);
		t_put(second.fd, slot);
		usleep((useconds_t)t_random_below(20000));
		t_kill(&first);
		usleep((useconds_t)t_random_below(2000));
		t_kill(&second);
		CHECK_EQ(0, waitpid(stays.pid, NULL, WNOHANG));
	}
	t_put(stays.fd, 0);
	t_join(&stays);
	CHECK_EQ(0, t_entries());
}

static void broken_ring_takes_the_link_down(void)
{
	struct t_process other;
	struct shca_link *link = t_link_open(&other, t_echo);
	uint32_t slot = link->peer;

	atomic_store(&t_died, 0);
	t_send_and_receive(link, 10, 1);
	pthread_mutex_lock(&link->tx_lock);
	link->tx.slots[link->tx.next % SHCA_RING_SLOTS].type = SHCA_PACKET_TYPES;
	link->tx.slots[link->tx.next % SHCA_RING_SLOTS].turn = 1;
	pthread_mutex_unlock(&link->tx_lock);
	T_WAIT_UNTIL(atomic_load(&t_died) == 1);
	/* Both processes are alive and may make a new link. */
	T_POLL_UNTIL(t_link_to(slot));
	t_send_and_receive(t_link_to(slot), 10, 1);
	t_link_close(&other);
}

int main(void)
{
	t_seed();
	t_fabric_open();
	T_RUN(end_of_peer_is_noticed);
	T_RUN(packets_sent_before_the_end_are_handled);
	T_RUN(killed_senders_do_not_harm_others);
	T_RUN(broken_ring_takes_the_link_down);
	t_fabric_close();
	return t_result();
}
