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

/* Converts errors from the form of rdma-core to that for Java: 0 or a handle on success, or -errno. */
#ifndef NRDMA_ERROR_H
#define NRDMA_ERROR_H

#include <errno.h>
#include <stdint.h>

/* The error of a call that failed through errno. Some providers fail without setting it. */
static inline int nrdma_errno(void)
{
	return errno > 0 ? errno : EIO;
}

/*
 * Converts the result of a verb or an rdma_cm call to a positive errno; 0 is success. By their
 * manuals these calls return errno or -1, but some providers (siw, erdma) return -errno.
 */
static inline int nrdma_error(int ret)
{
	if (ret == -1)
		return nrdma_errno();
	return ret < 0 ? -ret : ret;
}

static inline int64_t nrdma_handle(const void *object)
{
	return object ? (int64_t)(intptr_t)object : -nrdma_errno();
}

/* Clears errno first, so that the errno of an earlier call is not reported for this one. */
#define NRDMA_RESULT(call) (errno = 0, -nrdma_error(call))
#define NRDMA_HANDLE(call) (errno = 0, nrdma_handle(call))

/*
 * Whether the error means that the device or the library lacks the feature. Providers return
 * different ones of these. EINVAL may also mean a bad argument; the fallback then fails as well.
 */
static inline int nrdma_is_unsupported(int error)
{
	return error == EOPNOTSUPP || error == ENOSYS || error == EINVAL;
}

#endif
