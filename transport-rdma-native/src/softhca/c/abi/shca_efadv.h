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
 * What newer versions of libefa have added to the structures of version 44. The names there are the same without SHCA_.
 * Each replaces fields that were reserved. The header that this is built with may be older, or newer with more fields
 * behind them: a program passes the length of its structure.
 */
#ifndef SHCA_EFADV_H
#define SHCA_EFADV_H

#include <assert.h>
#include <infiniband/efadv.h>
#include <stddef.h>
#include <stdint.h>

#define SHCA_EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE	(1u << 3)	/* version 46 */

/* struct efadv_qp_init_attr */
struct shca_efadv_qp_init_attr {
	uint64_t comp_mask;
	uint32_t driver_qp_type;
	uint16_t flags;			/* version 52 */
	uint8_t sl;			/* version 55 */
	uint8_t reserved;
};

static_assert(sizeof(struct shca_efadv_qp_init_attr) == 16, "as versions 26 to 64 have it");
static_assert(sizeof(struct shca_efadv_qp_init_attr) <= sizeof(struct efadv_qp_init_attr), "newer ones are longer");
static_assert(offsetof(struct shca_efadv_qp_init_attr, driver_qp_type) ==
	      offsetof(struct efadv_qp_init_attr, driver_qp_type), "the same fields in front");

#endif
