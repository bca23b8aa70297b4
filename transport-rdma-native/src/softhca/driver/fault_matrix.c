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
 * The fault matrix: every fault that the software device injects, and the completion statuses and events
 * that it must cause, at both ends, for many seeds. --seeds N (100), --first N (1), --case N (all)
 *
 * Cases that leave the process dead or without a device run in children. Ack timers are short, so that losses that
 * only a timer detects are detected soon; how soon is not checked.
 */
#include "fault_matrix.h"

static const struct {
	const char *name;
	void (*run)(void);
	bool forks;	/* must run before this process opens the device */
} cases[] = {
	{ "killed process: RETRY_EXC_ERR, flush", killed_process, true },
	{ "killed process: DISCONNECTED", killed_connection, true },
	{ "lost peer: RETRY_EXC_ERR, flush", lose, true },
	{ "removed device: DEVICE_FATAL, flush, EIO", removal, true },
	{ "removed device: DEVICE_REMOVAL", removal_of_ids, true },
	{ "drop: all arrives", drop, false },
	{ "drop one: all arrives", drop_one, false },
	{ "delay: order is kept", delay, false },
	{ "receiver not ready: all arrives", receiver_not_ready, false },
	{ "drop, delay, not ready: all arrives", drop_and_delay_and_not_ready, false },
	{ "drop all: RETRY_EXC_ERR", drop_all, false },
	{ "never ready: RNR_RETRY_EXC_ERR", never_ready, false },
	{ "no receive: RNR_RETRY_EXC_ERR", no_receive, false },
	{ "retries are counted", retries_are_counted, false },
	{ "overrun: CQ_ERR, QP_FATAL", overrun, false },
	{ "overrun without a fault", real_overrun, false },
	{ "registration: ENOMEM", registration, false },
	{ "port: PORT_ERR, PORT_ACTIVE", port, false },
	{ "one message of rdma_cm lost: connects and disconnects", lost_message, false },
	{ "all messages of rdma_cm lost: UNREACHABLE", lost_messages, false },
	{ "one message of rdma_cm twice: connects and disconnects", repeated_message, false },
	{ "one message of rdma_cm late: connects and disconnects", late_message, false },
};

int main(int argc, char **argv)
{
	uint64_t seeds = d_option(argc, argv, "--seeds", 100);
	uint64_t first = d_option(argc, argv, "--first", 1);
	uint64_t only = d_option(argc, argv, "--case", D_COUNT(cases));
	bool is_open = false;

	if (!d_has_control())
		D_FAIL("faults need the software device: run it with bin/softhca");
	setenv("SOFTHCA_QUIET", "1", 0);
	/* Lost messages are repeated soon. */
	setenv("SOFTHCA_CM_TIMEOUT_MS", "160", 0);
	d_watchdog(120);
	for (uint64_t i = 0; i < D_COUNT(cases); i++) {
		if (only < D_COUNT(cases) && only != i)
			continue;
		if (!cases[i].forks && !is_open) {
			open_device();
			is_open = true;
		}
		for (current_seed = first; current_seed < first + seeds; current_seed++) {
			d_context("--case %llu --first %llu: %s", (unsigned long long)i,
				  (unsigned long long)current_seed, cases[i].name);
			d_alive();
			cases[i].run();
		}
		printf("fault matrix: %llu seeds: %s\n", (unsigned long long)seeds, cases[i].name);
		fflush(stdout);
	}
	if (is_open)
		close_device();
	return 0;
}
