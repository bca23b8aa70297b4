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

/* Commands of softhca_control, in the process that gets them. */
#include "progress/shca_command.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/shca_upcalls.h"
#include "device/shca_device.h"
#include "fault/shca_fault.h"
#include "progress/shca_removal.h"
#include "registry/shca_ports.h"
#include "wire/shca_process_socket.h"

/* Reads a number without a sign. Returns 0, which is never a valid value, if there is none. */
static unsigned long read_number(const char **text)
{
	char *end;
	unsigned long number = **text >= '0' && **text <= '9' ? strtoul(*text, &end, 10) : 0;

	if (number)
		*text = end;
	return number;
}

static int check_listener(const char *text)
{
	unsigned long port = read_number(&text);
	unsigned long times = 1;

	if (*text == ' ') {
		text++;
		times = read_number(&text);
	}
	if (*text || port == 0 || port > UINT16_MAX || times == 0)
		return -EINVAL;
	return shca_port_has_listener((uint16_t)port, times) ? 0 : -ENOENT;
}

static int execute(const char *command)
{
	static const char faults[] = "faults ";
	static const char listens[] = "listens ";

	if (!strncmp(command, faults, strlen(faults)))
		return shca_fault_set(command + strlen(faults));
	if (!strncmp(command, listens, strlen(listens)))
		return check_listener(command + strlen(listens));
	if (!strcmp(command, "remove-device"))
		shca_device_remove();
	else if (!strcmp(command, "insert-device"))
		shca_device_insert();
	else if (!strcmp(command, "port-down"))
		shca_device_set_port(false);
	else if (!strcmp(command, "port-up"))
		shca_device_set_port(true);
	else
		return -EINVAL;
	return 0;
}

void shca_command_execute(int fd, const char *text, size_t size)
{
	char command[SHCA_CONTROL_SIZE + 1];
	size_t prefix = strlen(SHCA_CONTROL_PREFIX);
	int32_t result = -EMSGSIZE;

	if (size - prefix < sizeof(command)) {
		memcpy(command, text + prefix, size - prefix);
		command[size - prefix] = 0;
		result = execute(command);
	}
	/* The sender may be gone. */
	send(fd, &result, sizeof(result), MSG_DONTWAIT | MSG_NOSIGNAL);
}
