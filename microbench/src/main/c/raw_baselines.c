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
 * What to compare the device with, in the same run: a word that goes from one processor to the other and back, memcpy,
 * and TCP on loopback.
 */
#include "raw_verbs.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* Shared by the two processes. */
static struct words {
	_Alignas(128) _Atomic unsigned int there;
	_Alignas(128) _Atomic unsigned int back;
} *words;

void share_words(void)
{
	words = mmap(NULL, sizeof(*words), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(words != MAP_FAILED);
}

/* The floor of this machine, today: one word goes to the other process and comes back, and nothing else happens. */
void word_round_trip(bool client)
{
	unsigned int i, rounds = 1000000;
	double start;

	meet();
	start = now();
	for (i = 1; i <= rounds; i++) {
		if (client)
			atomic_store_explicit(&words->there, i, memory_order_release);
		while (atomic_load_explicit(client ? &words->back : &words->there, memory_order_acquire) != i)
			;
		if (!client)
			atomic_store_explicit(&words->back, i, memory_order_release);
	}
	if (client)
		printf("%-34s %8.1f ns  (half a round trip)\n", "a word in shared memory",
		       (now() - start) / rounds * 5e8);
	meet();
}

void plain_memcpy(uint32_t size, const char *what)
{
	unsigned int count = 0, i;
	double start = now(), took;

	do {
		for (i = 0; i < 16; i++) {
			memcpy(memory + LARGE, memory, size);
			/* Keeps the compiler from leaving a copy out. */
			__asm__ volatile("" : : "r"(memory) : "memory");
		}
		count += 16;
		took = now() - start;
	} while (took < seconds);
	print_rate(what, size, count, took);
}

/* ---- TCP ---- */

static int tcp_socket(bool client, int listener, uint16_t port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = port,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int one = 1, fd;

	if (client) {
		fd = socket(AF_INET, SOCK_STREAM, 0);
		CHECK(fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	} else {
		fd = accept(listener, NULL, NULL);
		CHECK(fd >= 0);
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

static void tcp_receive(int fd, void *into, size_t size)
{
	size_t have = 0;

	while (have < size) {
		ssize_t n = recv(fd, (char *)into + have, size - have, MSG_DONTWAIT);

		CHECK(n > 0 || (n < 0 && errno == EAGAIN));
		if (n > 0)
			have += (size_t)n;
	}
}

static void tcp_round_trip(bool client, int fd)
{
	static double samples[MAX_SAMPLES];
	unsigned int i, rounds = 50000;

	meet();
	for (i = 0; i < rounds; i++) {
		double start = now();

		if (client)
			CHECK(send(fd, memory, SMALL, 0) == SMALL);
		tcp_receive(fd, memory + LARGE, SMALL);
		if (!client)
			CHECK(send(fd, memory, SMALL, 0) == SMALL);
		samples[i] = now() - start;
	}
	meet();
	if (client)
		print_latency("TCP 64 B", samples, rounds);
}

static void tcp_one_way(bool client, int fd, uint32_t size, const char *what)
{
	uint64_t sent = 0, have = 0;
	double start = now(), took;
	char c = 0;

	meet();
	if (client) {
		do {
			size_t done = 0;

			while (done < size) {
				ssize_t n = send(fd, memory + done, size - done, 0);

				CHECK(n > 0);
				done += (size_t)n;
			}
			sent++;
			took = now() - start;
		} while (took < seconds);
		sent *= size;
		send_bytes(&sent, sizeof(sent));
		hear(&c, 1);
		print_rate(what, size, (double)sent / size, now() - start);
	} else {
		uint64_t total = UINT64_MAX;

		while (have < total) {
			ssize_t n = recv(fd, memory + LARGE, size, MSG_DONTWAIT);

			CHECK(n > 0 || (n < 0 && errno == EAGAIN));
			if (n > 0)
				have += (uint64_t)n;
			else if (total == UINT64_MAX)
				recv(peer, &total, sizeof(total), MSG_DONTWAIT);
		}
		send_bytes(&c, 1);
	}
	meet();
}

void tcp(bool client)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int listener = -1, fd;

	if (client) {
		hear(&address.sin_port, sizeof(address.sin_port));
	} else {
		listener = socket(AF_INET, SOCK_STREAM, 0);
		CHECK(bind(listener, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(listener, 1) == 0);
		CHECK(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
		send_bytes(&address.sin_port, sizeof(address.sin_port));
	}
	fd = tcp_socket(client, listener, address.sin_port);
	tcp_round_trip(client, fd);
	tcp_one_way(client, fd, 65536, "TCP 64 KiB");
	tcp_one_way(client, fd, LARGE, "TCP 1 MiB");
	close(fd);
	if (listener >= 0)
		close(listener);
}
