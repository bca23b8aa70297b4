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
 * rdma_set_option.
 */
#include <errno.h>
#include <string.h>

#include "base/shca_export.h"
#include "cm/shca_cm.h"

#define MAX_ACK_TIMEOUT	31

/* ---- with the lock ---- */

static int set_reuse(struct shca_cm_id *id, int value)
{
	if ((!value || id->state == SHCA_CM_LISTENING) && id->state != SHCA_CM_IDLE)
		return -EINVAL;
	id->reuse = value != 0;
	return 0;
}

static int set_afonly(struct shca_cm_id *id, int value)
{
	if (id->state != SHCA_CM_IDLE && id->state != SHCA_CM_BOUND)
		return -EINVAL;
	id->afonly = value != 0;
	return 0;
}

static int set_ack_timeout(struct shca_cm_id *id, uint8_t value)
{
	if (id->id.qp_type != IBV_QPT_RC || value > MAX_ACK_TIMEOUT)
		return -EINVAL;
	id->timeout = value;
	id->timeout_set = true;
	return 0;
}

static int set_option(struct shca_cm_id *id, int name, const void *value, size_t size)
{
	bool is_byte = name == RDMA_OPTION_ID_TOS || name == RDMA_OPTION_ID_ACK_TIMEOUT;
	uint8_t byte = 0;
	int number = 0;

	if (name < RDMA_OPTION_ID_TOS || name > RDMA_OPTION_ID_ACK_TIMEOUT)
		return -ENOSYS;
	if (size != (is_byte ? sizeof(byte) : sizeof(number)))
		return -EINVAL;
	memcpy(is_byte ? (void *)&byte : &number, value, size);
	switch (name) {
	case RDMA_OPTION_ID_TOS:
		id->tos = byte;
		return 0;
	case RDMA_OPTION_ID_REUSEADDR:
		return set_reuse(id, number);
	case RDMA_OPTION_ID_AFONLY:
		return set_afonly(id, number);
	default:
		return set_ack_timeout(id, byte);
	}
}

/* A path (RDMA_OPTION_IB) belongs to a subnet, and there is none. */
SHCA_EXPORT int rdma_set_option(struct rdma_cm_id *id, int level, int name, void *value, size_t size)
{
	int result = -ENOSYS;

	pthread_mutex_lock(&shca_cm_lock);
	if (level == RDMA_OPTION_ID)
		result = set_option(to_shca_cm_id(id), name, value, size);
	pthread_mutex_unlock(&shca_cm_lock);
	return shca_cm_result(result);
}
