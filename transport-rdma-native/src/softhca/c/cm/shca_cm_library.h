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

/* librdmacm's part of connection management. All of it without shca_cm_lock. */
#ifndef SHCA_CM_LIBRARY_H
#define SHCA_CM_LIBRARY_H

#include "cm/shca_cm.h"

/* ---- the device of the ids: shca_cm_device.c ---- */

/* Opens the device at the first call. Returns 0, or -errno after a line on stderr. */
int shca_cm_device_open(void);
/* Gives the device to an id whose address belongs to it. Returns 0 or -errno. */
int shca_cm_device_acquire(struct shca_cm_id *id);
void shca_cm_device_release(struct shca_cm_device *device);
/* Closes the device if it is not in use. The exit of the process, and the end of the library, call this. */
void shca_cm_device_close(void);
/* NULL before shca_cm_device_open. */
struct ibv_context *shca_cm_device_verbs(void);

/* ---- ids and their events: shca_cm_id.c, shca_cm_event.c ---- */

/* rdma_create_id with a type of queue pair. */
int shca_cm_id_create(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context,
		      enum rdma_port_space ps, enum ibv_qp_type qp_type);
/* Waits until that many events of the id are acknowledged. */
void shca_cm_events_await(struct shca_cm_id *id, int fetched);
/* In synchronous mode, waits for the id's event. Returns what rdma_* functions return. */
int shca_cm_complete(struct shca_cm_id *id);

/* ---- queue pairs: shca_cm_queue_pair.c ---- */

/* Modify the queue pair created with the id, if there is one. Return what rdma_* functions return. */
int shca_cm_modify_rtr(struct shca_cm_id *id, uint8_t responder_resources);
int shca_cm_modify_rts(struct shca_cm_id *id, uint8_t initiator_depth);
int shca_cm_modify_err(struct shca_cm_id *id);

/* Copy the addresses and paths of the "kernel" into the public struct. Return 0 or -errno. */
int shca_cm_id_publish(struct shca_cm_id *id);
int shca_cm_id_publish_path(struct shca_cm_id *id);

#endif
