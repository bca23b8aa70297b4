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

/* A directory of the test's own for the shared file, and processes that are forked before the device is used. */
#ifndef T_FABRIC_H
#define T_FABRIC_H

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/shca_clock.h"
#include "t_wait.h"

static char t_directory[] = "/tmp/softhca-test-XXXXXX";

static inline int t_entries(void)
{
	DIR *directory = opendir(t_directory);
	struct dirent *entry;
	int count = 0;

	T_MUST(directory);
	while ((entry = readdir(directory)))
		if (entry->d_name[0] != '.')
			count++;
	closedir(directory);
	return count;
}

static inline void t_fabric_open(void)
{
	T_MUST(mkdtemp(t_directory));
	T_MUST(!setenv("SOFTHCA_DIR", t_directory, 1));
	T_MUST(!setenv("SOFTHCA_QUIET", "1", 1));
	unsetenv("SOFTHCA_FABRIC");
	unsetenv("SOFTHCA_FAULTS");
}

/* Checks that nothing is left in the directory. */
static inline void t_fabric_close(void)
{
	CHECK_EQ(0, t_entries());
	T_MUST(!rmdir(t_directory));
}

/* Another process, and a socket to exchange numbers with it. */
struct t_process {
	pid_t pid;
	int fd;
};

/* In a process of t_fork, the socket to the parent. */
static int t_parent = -1;

static inline void t_put(int fd, int64_t number)
{
	T_MUST(send(fd, &number, sizeof(number), MSG_NOSIGNAL) == sizeof(number));
}

static inline int64_t t_get(int fd)
{
	int64_t number = 0;

	/* A parent with many children may let one wait for any time; when it ends, its children end, too. */
	if (!t_wait_readable_for(fd, fd == t_parent ? -1 : T_PATIENCE_MS)) {
		fprintf(stderr, "%s: no answer of the other process for %d ms\n", t_name, T_PATIENCE_MS);
		exit(1);
	}
	/* The end of the other process reads as -1. */
	return recv(fd, &number, sizeof(number), 0) == sizeof(number) ? number : -1;
}

/*
 * Runs run in a new process. When run returns, the process ends with the result of its checks. When the parent ends, it
 * is killed.
 */
static inline struct t_process t_fork(void (*run)(int fd))
{
	struct t_process process;
	int fds[2];

	T_MUST(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds));
	fflush(NULL);
	process.pid = fork();
	T_MUST(process.pid >= 0);
	if (!process.pid) {
		T_MUST(!prctl(PR_SET_PDEATHSIG, SIGKILL));
		close(fds[0]);
		t_parent = fds[1];
		t_failures = 0;
		run(fds[1]);
		exit(t_result());
	}
	close(fds[1]);
	process.fd = fds[0];
	return process;
}

static inline void t_join(struct t_process *process)
{
	int status = 0;

	close(process->fd);
	T_MUST(waitpid(process->pid, &status, 0) == process->pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		T_FAIL("the other process ended with status 0x%x", status);
}

static inline void t_kill(struct t_process *process)
{
	T_MUST(!kill(process->pid, SIGKILL));
	T_MUST(waitpid(process->pid, NULL, 0) == process->pid);
	close(process->fd);
}

/* Waits until the main thread of the process is in a state, as ps names it. */
static inline void t_wait_for_state(pid_t pid, char expected)
{
	char path[64];
	char text[512];
	char state = 0;
	uint64_t limit = shca_now() + T_PATIENCE_MS * 1000000ull;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	while (state != expected && shca_now() < limit) {
		int fd = open(path, O_RDONLY);
		ssize_t size = read(fd, text, sizeof(text) - 1);

		close(fd);
		text[size < 0 ? 0 : size] = 0;
		state = strrchr(text, ')') ? strrchr(text, ')')[2] : 0;
	}
	CHECK_EQ(expected, state);
}

#endif
