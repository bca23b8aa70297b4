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

/* Reads the sockets of processes. */
#include "progress/shca_inbox.h"

#include "cm/shca_cm_progress.h"
#include "progress/shca_command.h"
#include "progress/shca_drain.h"
#include "progress/shca_process_end.h"
#include "wire/shca_link.h"
#include "wire/shca_process.h"

/* What the peer sent before, on whichever of the sockets between the two processes it passed the link's memory. */
static void drain_all(uint32_t slot)
{
	uint32_t count = shca_process_count();

	for (uint32_t i = 0; i < count; i++) {
		struct shca_process *process = shca_process_at(i);

		if (!shca_process_is_up(process) || atomic_load(&process->slot) != slot)
			continue;
		for (struct shca_link *link = atomic_load(&process->links); link; link = link->next_of_process)
			shca_drain_all(link);
	}
}

bool shca_inbox_read(struct shca_process *process)
{
	uint8_t input[SHCA_PROCESS_INPUT];
	size_t size = 0;
	bool kicked = false;

	for (;;) {
		switch (shca_process_read(process, input, &size)) {
		case SHCA_PROCESS_NO_INPUT:
			return kicked;
		case SHCA_PROCESS_KICK:
			kicked = true;
			break;
		case SHCA_PROCESS_HANDLED:
			break;
		case SHCA_PROCESS_MESSAGE_CAME:
			/* Packets that were sent before it come first. */
			drain_all(atomic_load(&process->slot));
			shca_cm_message(process, input, size);
			break;
		case SHCA_PROCESS_COMMAND:
			shca_command_execute(process->rx_socket, (const char *)input, size);
			shca_process_end_dead(process);
			return true;
		case SHCA_PROCESS_END:
			shca_process_end_dead(process);
			return true;
		}
	}
}
