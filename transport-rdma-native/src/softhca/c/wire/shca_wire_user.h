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
 * The part of a queue pair that links and the engine use: the lists that it may be on. Each queue pair contains one of
 * these; the wire knows nothing else of queue pairs.
 */
#ifndef SHCA_WIRE_USER_H
#define SHCA_WIRE_USER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct shca_wire_user {
	struct shca_wire_user *next_ack;	/* link->acks; under that link's rx_lock */
	bool is_on_acks;
	_Atomic bool is_blocked;
	struct shca_wire_user *next_blocked;	/* link->blocked; under that link's tx_lock */
	struct shca_wire_user *next_watched;	/* shca_watch.c */
	_Atomic bool is_watched;
	_Atomic uint64_t timeout;		/* of its timer in ns; 0: it has none, or is not ready to send yet */
	uint64_t idle_since;			/* the helper thread's: since when nothing has been outstanding */
};

#endif
