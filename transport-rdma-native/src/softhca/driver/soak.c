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
 * A soak test: one process sends messages to another, each with its number and a checksum, while other processes
 * connect to the receiver, send too, and are killed as they do. No message between the survivors may be lost,
 * duplicated or out of order. --messages N (10000000), --seed N, --peers N (2)
 *
 *    parent --- forks ---> receiver, sender; peers, which it kills and starts again
 *
 *    sender, peers                                  receiver
 *      SEND up to 4 KiB into a posted receive  --->
 *      WRITE_WITH_IMM up to 32 KiB into a slot --->  checks number and content
 *                                              <---  SEND: the number of messages taken; the sender is never
 *                                                    more than WINDOW ahead of it
 */
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "soak.h"

#define MAX_PEERS 8u

uint64_t seed;
uint64_t messages;

/* When the parent fails, its children are killed. */
static void end_with_parent(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void be_receiver(int fd)
{
	end_with_parent();
	run_receiver(fd);
}

static pid_t start_sender(uint16_t port, bool is_peer)
{
	pid_t child = d_fork();

	if (!child) {
		end_with_parent();
		run_sender(port, is_peer);
	}
	return child;
}

/* Kills a peer after a random time, which no check depends on, and starts another. */
static void kill_one(pid_t *peer, uint16_t port, struct d_random *random)
{
	struct timespec pause = { .tv_nsec = (long)d_below(random, 30000000) };

	nanosleep(&pause, NULL);
	if (*peer) {
		D_MUST(kill(*peer, SIGKILL));
		d_expect_killed(*peer, "peer");
	}
	*peer = start_sender(port, true);
}

/* The file that the processes share goes with the last of them. */
static void expect_no_files(const char *fabric)
{
	const char *path = getenv("SOFTHCA_DIR") ? getenv("SOFTHCA_DIR") : "/dev/shm";
	DIR *directory = D_HAVE(opendir(path));
	struct dirent *entry;

	while ((entry = readdir(directory)))
		if (strstr(entry->d_name, fabric))
			D_FAIL("%s/%s is left", path, entry->d_name);
	closedir(directory);
}

static bool is_readable(int fd)
{
	struct pollfd descriptor = { .fd = fd, .events = POLLIN };

	return poll(&descriptor, 1, 0) == 1;
}

int main(int argc, char **argv)
{
	struct d_random random;
	pid_t peers[MAX_PEERS] = { 0 };
	uint64_t peer_count = d_option(argc, argv, "--peers", 2);
	pid_t receiver;
	pid_t sender;
	uint64_t received;
	char fabric[64];
	uint16_t port;
	int fd;

	messages = d_option(argc, argv, "--messages", 10000000);
	seed = d_option(argc, argv, "--seed", (uint64_t)time(NULL));
	random.state = seed;
	D_CHECK(messages > 0 && peer_count <= MAX_PEERS);
	printf("soak --messages %llu --peers %llu --seed %llu\n", (unsigned long long)messages,
	       (unsigned long long)peer_count, (unsigned long long)seed);
	prepare_messages();
	snprintf(fabric, sizeof(fabric), "soak-%d", (int)getpid());
	setenv("SOFTHCA_FABRIC", fabric, 1);
	setenv("SOFTHCA_QUIET", "1", 0);
	receiver = d_run_in_child(be_receiver, &fd);
	D_CHECK(d_receive(fd, &port, sizeof(port)));
	sender = start_sender(port, false);
	/* A peer must not be the first that connects. */
	D_CHECK(d_receive(fd, &(char){ 0 }, 1));
	while (!is_readable(fd) && peer_count)
		kill_one(&peers[d_below(&random, (uint32_t)peer_count)], port, &random);
	if (!d_receive(fd, &received, sizeof(received)))
		D_FAIL("the receiver has failed");
	D_EQ(messages, received);
	for (uint64_t i = 0; i < peer_count; i++) {
		if (peers[i]) {
			D_MUST(kill(peers[i], SIGKILL));
			D_EQ(peers[i], waitpid(peers[i], NULL, 0));
		}
	}
	d_expect_exit(sender, "sender");
	d_send(fd, "", 1);
	d_expect_exit(receiver, "receiver");
	expect_no_files(fabric);
	printf("soak: no file is left\n");
	return 0;
}
