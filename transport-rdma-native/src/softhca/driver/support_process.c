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

#include "support.h"

#include <dirent.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

pid_t d_fork(void)
{
	pid_t child;

	/* Otherwise both processes would print what is buffered. */
	fflush(NULL);
	child = fork();
	if (child < 0)
		D_FAIL("fork: %s", strerror(errno));
	return child;
}

pid_t d_run_in_child(void (*run)(int fd), int *fd)
{
	int fds[2];
	pid_t child;

	D_MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	child = d_fork();
	if (!child) {
		close(fds[0]);
		run(fds[1]);
		_exit(0);
	}
	close(fds[1]);
	*fd = fds[0];
	return child;
}

void d_expect_exit(pid_t child, const char *who)
{
	int status = 0;

	D_EQ(child, waitpid(child, &status, 0));
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		D_FAIL("the %s has failed: status %x", who, status);
}

void d_expect_killed(pid_t child, const char *who)
{
	int status = 0;

	D_EQ(child, waitpid(child, &status, 0));
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
		D_FAIL("the %s was not killed: status %x", who, status);
}

void *d_map(size_t size, int sharing)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		D_FAIL("mmap: %s", strerror(errno));
	return memory;
}

void d_send(int fd, const void *data, size_t size)
{
	const char *from = data;

	while (size) {
		ssize_t count = send(fd, from, size, MSG_NOSIGNAL);

		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			D_FAIL("the other process is gone: %s", strerror(errno));
		from += count;
		size -= (size_t)count;
	}
}

bool d_receive(int fd, void *data, size_t size)
{
	char *to = data;

	while (size) {
		ssize_t count = recv(fd, to, size, 0);

		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return false;
		to += count;
		size -= (size_t)count;
	}
	return true;
}

int d_open_descriptors(void)
{
	DIR *directory = D_HAVE(opendir("/proc/self/fd"));
	int count = 0;

	while (readdir(directory))
		count++;
	closedir(directory);
	return count - 3;	/* ".", "..", and the directory itself */
}
