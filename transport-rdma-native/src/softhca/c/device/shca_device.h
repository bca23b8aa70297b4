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

/* The device as a whole: its open contexts, the number of its objects, and whether it is there. */
#ifndef SHCA_DEVICE_H
#define SHCA_DEVICE_H

#include <infiniband/verbs.h>
#include <stdbool.h>

struct shca_context;

/* Adds an open context, which is notified of events of the device. */
void shca_device_add_context(struct shca_context *context);
void shca_device_remove_context(struct shca_context *context);

/* The kinds of objects that are limited. The limits are per process. */
enum shca_limited {
	SHCA_LIMITED_PD,
	SHCA_LIMITED_MR,
	SHCA_LIMITED_CQ,
	SHCA_LIMITED_QP,
	SHCA_LIMITED_SRQ,
	SHCA_LIMITED_AH,
	SHCA_LIMITED_KINDS,
};
/* Returns false when the personality's limit is reached. */
bool shca_limit_acquire(enum shca_limited kind);
void shca_limit_release(enum shca_limited kind);

/*
 * Takes the device away: contexts that are open stay without one. Returns false if it was gone. Puts it back: programs
 * can open it from now on. progress/shca_removal.c
 */
bool shca_device_mark_removed(void);
void shca_device_mark_inserted(void);
bool shca_device_is_removed(void);
/* Reports an event of the port or of the device to every context. */
void shca_device_raise(enum ibv_event_type type);
/* Sets the port up or down: reports it to every context, and passes or drops packets. */
void shca_device_set_port(bool up);

#endif
