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
 * The GIDs of the port: one per address of the machine, read on request. With EFA only one, its link-local address,
 * which is no address of the machine.
 */
#ifndef SHCA_GID_H
#define SHCA_GID_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

int shca_gid_count(void);
/* Returns 0 or -errno. Index 0 is fe80:: with the GUID. interface may be NULL. */
int shca_gid_at(int index, union ibv_gid *gid, uint32_t *interface);
/* The index of a GID that is made of an address of the machine, of this interface if it is not 0; -1: there is none. */
int shca_gid_find(const union ibv_gid *gid, uint32_t interface);
/* Why the addresses of the machine could not be read the last time: an error number, or 0. */
int shca_gid_failure(void);
bool shca_gid_is_local(const union ibv_gid *gid);
/* Whether it is made of an address that has no entry in the table. */
bool shca_gid_is_left_out(const union ibv_gid *gid);
__be64 shca_guid(void);

#endif
