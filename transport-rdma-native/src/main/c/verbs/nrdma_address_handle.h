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

/* Converts address vectors between the shared records and verbs. Safe from any thread. */
#ifndef NRDMA_ADDRESS_HANDLE_H
#define NRDMA_ADDRESS_HANDLE_H

#include <infiniband/verbs.h>

#include "abi/nrdma_abi.h"

struct ibv_ah_attr nrdma_ah_attr_to_ibv(const struct nrdma_ah_attr *attr);
struct nrdma_ah_attr nrdma_ah_attr_from_ibv(const struct ibv_ah_attr *attr);

#endif
