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

#ifndef SHCA_ERROR_H
#define SHCA_ERROR_H

#include <errno.h>
#include <stddef.h>

/* Sets errno and returns NULL: the failure result of a function that creates an object. */
static inline void *shca_null(int error)
{
	errno = error;
	return NULL;
}

/*
 * The result of a function that returns 0 or an error number. Sets errno, too, as the kernel's ioctl does with
 * rdma-core: programs print it. Not for posting, polling and arming, which never enter the kernel.
 */
static inline int shca_error(int error)
{
	if (error)
		errno = error;
	return error;
}

#endif
