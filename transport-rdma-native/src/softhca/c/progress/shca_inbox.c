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

/* Reads the sockets of links. */
#include "progress/shca_inbox.h"

#include "cm/shca_cm_progress.h"
#include "progress/shca_command.h"
#include "progress/shca_drain.h"
#include "progress/shca_link_end.h"

bool shca_inbox_read(struct shca_link *link)
{
	uint8_t input[SHCA_LINK_INPUT];
	size_t size = 0;
	bool kicked = false;

	for (;;) {
		switch (shca_link_read(link, input, &size)) {
		case SHCA_LINK_NO_INPUT:
			return kicked;
		case SHCA_LINK_KICK:
			kicked = true;
			break;
		case SHCA_LINK_HANDLED:
			break;
		case SHCA_LINK_MESSAGE_CAME:
			/* Packets that were sent before it come first. */
			shca_drain_all(link);
			shca_cm_message(link, input, size);
			break;
		case SHCA_LINK_COMMAND:
			shca_command_execute(link->rx_socket, (const char *)input, size);
			shca_link_end_dead(link);
			return true;
		case SHCA_LINK_END:
			shca_link_end_dead(link);
			return true;
		}
	}
}
