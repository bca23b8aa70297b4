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

/* The layout that the C compiler chose for nrdma_abi.h. Constant data; safe from any thread. */
#ifndef NRDMA_ABI_LAYOUT_H
#define NRDMA_ABI_LAYOUT_H

#include <stddef.h>

/* A field, or a whole record if field is NULL. The fields of a record follow it. */
struct nrdma_abi_row {
	const char *record;
	const char *field;
	size_t offset;
	size_t size;
};

extern const struct nrdma_abi_row nrdma_abi_rows[];
extern const size_t nrdma_abi_row_count;

/*
 * Writes lines of "record=size" and "record.field=offset" and a terminating zero. Like snprintf, it
 * writes at most size - 1 characters and returns the length of the whole text.
 */
size_t nrdma_abi_layout(char *text, size_t size);

#endif
