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

#include "base/shca_namespace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t number_of(const char *path)
{
	struct stat status;

	return stat(path, &status) ? 0 : status.st_ino;
}

uint64_t shca_namespace(const char *kind)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/ns/%s", kind);
	return number_of(path);
}

/* The last number of "NSpid: 4711 17 1": its number in the innermost of its pid namespaces. */
static uint32_t innermost(uint32_t pid)
{
	static const char key[] = "NSpid:";
	char path[32], line[256];
	uint32_t found = pid;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	status = fopen(path, "re");
	if (!status)
		return pid;
	while (fgets(line, sizeof(line), status)) {
		if (strncmp(line, key, strlen(key)))
			continue;
		found = (uint32_t)strtoul(strrchr(line, '\t') + 1, NULL, 10);
		break;
	}
	fclose(status);
	return found ? found : pid;
}

struct shca_process_name shca_process_name(uint32_t pid)
{
	struct shca_process_name name = { shca_namespace("pid"), pid };
	char path[32];
	uint64_t namespace;

	/* Our own number is that of our namespace, and /proc may be another's. */
	if (pid == (uint32_t)getpid())
		return name;
	snprintf(path, sizeof(path), "/proc/%u/ns/pid", pid);
	namespace = number_of(path);
	if (namespace)
		name = (struct shca_process_name){ namespace, innermost(pid) };
	return name;
}
