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

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "abi/softhca.h"
#include "base/shca_export.h"
#include "base/shca_say.h"
#include "device/shca_device.h"
#include "fault/shca_fault.h"
#include "registry/shca_fabric_file.h"
#include "registry/shca_ports.h"
#include "wire/shca_link_socket.h"
#include "wire/shca_wire_upcalls.h"

/* How long the other process may take to carry out the command; a stopped one never does. */
#define PATIENCE_MS	10000

/* ---- in the process that gets the command ---- */

/* Reads a number without a sign. Returns 0, which is never a valid value, if there is none. */
static unsigned long take_number(const char **text)
{
	char *end;
	unsigned long number = **text >= '0' && **text <= '9' ? strtoul(*text, &end, 10) : 0;

	if (number)
		*text = end;
	return number;
}

static int ask_for_listener(const char *text)
{
	unsigned long port = take_number(&text);
	unsigned long times = 1;

	if (*text == ' ') {
		text++;
		times = take_number(&text);
	}
	if (*text || port == 0 || port > UINT16_MAX || times == 0)
		return -EINVAL;
	return shca_port_has_listener((uint16_t)port, times) ? 0 : -ENOENT;
}

static int carry_out(const char *command)
{
	static const char faults[] = "faults ";
	static const char listens[] = "listens ";

	if (!strncmp(command, faults, strlen(faults)))
		return shca_fault_set(command + strlen(faults));
	if (!strncmp(command, listens, strlen(listens)))
		return ask_for_listener(command + strlen(listens));
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

void shca_control_carry_out(int fd, const char *text, size_t size)
{
	char command[SHCA_CONTROL_SIZE + 1];
	size_t prefix = strlen(SHCA_CONTROL_PREFIX);
	int32_t result = -EMSGSIZE;

	if (size - prefix < sizeof(command)) {
		memcpy(command, text + prefix, size - prefix);
		command[size - prefix] = 0;
		result = carry_out(command);
	}
	/* The sender may be gone. */
	send(fd, &result, sizeof(result), MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* ---- in the process that sends the command ---- */

static int exchange(int fd, const char *command)
{
	char text[sizeof(SHCA_CONTROL_PREFIX) + SHCA_CONTROL_SIZE];
	struct pollfd answer = { .fd = fd, .events = POLLIN };
	int32_t result;
	int length = snprintf(text, sizeof(text), "%s%s", SHCA_CONTROL_PREFIX, command);
	int ready;

	if ((size_t)length >= sizeof(text))
		return -EMSGSIZE;
	if (send(fd, text, (size_t)length, MSG_NOSIGNAL) < 0)
		return errno == EPIPE ? -ESRCH : -errno;
	do
		ready = poll(&answer, 1, PATIENCE_MS);
	while (ready < 0 && errno == EINTR);
	if (ready == 0)
		return -ETIMEDOUT;
	return recv(fd, &result, sizeof(result), MSG_DONTWAIT) == sizeof(result) ? result : -ESRCH;
}

SHCA_EXPORT const char *softhca_reason(int error)
{
	return shca_reason(error);
}

SHCA_EXPORT int softhca_control(pid_t pid, const char *command)
{
	uint32_t target = (uint32_t)(pid ? pid : getpid());
	char name[SHCA_SOCKET_NAME];
	int result;
	int fd;

	if (!command)
		return -EINVAL;
	result = shca_fabric_find_process(target, name, sizeof(name));
	if (result)
		return result;
	fd = shca_socket_dial(name);
	if (fd < 0)
		return fd == -ECONNREFUSED ? -ESRCH : fd;
	/* The name of the socket is that of the process. */
	result = shca_socket_is_peer(fd, 0) ? exchange(fd, command) : -EPERM;
	close(fd);
	return result;
}
