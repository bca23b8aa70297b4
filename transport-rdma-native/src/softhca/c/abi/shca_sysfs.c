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

/* The kernel's files about devices. This device has none. */
#include <infiniband/verbs.h>
#include <stdio.h>

#include "base/shca_export.h"

SHCA_EXPORT const char *ibv_get_sysfs_path(void);
SHCA_EXPORT int ibv_read_sysfs_file(const char *directory, const char *file, char *text, size_t size);

const char *ibv_get_sysfs_path(void)
{
	return "/sys";
}

/* Reads the real files: a program that reads about other devices of the machine still can. */
int ibv_read_sysfs_file(const char *directory, const char *file, char *text, size_t size)
{
	char path[512];
	ssize_t length = -1;
	FILE *stream;

	if (snprintf(path, sizeof(path), "%s/%s", directory, file) >= (int)sizeof(path))
		return -1;
	stream = fopen(path, "re");
	if (!stream)
		return -1;
	if (size) {
		length = (ssize_t)fread(text, 1, size - 1, stream);
		text[length] = '\0';
		if (length > 0 && text[length - 1] == '\n')
			text[--length] = '\0';
	}
	fclose(stream);
	return (int)length;
}
