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
 * A randomised differential test: two ends (differential_end.h) carry out a random sequence of operations, and a model
 * predicts the results: what a post returns, which completions come, in which order and with what in them, and
 * every byte of both arenas afterwards. A mismatch prints seed and round.
 *
 *    --seconds N (60), --rounds N, --seed N, --first N (the round to start with), --processes 1 or 2 (1),
 *    --lossy 1 (with faults that lose packets: no datagrams, and no violations, whose response may be lost)
 *
 * A round is independent of those before it, except for the content of the arenas:
 *
 *    arm | steps: post sends, post receives, poll, refused posts, in any order, at both ends
 *        | settle: messages get their receives, receives their messages, all is polled
 *        | compare: arenas, events, states
 *        | sometimes a violation on one pair: errors and flushes at both ends; the pair is renewed
 *
 * Memory of a round is never used twice, so the model needs no clock: it carries an operation out when it is posted.
 * The exceptions are operations whose order verbs guarantee: reads after writes of one queue pair, fenced writes
 * after reads, atomics of one queue pair.
 */
#include <time.h>

#include "differential.h"

struct d_random chance;
struct d_random poll_chance;
uint64_t seed;
uint64_t round_number;
bool lossy;

int main(int argc, char **argv)
{
	uint64_t rounds = d_option(argc, argv, "--rounds", UINT64_MAX);
	uint64_t processes = d_option(argc, argv, "--processes", 1);
	time_t end = time(NULL) + (time_t)d_option(argc, argv, "--seconds", 60);

	lossy = d_option(argc, argv, "--lossy", 0);
	seed = d_option(argc, argv, "--seed", (uint64_t)time(NULL));
	round_number = d_option(argc, argv, "--first", 0);
	printf("differential --seed %llu --processes %llu\n", (unsigned long long)seed,
	       (unsigned long long)processes);
	fflush(stdout);
	d_context("--seed %llu, starting", (unsigned long long)seed);
	d_watchdog(120);
	open_sides(processes);
	for (uint64_t i = 0; i < rounds && (rounds != UINT64_MAX || time(NULL) < end); i++, round_number++)
		do_round();
	close_sides();
	printf("differential: %llu rounds, %llu work requests, %llu completions, %llu violations: all as expected\n",
	       (unsigned long long)round_number, (unsigned long long)operations, (unsigned long long)completions,
	       (unsigned long long)violations);
	return 0;
}
