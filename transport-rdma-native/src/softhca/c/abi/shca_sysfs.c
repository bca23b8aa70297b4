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

/*
 * The kernel's files about devices. This device has none, but some may have been made for it: as with rdma-core
 * SYSFS_PATH says where. A program that wants to know the bus and the driver looks there.
 */
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/shca_ops.h"
#include "base/shca_export.h"

SHCA_EXPORT int ibv_read_sysfs_file(const char *directory, const char *file, char *text, size_t size);

static char root[IBV_SYSFS_PATH_MAX] = "/sys";

/* Ignores a path that is too long for the fields of a device. */
static void read_root(void)
{
	const char *given = getenv("SYSFS_PATH");
	size_t length = given ? strlen(given) : 0;

	while (length && given[length - 1] == '/')
		length--;
	if (!length || length + sizeof("/class/infiniband_verbs/softhca0") > sizeof(root))
		return;
	memcpy(root, given, length);
	root[length] = '\0';
}

const char *ibv_get_sysfs_path(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_root);
	return root;
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
