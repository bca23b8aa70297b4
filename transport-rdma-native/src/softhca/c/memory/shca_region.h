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
 * What registration knows of the table of regions.
 */
#ifndef SHCA_REGION_H
#define SHCA_REGION_H

#include "shca.h"

/* A new region with the key's PD, access, start, length and memory of like. NULL when there is no memory left. */
struct shca_region *shca_region_add(const struct shca_region *like);
/* Afterwards nobody uses the memory any more, and the key is worth nothing. */
void shca_region_remove(struct shca_region *region);

#endif
