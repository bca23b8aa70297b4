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

#include <pthread.h>
#include <sys/mman.h>

#include "wire/shca_ring.h"
#include "t_wait.h"

#define LARGEST	(SHCA_SEGMENT + SHCA_GRH_SIZE)

static struct shca_ring producer;
static struct shca_ring consumer;

static void open_rings(void)
{
	void *memory = mmap(NULL, shca_ring_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	shca_ring_view(&producer, memory);
	shca_ring_view(&consumer, memory);
}

static void close_rings(void)
{
	munmap(producer.control, shca_ring_bytes());
}

/* Sets the rings as if 2^32 - distance packets and bytes had passed. */
static void age_rings(uint32_t distance)
{
	uint32_t start = 0 - distance;
	uint32_t i;

	for (i = 0; i < SHCA_RING_SLOTS; i++) {
		uint32_t position = start + (i - start) % SHCA_RING_SLOTS;
		uint32_t lap = position >= start ? position / SHCA_RING_SLOTS : UINT32_MAX / SHCA_RING_SLOTS + 1;

		producer.slots[i].turn = lap;
	}
	producer.next = producer.consumed_seen = producer.control->consumed = consumer.taken = start;
	producer.data_next = producer.data_consumed_seen = producer.control->data_consumed = start & ~63u;
	consumer.data_taken = start & ~63u;
}

static uint8_t pattern(uint32_t number)
{
	return (uint8_t)(number * 31 + number / 251);
}

static bool produce(uint32_t number, uint32_t payload)
{
	struct shca_packet *packet = shca_ring_reserve(&producer, payload);

	if (!packet)
		return false;
	packet->type = SHCA_SEND;
	packet->psn = number;
	memset(shca_ring_payload(&producer, packet), pattern(number), payload);
	shca_ring_publish(&producer, packet);
	return true;
}

static bool is_filled(const uint8_t *bytes, uint32_t size, uint8_t with)
{
	return !size || (bytes[0] == with && !memcmp(bytes, bytes + 1, size - 1));
}

/* Returns false when there is no packet. */
static bool consume(uint32_t number, uint32_t payload)
{
	bool broken;
	struct shca_packet *packet = shca_ring_peek(&consumer, &broken);

	if (broken)
		T_FAIL("packet %u is broken", number);
	if (!packet)
		return false;
	if (packet->psn != number || packet->payload != payload)
		T_FAIL("packet %u of %u bytes instead of %u of %u", packet->psn, packet->payload, number, payload);
	else if (!is_filled(shca_ring_payload(&consumer, packet), payload, pattern(number)))
		T_FAIL("packet %u of %u bytes has other content", number, payload);
	shca_ring_take(&consumer, packet);
	return true;
}

static void packet_comes_as_it_was_sent(void)
{
	static const uint32_t sizes[] = { 0, 1, 63, 64, 65, 128, 4096, SHCA_SEGMENT, LARGEST };
	uint32_t i;

	open_rings();
	CHECK(!shca_ring_has_packet(&consumer));
	CHECK(shca_ring_is_drained(&producer));
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		CHECK(produce(i, sizes[i]));
		CHECK(shca_ring_has_packet(&consumer));
		CHECK(consume(i, sizes[i]));
		CHECK(!shca_ring_has_packet(&consumer));
		CHECK(!shca_ring_is_drained(&producer));
		CHECK(!shca_ring_release(&consumer));
		CHECK(shca_ring_is_drained(&producer));
	}
	CHECK(!consume(i, 0));
	close_rings();
}

static void reserved_slot_is_reserved_again(void)
{
	struct shca_packet *first;

	open_rings();
	first = shca_ring_reserve(&producer, LARGEST);
	CHECK(shca_ring_reserve(&producer, 0) == first);
	CHECK(!shca_ring_has_packet(&consumer));
	CHECK(produce(7, 3));
	CHECK(consume(7, 3));
	CHECK_EQ(0, producer.data_next);
	close_rings();
}

/*
 * Fills the ring. Checks that the next packet waits, and that a release notifies the producer once and makes room for
 * the packet that was refused.
 */
static void fill_and_empty(uint32_t payload, uint32_t expected)
{
	uint32_t count = 0;
	uint32_t i;

	open_rings();
	while (produce(count, payload))
		count++;
	CHECK_EQ(expected, count);
	CHECK_EQ(1, producer.control->producer_waits);
	CHECK(consume(0, payload));
	CHECK(!produce(count, payload));
	CHECK(shca_ring_release(&consumer));
	CHECK(!shca_ring_release(&consumer));
	CHECK(produce(count, payload));
	CHECK(!produce(count + 1, payload));
	for (i = 1; i <= count; i++)
		CHECK(consume(i, payload));
	CHECK(shca_ring_release(&consumer));
	CHECK(shca_ring_is_drained(&producer));
	close_rings();
}

static void full_by_slots(void)
{
	fill_and_empty(0, SHCA_RING_SLOTS);
	fill_and_empty(SHCA_INLINE_PAYLOAD, SHCA_RING_SLOTS);
}

static void full_by_data(void)
{
	fill_and_empty(SHCA_SEGMENT, SHCA_RING_DATA / SHCA_SEGMENT);
	fill_and_empty(LARGEST, SHCA_RING_DATA / (SHCA_SEGMENT + 64));
}

