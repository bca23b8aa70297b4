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

/* Memory that processes share: made so that using it cannot fail later, and put in the place of other memory. */
#ifndef SHCA_SHARED_MEMORY_H
#define SHCA_SHARED_MEMORY_H

#include <stddef.h>

/*
 * Gives an empty file this size, and all the space that it will ever need: a page without space is a SIGBUS for whoever
 * touches it, at whatever time. The file must not be mapped elsewhere. Returns 0 or -errno; the file is empty again
 * then.
 */
int shca_reserve(int fd, size_t size);

/*
 * Maps the file, or private memory if fd is -1, in the place of what is mapped at this address, in one step for all
 * other threads. flags as of mmap. Returns 0 or -errno; what was there is still there then.
 */
int shca_map_over(void *at, size_t size, int flags, int fd, size_t offset);

#endif
