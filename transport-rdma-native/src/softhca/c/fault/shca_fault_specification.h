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

/* A specification: the text of SOFTHCA_FAULTS as plans, one for each kind of fault that it names. */
#ifndef SHCA_FAULT_SPECIFICATION_H
#define SHCA_FAULT_SPECIFICATION_H

#include <stdbool.h>
#include <stdint.h>

#define SHCA_FAULT_CERTAIN	1000000000u	/* probabilities are in billionths */
/* How many requests or completions of SRD may be swapped, unless a specification names another window. */
#define SHCA_FAULT_WINDOW	16u

enum shca_fault_kind {
	SHCA_FAULT_DROP, SHCA_FAULT_DELAY, SHCA_FAULT_RNR, SHCA_FAULT_LOSE, SHCA_FAULT_REGISTER, SHCA_FAULT_OVERRUN,
	SHCA_FAULT_KILL, SHCA_FAULT_REMOVE, SHCA_FAULT_MESSAGE, SHCA_FAULT_REPEAT, SHCA_FAULT_LATE, SHCA_FAULT_CONTROL,
	SHCA_FAULT_POST, SHCA_FAULT_POST_RECEIVE, SHCA_FAULT_CONNECT, SHCA_FAULT_DESTROY, SHCA_FAULT_BEGIN,
	SHCA_FAULT_ACKNOWLEDGE, SHCA_FAULT_READ, SHCA_FAULT_SCRIBBLE, SHCA_FAULT_SWALLOW, SHCA_FAULT_PORT,
	SHCA_FAULT_FLUSH, SHCA_FAULT_LINGER, SHCA_FAULT_RESET, SHCA_FAULT_HANDLE, SHCA_FAULT_UNRESPONSIVE,
	SHCA_FAULT_SILENT, SHCA_FAULT_READY, SHCA_FAULT_READY_LATE,
	SHCA_FAULT_REORDER,	/* the last one: no fault, see queue/shca_srd_order.h */
	SHCA_FAULT_KINDS,
};

/* When the fault happens: with this probability, and at the occasions from first to last. */
struct shca_fault_plan {
	uint32_t probability;
	uint32_t duration;	/* ns; for kinds that delay; the window of reorder */
	uint64_t first;
	uint64_t last;		/* 0: no such range */
};

/* A parsed specification. It is applied only if all of it was understood. */
struct shca_fault_specification {
	uint64_t seed;
	bool has_seed;
	bool off;
	bool named[SHCA_FAULT_KINDS];
	struct shca_fault_plan plans[SHCA_FAULT_KINDS];
};

/* Returns 0, or -EINVAL after a line on stderr that names the keyword and the syntax. *into must be zeroed. */
int shca_fault_read(const char *text, struct shca_fault_specification *into);

#endif