/* Batches that leave the cursors at every distance from the end of the data area, and wrap the numbers around. */
static void cursors_wrap_around(uint32_t age)
{
	uint32_t sizes[64];
	uint32_t number = 0;
	uint32_t batch;
	uint32_t i;

	open_rings();
	age_rings(age);
	CHECK(!shca_ring_has_packet(&consumer));
	CHECK(shca_ring_is_drained(&producer));
	for (batch = 0; batch < 500; batch++) {
		uint32_t count = 1 + (uint32_t)t_random_below(40);

		for (i = 0; i < count; i++) {
			sizes[i] = (uint32_t)t_random_below(LARGEST + 1);
			CHECK(produce(number + i, sizes[i]));
		}
		for (i = 0; i < count; i++)
			CHECK(consume(number + i, sizes[i]));
		CHECK(!shca_ring_release(&consumer));
		number += count;
	}
	CHECK(shca_ring_is_drained(&producer));
	close_rings();
}

static void laps_and_numbers_wrap_around(void)
{
	cursors_wrap_around(0);
	cursors_wrap_around(5000);
	cursors_wrap_around(100000);
}

/* ---- nonsense that a peer may write ---- */

static void expect_broken(const char *what)
{
	bool broken = false;

	if (shca_ring_peek(&consumer, &broken) || !broken)
		T_FAIL("%s is taken for a packet, or for none", what);
}

static struct shca_packet *one_packet(uint32_t payload)
{
	struct shca_packet *packet;

	open_rings();
	packet = shca_ring_reserve(&producer, payload);
	packet->type = SHCA_SEND;
	shca_ring_publish(&producer, packet);
	return packet;
}

static void nonsense_is_found(void)
{
	struct shca_packet *packet;

	one_packet(100)->payload = LARGEST + 1;
	expect_broken("too much payload");
	close_rings();
	one_packet(100)->payload = UINT16_MAX;
	expect_broken("payload -1");
	close_rings();
	/* The payload and its span agree. */
	packet = one_packet(100);
	packet->payload = 1u << 15;
	packet->data_span = 1u << 15;
	expect_broken("twice the largest payload");
	close_rings();
	one_packet(100)->data_at = SHCA_RING_DATA - 64;
	expect_broken("payload beyond the end");
	close_rings();
	one_packet(100)->data_at = SHCA_PAYLOAD_INLINE;
	expect_broken("100 bytes inline");
	close_rings();
	one_packet(10)->data_at = 0;
	expect_broken("10 bytes in the data area");
	close_rings();
	one_packet(100)->data_span = 0;
	expect_broken("no span");
	close_rings();
	one_packet(10)->data_span = 64;
	expect_broken("a span of nothing");
	close_rings();
	one_packet(10)->type = SHCA_PACKET_TYPES;
	expect_broken("an unknown type");
	close_rings();
	one_packet(10)->turn = 2;
	expect_broken("a turn to come");
	close_rings();
}

/* A consumer that writes nonsense gets no more packets, and makes the producer overwrite nothing. */
static void nonsense_of_consumer_is_full(void)
{
	open_rings();
	producer.control->consumed = 5;
	producer.control->data_consumed = 12345;
	producer.consumed_seen = 0 - SHCA_RING_SLOTS;
	CHECK(!shca_ring_reserve(&producer, 100));
	close_rings();
}

/* ---- two threads ---- */

#define PACKETS	1000000u

static sem_t room;
static sem_t more;
static uint64_t stream_seed;

static uint32_t size_of(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z ^= z >> 27;
	return z % 16 ? (uint32_t)(z >> 8) % 200 : (uint32_t)((z >> 8) % (LARGEST + 1));
}

/* Sleeps when the ring is full, and relies on being notified. */
static void *send_stream(void *unused)
{
	uint64_t state = stream_seed;
	uint32_t i;

	for (i = 0; i < PACKETS; i++) {
		uint32_t size = size_of(&state);

		while (!produce(i, size))
			if (!t_wait_posted(&room)) {
				T_FAIL("no notice that there is room for packet %u", i);
				return unused;
			}
		if (i % 64 == 63)
			sem_post(&more);
	}
	sem_post(&more);
	return unused;
}

static void millions_pass_between_threads(void)
{
	uint64_t state;
	uint32_t taken = 0;
	uint32_t size;
	pthread_t thread;

	open_rings();
	stream_seed = state = t_random();
	sem_init(&room, 0, 0);
	sem_init(&more, 0, 0);
	size = size_of(&state);
	pthread_create(&thread, NULL, send_stream, NULL);
	while (taken < PACKETS && !t_failures) {
		uint32_t batch = taken;

		while (taken < PACKETS && taken - batch < 100 && consume(taken, size)) {
			taken++;
			size = size_of(&state);
		}
		if (taken != batch) {
			if (shca_ring_release(&consumer))
				sem_post(&room);
		} else if (!shca_ring_has_packet(&consumer)) {
			struct timespec soon;

			/* The producer does not notify of less than a batch. */
			clock_gettime(CLOCK_REALTIME, &soon);
			soon.tv_nsec += 100000;
			soon.tv_sec += soon.tv_nsec / 1000000000;
			soon.tv_nsec %= 1000000000;
			sem_timedwait(&more, &soon);
		}
	}
	sem_post(&room);
	pthread_join(thread, NULL);
	CHECK_EQ(PACKETS, taken);
	CHECK(shca_ring_is_drained(&producer));
	sem_destroy(&room);
	sem_destroy(&more);
	close_rings();
}

int main(void)
{
	t_seed();
	T_RUN(packet_comes_as_it_was_sent);
	T_RUN(reserved_slot_is_reserved_again);
	T_RUN(full_by_slots);
	T_RUN(full_by_data);
	T_RUN(laps_and_numbers_wrap_around);
	T_RUN(nonsense_is_found);
	T_RUN(nonsense_of_consumer_is_full);
	T_RUN(millions_pass_between_threads);
	return t_result();
}
