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

/* Initialises the function tables of a context, and declares the functions in them that belong to no other folder. */
#ifndef SHCA_OPS_H
#define SHCA_OPS_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

#include "base/shca_export.h"
#include "device/shca_context.h"

/* Fills the public part. The event queue is open already. shca_ops.c */
void shca_context_init(struct shca_context *context, struct ibv_device *device);

/* shca_query.c */
int shca_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
			 struct ibv_device_attr_ex *attr, size_t size);
int shca_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t size);

/* Of rdma-core's driver.h: where the kernel's files about devices are. shca_sysfs.c */
SHCA_EXPORT const char *ibv_get_sysfs_path(void);

#endif
