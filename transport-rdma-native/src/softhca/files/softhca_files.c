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
 * For programs that look for a device's files where the kernel has them, such as UCX. It is loaded before such a
 * program, together with the software device, and redirects paths of that device into the directory of SYSFS_PATH:
 *
 *	/sys/class/infiniband/softhca0		$SYSFS_PATH/class/infiniband/softhca0
 *	/sys/class/infiniband_verbs/softhca0	$SYSFS_PATH/class/infiniband_verbs/softhca0
 *	/dev/infiniband/softhca0		$SYSFS_PATH/dev/infiniband/softhca0
 *
 * All other paths, and all without SYSFS_PATH, go to libc as they are. Only calls are here that known programs look
 * with.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORT	__attribute__((visibility("default")))

struct directory {
	const char *of_kernel;
	const char *below;	/* of SYSFS_PATH */
};

static const struct directory directories[] = {
	{ "/sys/class/infiniband/softhca0", "/class/infiniband/softhca0" },
	{ "/sys/class/infiniband_verbs/softhca0", "/class/infiniband_verbs/softhca0" },
	{ "/dev/infiniband/softhca0", "/dev/infiniband/softhca0" },
};

/* The path itself, or the one in the directory, in copy. */
static const char *redirect(const char *path, char copy[PATH_MAX])
{
	const char *root = getenv("SYSFS_PATH");

	for (size_t i = 0; path && root && i < sizeof(directories) / sizeof(directories[0]); i++) {
		size_t length = strlen(directories[i].of_kernel);

		if (strncmp(path, directories[i].of_kernel, length) || (path[length] && path[length] != '/'))
			continue;
		if (snprintf(copy, PATH_MAX, "%s%s%s", root, directories[i].below, path + length) < PATH_MAX)
			return copy;
	}
	return path;
}

/* Of libc, or of another library behind this one. Fails with ENOSYS if there is no such function. */
static void *next(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function)
		errno = ENOSYS;
	return function;
}

#define REDIRECT(type, failure, name, parameters, before, after)		\
	EXPORT type name parameters;						\
	type name parameters							\
	{									\
		type (*function) parameters = (type (*) parameters)next(#name);	\
		char copy[PATH_MAX];						\
										\
		return function ? function(before redirect(path, copy) after) : failure;	\
	}

#define COMMA	,

REDIRECT(FILE *, NULL, fopen, (const char *path, const char *mode), , COMMA mode)
REDIRECT(FILE *, NULL, fopen64, (const char *path, const char *mode), , COMMA mode)
REDIRECT(DIR *, NULL, opendir, (const char *path), , )
REDIRECT(int, -1, access, (const char *path, int mode), , COMMA mode)
REDIRECT(int, -1, stat, (const char *path, struct stat *status), , COMMA status)
REDIRECT(int, -1, stat64, (const char *path, struct stat64 *status), , COMMA status)
REDIRECT(ssize_t, -1, readlink, (const char *path, char *target, size_t size), , COMMA target COMMA size)
REDIRECT(char *, NULL, realpath, (const char *path, char *resolved), , COMMA resolved)
REDIRECT(char *, NULL, __realpath_chk, (const char *path, char *resolved, size_t size), , COMMA resolved COMMA size)

/* Programs that were built with a libc before 2.33 call these instead of stat. */
REDIRECT(int, -1, __xstat, (int version, const char *path, struct stat *status), version COMMA, COMMA status)
REDIRECT(int, -1, __xstat64, (int version, const char *path, struct stat64 *status), version COMMA, COMMA status)

/* The mode is there only if a file may be created. */
#define REDIRECT_OPEN(name)								\
	EXPORT int name(const char *path, int flags, ...);				\
	int name(const char *path, int flags, ...)					\
	{										\
		int (*function)(const char *, int, ...) = (int (*)(const char *, int, ...))next(#name);	\
		char copy[PATH_MAX];							\
		mode_t mode = 0;							\
		va_list arguments;							\
											\
		va_start(arguments, flags);						\
		if (flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)))			\
			mode = va_arg(arguments, mode_t);				\
		va_end(arguments);							\
		return function ? function(redirect(path, copy), flags, mode) : -1;	\
	}

REDIRECT_OPEN(open)
REDIRECT_OPEN(open64)
