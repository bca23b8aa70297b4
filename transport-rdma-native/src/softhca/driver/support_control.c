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

#include <stdarg.h>

/* Weak, so that a program on another implementation links and runs without it. */
extern int softhca_control(pid_t pid, const char *command) __attribute__((weak));

bool d_has_control(void)
{
	return softhca_control != NULL;
}

void d_control(pid_t pid, const char *format, ...)
{
	char command[256];
	va_list arguments;
	int ret;

	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	if (!d_has_control())
		D_FAIL("\"%s\" needs the software device: run it with bin/softhca", command);
	ret = softhca_control(pid, command);
	if (ret)
		D_FAIL("softhca_control(%d, \"%s\"): %s", (int)pid, command, strerror(-ret));
}
