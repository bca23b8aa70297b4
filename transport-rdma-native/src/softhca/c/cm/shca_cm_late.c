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
 * Messages that arrive twice, or after others that were sent later. UDP, which carries them on a RoCE network,
 * guarantees neither order nor number.
 */
#include <stdlib.h>
#include <string.h>

#include "base/shca_clock.h"
#include "cm/shca_cm_kernel.h"
#include "fault/shca_fault.h"
#include "wire/shca_process.h"
#include "wire/shca_wakeup.h"

/* A delayed message. */
struct late {
	struct late *next;
	struct shca_process *process;
	uint64_t due;
	size_t size;
	uint8_t bytes[SHCA_CM_BYTES];
};

static struct late *waiting;

static bool keep(struct shca_process *process, const uint8_t *bytes, size_t size, uint32_t ns)
{
	struct late *late = malloc(sizeof(*late));

	if (!late)
		return false;
	late->process = process;
	late->due = shca_now() + ns;
	late->size = size;
	memcpy(late->bytes, bytes, size);
	late->next = waiting;
	waiting = late;
	shca_wakeup_at(late->due);
	return true;
}

static uint32_t delay_ns(enum shca_cm_type type)
{
	uint32_t ns;

	if (!shca_faults_are_active())
		return 0;
	ns = shca_fault_message_delay_ns();
	return ns || type != SHCA_CM_RTU ? ns : shca_fault_ready_delay_ns();
}

static void deliver_once(struct shca_process *process, enum shca_cm_type type, const uint8_t *bytes, size_t size)
{
	uint32_t ns = delay_ns(type);

	if (!ns || !keep(process, bytes, size, ns))
		shca_process_send_message(process, bytes, size);
}

void shca_cm_deliver(struct shca_process *process, enum shca_cm_type type, const uint8_t *bytes, size_t size)
{
	deliver_once(process, type, bytes, size);
	if (shca_faults_are_active() && shca_fault_repeat_message())
		deliver_once(process, type, bytes, size);
}

void shca_cm_late_forget(const struct shca_process *process)
{
	struct late **at = &waiting;

	while (*at) {
		struct late *late = *at;

		if (late->process == process) {
			*at = late->next;
			free(late);
		} else {
			at = &late->next;
		}
	}
}

uint64_t shca_cm_late_tick(uint64_t now)
{
	struct late **at = &waiting;
	uint64_t next = 0;

	while (*at) {
		struct late *late = *at;

		if (late->due <= now) {
			*at = late->next;
			shca_process_send_message(late->process, late->bytes, late->size);
			free(late);
			continue;
		}
		if (!next || late->due < next)
			next = late->due;
		at = &late->next;
	}
	return next;
}
