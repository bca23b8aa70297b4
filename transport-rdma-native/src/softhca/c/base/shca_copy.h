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

#ifndef SHCA_COPY_H
#define SHCA_COPY_H

#include <stdint.h>
#include <string.h>

/*
 * glibc copies 2,112 bytes and more by one instruction, rep movsb, if the processor says that it is fast. On AMD's
 * Zen 3 it is not, if both addresses are at about the same offset of their pages, as a payload behind a header in a
 * ring often is: 1.4 GB/s in place of 30 (https://sourceware.org/bugzilla/show_bug.cgi?id=30994).
 */
#define SHCA_COPY_AT_ONCE	2048u

/* Copies a payload of any length. As with memcpy, the two do not overlap. */
static inline void shca_copy(void *to, const void *from, size_t length)
{
	uint8_t *target = to;
	const uint8_t *source = from;

	/* A part has no constant length: compilers, too, copy such a one by rep movs. */
	while (length) {
		size_t part = length < SHCA_COPY_AT_ONCE ? length : SHCA_COPY_AT_ONCE;

		memcpy(target, source, part);
		target += part;
		source += part;
		length -= part;
	}
}

#endif
