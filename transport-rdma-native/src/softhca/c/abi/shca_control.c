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

/* softhca_control: sends a command to a process, where progress/shca_command.c carries it out. */
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
#include "registry/shca_fabric_file.h"
#include "wire/shca_process_socket.h"

/* How long the other process may take to carry out the command; a stopped one never does. */
#define ANSWER_TIMEOUT_MS	10000

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
		ready = poll(&answer, 1, ANSWER_TIMEOUT_MS);
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
	fd = shca_socket_connect(name);
	if (fd < 0)
		return fd == -ECONNREFUSED ? -ESRCH : fd;
	/* The name of the socket is that of the process. */
	result = shca_socket_is_peer(fd, 0) ? exchange(fd, command) : -EPERM;
	close(fd);
	return result;
}
