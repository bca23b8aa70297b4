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

/* The memory regions of this process, and copying to and from them as far as they allow it. */
#ifndef SHCA_REGION_H
#define SHCA_REGION_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdint.h>

/*
 * A registered range. Regions lie in a table that is never freed. A reader finds the region by the key's index, counts
 * itself in, and checks that the key is still the same. Deregistration clears the key and waits until no reader is
 * counted in. Key = index << 8 | a tag that changes with each use.
 */
struct shca_region {
	_Atomic uint32_t key;		/* 0: free */
	_Atomic uint32_t users;
	uint32_t pd;
	uint32_t access;		/* enum ibv_access_flags */
	uint64_t start;			/* iova: the address of the first byte in work requests */
	uint64_t length;
	uint8_t *memory;		/* the address of the first byte in this process */
	uint8_t next_tag;		/* tag of the next key of this entry */
};

/* Adds a region with the PD, access, start, length and memory of like. Returns NULL when there is no memory. */
struct shca_region *shca_region_add(const struct shca_region *like);
/* Afterwards the key is invalid and the memory is not used any more. */
void shca_region_remove(struct shca_region *region);

/*
 * Counts the caller in and returns the region, if the key belongs to this PD, covers the range and grants all of
 * access. Else returns NULL.
 */
struct shca_region *shca_region_pin(uint32_t pd, uint32_t key, uint64_t address, uint64_t length, unsigned int access);
void shca_region_unpin(struct shca_region *region);
static inline uint8_t *shca_region_at(const struct shca_region *region, uint64_t address)
{
	return region->memory + (address - region->start);
}

/*
 * Copy between flat memory and the bytes [offset, offset + length) of a scatter/gather list. The list must be long
 * enough: callers compare lengths first. Return IBV_WC_SUCCESS or IBV_WC_LOC_PROT_ERR; a refused list may have been
 * copied in part. access is what the regions must grant: 0 to read, IBV_ACCESS_LOCAL_WRITE to write.
 */
enum ibv_wc_status shca_gather(uint32_t pd, const struct ibv_sge *list, uint32_t count, uint32_t offset, void *to,
			       uint32_t length);
enum ibv_wc_status shca_scatter(uint32_t pd, const struct ibv_sge *list, uint32_t count, uint32_t offset,
				const void *from, uint32_t length, unsigned int access);
/* Whether the regions grant this access to every SGE of the list, except empty ones. */
enum ibv_wc_status shca_check_list(uint32_t pd, const struct ibv_sge *list, uint32_t count, unsigned int access);
/* The total length of all SGEs. */
uint64_t shca_list_length(const struct ibv_sge *list, uint32_t count);

#endif
