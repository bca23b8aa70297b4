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

/* Settings that a process reads once, such as its personality, are tested in processes of their own. */
#ifndef T_CHILD_H
#define T_CHILD_H

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t_wait.h"

/* Runs the test in a child, with a variable set if name is given. All its failures count as one. */
static inline void t_in_child(const char *name, const char *value, void (*test)(void))
{
	pid_t child = fork();
	int status;

	T_MUST(child >= 0);
	if (!child) {
		t_failures = 0;
		T_MUST(!name || !setenv(name, value, 1));
		test();
		exit(t_result());
	}
	T_MUST(waitpid(child, &status, 0) == child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == T_NOT_RUN_STATUS)
		t_not_run++;
	else if (status)
		T_FAIL("with %s=%s the child ended with status 0x%x", name ? name : "", name ? value : "", status);
}

/* The test must end the child by SIGABRT. Its output is not shown. */
static inline void t_aborts_in_child(void (*test)(void))
{
	pid_t child = fork();
	int status;

	T_MUST(child >= 0);
	if (!child) {
		T_MUST(freopen("/dev/null", "w", stderr));
		test();
		_exit(0);
	}
	T_MUST(waitpid(child, &status, 0) == child);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

/* As t_in_child; said gets what the child wrote to stderr, cut to size. It must write less than a pipe holds. */
static inline void t_said_in_child(const char *name, const char *value, void (*test)(void), char *said, size_t size)
{
	int saved = dup(STDERR_FILENO);
	ssize_t length;
	int ends[2];

	T_MUST(saved >= 0 && !pipe(ends));
	T_MUST(dup2(ends[1], STDERR_FILENO) >= 0);
	close(ends[1]);
	t_in_child(name, value, test);
	T_MUST(dup2(saved, STDERR_FILENO) >= 0);
	close(saved);
	length = read(ends[0], said, size - 1);
	T_MUST(length >= 0);
	said[length] = 0;
	close(ends[0]);
}

#endif
