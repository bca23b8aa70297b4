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
 * Packets and messages on a link, to another process and to this one: all arrive, in order, even when there is no room
 * for more.
 */
#include "progress/shca_engine.h"
#include "registry/shca_fabric_file.h"
#include "wire/shca_link.h"
#include "wire/shca_process.h"
#include "wire/shca_wire_user.h"
#include "t_link.h"

#define PACKETS	20000u

static void packets_go_to_another_process_and_back(void)
{
	struct t_process other;
	struct shca_link *link = t_link_open(&other, t_echo);

	CHECK(t_link_to(link->peer) == link);
	CHECK_EQ(other.pid, shca_fabric_pid(link->peer));
	t_send_and_receive(link, PACKETS, 40);
	T_POLL_UNTIL(shca_link_is_drained(link));
	t_link_close(&other);
}

static void packets_go_to_ourselves(void)
{
	struct shca_link *link;

	CHECK_EQ(0, shca_engine_start());
	link = t_link_to(shca_fabric_slot());
	T_MUST(link);
	t_send_and_receive(link, PACKETS, 40);
	T_POLL_UNTIL(shca_link_is_drained(link));
	CHECK_EQ(0, shca_engine_start());
	shca_engine_stop();
	CHECK(t_link_to(shca_fabric_slot()) == link);
	shca_engine_stop();
	CHECK_EQ(0, shca_fabric_slot());
}

/* The queue pair's removal waits for the drains of its own set alone. */
static void packets_to_a_queue_pair_of_another_set_are_dropped(void)
{
	_Atomic uint8_t *set_of_block;
	struct shca_link *link;

	CHECK_EQ(0, shca_engine_start());
	t_received = 0;
	t_on_packet = t_check_small;
	link = t_link_to(shca_fabric_slot());
	T_MUST(link);
	set_of_block = shca_fabric_set_of_block(shca_fabric_slot(), shca_block_of_qpn(t_qpn(shca_fabric_slot())));
	atomic_store(set_of_block, 1);
	for (uint32_t i = 0; i < 10; i++)
		CHECK(t_try_send(link, NULL, i, T_SMALL));
	T_POLL_UNTIL(shca_link_is_drained(link));
	CHECK_EQ(0, t_received);
	atomic_store(set_of_block, 0);
	CHECK(t_try_send(link, NULL, 0, T_SMALL));
	T_POLL_UNTIL(t_received == 1);
	shca_engine_stop();
}

/* ---- a full ring ---- */

static void full_ring_blocks_until_there_is_room(void)
{
	static struct shca_wire_user users[3];
	struct t_process other;
	struct shca_link *link = t_link_open(&other, t_echo);
	uint32_t sent = 0;

	t_received = 0;
	t_on_packet = t_check_next;
	atomic_store(&t_unblocked, 0);
	t_stop(&other);
	while (t_try_send(link, &users[0], sent, t_size_of(sent)))
		sent++;
	CHECK(!t_try_send(link, &users[0], sent, T_LARGEST));
	CHECK(!t_try_send(link, &users[1], sent, T_LARGEST));
	CHECK(!t_try_send(link, &users[2], sent, T_LARGEST));
	shca_link_ring_doorbell(link);
	shca_engine_progress(T_SET);
	CHECK_EQ(0, atomic_load(&t_unblocked));
	CHECK(!shca_link_is_drained(link));
	/* One is destroyed while it is blocked. */
	shca_links_forget(T_SET, &users[1]);
	CHECK(!users[1].is_blocked);
	T_MUST(!kill(other.pid, SIGCONT));
	T_WAIT_UNTIL(atomic_load(&t_unblocked) == 2);
	CHECK(!users[0].is_blocked && !users[2].is_blocked && !link->has_blocked);
	T_POLL_UNTIL(t_received == sent);
	CHECK_EQ(2, atomic_load(&t_unblocked));
	t_link_close(&other);
}

/* ---- messages ---- */

static _Atomic uint32_t messages;

static void check_message(struct shca_process *process, const void *message, size_t size)
{
	uint32_t number;

	(void)process;
	memcpy(&number, message, sizeof(number));
	CHECK_EQ(4 + messages % 1000, size);
	CHECK_EQ(messages, number);
	messages++;
}

static void count_messages(int fd)
{
	uint32_t sent;

	t_on_message = check_message;
	CHECK_EQ(0, shca_engine_start());
	t_put(fd, shca_fabric_slot());
	/* The last ones are in the socket when the sender says how many there are. */
	sent = t_get(fd);
	T_WAIT_UNTIL(messages == sent);
	shca_engine_stop();
	t_put(fd, messages);
}

static int send_message(struct shca_link *link, uint32_t number)
{
	uint8_t message[SHCA_PROCESS_MESSAGE] = { 0 };

	memcpy(message, &number, sizeof(number));
	return shca_process_send_message(link->process, message, 4 + number % 1000);
}

/* Sends more than the socket has room for to a stopped process: none is lost, and the limit is reported. */
static void messages_wait_and_keep_their_order(void)
{
	struct t_process other;
	struct shca_link *link = t_link_open(&other, count_messages);
	uint32_t sent = 0;
	int result;

	t_stop(&other);
	while (!(result = send_message(link, sent)))
		sent++;
	CHECK_EQ(-ENOBUFS, result);
	CHECK(sent >= SHCA_PROCESS_QUEUE);
	CHECK_EQ(-EMSGSIZE, shca_process_send_message(link->process, &result, SHCA_PROCESS_MESSAGE + 1));
	T_MUST(!kill(other.pid, SIGCONT));
	T_WAIT_UNTIL(!link->process->has_messages);
	t_put(other.fd, sent);
	CHECK_EQ(sent, t_get(other.fd));
	t_join(&other);
	shca_engine_stop();
}

int main(void)
{
	t_seed();
	t_fabric_open();
	T_RUN(packets_go_to_ourselves);
	T_RUN(packets_go_to_another_process_and_back);
	T_RUN(packets_to_a_queue_pair_of_another_set_are_dropped);
	T_RUN(full_ring_blocks_until_there_is_room);
	T_RUN(messages_wait_and_keep_their_order);
	t_fabric_close();
	return t_result();
}
