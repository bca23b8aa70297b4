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

/* The namespaces of this process: containers share some of them with their host. */
#ifndef SHCA_NAMESPACE_H
#define SHCA_NAMESPACE_H

#include <stdint.h>

/* The number of a namespace, "net" or "pid", on this machine; 0 where /proc is missing. */
uint64_t shca_namespace(const char *kind);

/*
 * A process by the number that it has in our /proc: the number of its pid namespace, and the one that it has there
 * itself. Where /proc does not say: those of a process in our namespace.
 */
struct shca_process_name {
	uint64_t namespace;
	uint32_t pid;
};

struct shca_process_name shca_process_name(uint32_t pid);

#endif
