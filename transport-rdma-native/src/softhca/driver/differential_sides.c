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

#include <sys/mman.h>

#include "differential.h"

struct side sides[2];
static int other_process = -1;
static pid_t child;	/* 0: both ends are in this process */

struct reply run(int side, const struct command *command)
{
	struct reply reply;

	if (sides[side].end) {
		end_execute(sides[side].end, command, &reply);
	} else {
		d_send(other_process, command, sizeof(*command));
		if (!d_receive(other_process, &reply, sizeof(reply)))
			D_FAIL("the other process has ended");
	}
	return reply;
}

struct reply run_simple(int side, enum command_kind kind, uint32_t pair)
{
	struct command command = { .kind = kind, .pair = pair };

	return run(side, &command);
}

void connect_sides(uint32_t pair)
{
	for (int side = 0; side < 2; side++) {
		struct command command = { .kind = DO_CONNECT, .pair = pair, .peer = sides[!side].info };

		run(side, &command);
	}
	if (!sides[0].info.deviations.connected_by_cm || !sides[0].info.has_pair[pair])
		return;
	run_simple(0, DO_RESOLVE, pair);
	run_simple(1, DO_ANSWER, pair);
	run_simple(0, DO_SEND_FIRST, pair);
	run_simple(1, DO_RECEIVE_FIRST, pair);
}

static void serve(int fd)
{
	struct end *end = end_open(sides[1].actual, seed + 1);
	struct command command;
	struct reply reply;

	while (d_receive(fd, &command, sizeof(command)) && command.kind != DO_QUIT) {
		d_context("seed %llu, the other process, command %d on pair %u", (unsigned long long)seed,
			  command.kind, command.pair);
		end_execute(end, &command, &reply);
		d_send(fd, &reply, sizeof(reply));
	}
	end_close(end);
}

void open_sides(uint64_t processes)
{
	for (int side = 0; side < 2; side++) {
		sides[side].actual = d_map(ARENA, MAP_SHARED);
		sides[side].expected = D_HAVE((uint8_t *)malloc(ARENA));
		d_fill(sides[side].actual, ARENA, seed + (uint64_t)side);
		adopt_actual(side, 0, ARENA);
	}
	/* Forks before a device is open: softhca, like hardware, does not share a device with a child. */
	if (processes == 2)
		child = d_run_in_child(serve, &other_process);
	else
		sides[1].end = end_open(sides[1].actual, seed + 1);
	sides[0].end = end_open(sides[0].actual, seed);
	for (int side = 0; side < 2; side++)
		sides[side].info = run_simple(side, DO_INFO, 0).info;
	for (uint32_t pair = 0; pair < PAIRS; pair++)
		connect_sides(pair);
}

void close_sides(void)
{
	for (int side = 0; side < 2; side++) {
		if (sides[side].end)
			end_close(sides[side].end);
		munmap(sides[side].actual, ARENA);
		free(sides[side].expected);
	}
	if (!child)
		return;
	d_send(other_process, &(struct command){ .kind = DO_QUIT }, sizeof(struct command));
	d_expect_exit(child, "other process");
}
