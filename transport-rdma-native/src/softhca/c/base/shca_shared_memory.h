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

/* Memory that processes share: made so that using it cannot fail later, and mapped over other memory. */
#ifndef SHCA_SHARED_MEMORY_H
#define SHCA_SHARED_MEMORY_H

#include <stddef.h>

/*
 * Gives an empty file this size, and all the space that it will ever need: the first access to a page without space
 * would end the process by SIGBUS. The file must not be mapped elsewhere. Returns 0 or -errno; the file is empty again
 * then.
 */
int shca_reserve(int fd, size_t size);

/*
 * Maps the file, or private memory if fd is -1, over the memory at this address, in one step for all other threads.
 * flags as of mmap. Returns 0, or -errno with the old mapping unchanged.
 */
int shca_map_over(void *at, size_t size, int flags, int fd, size_t offset);

#endif
