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
 * The bytes of sends and writes that completed before the peer has them, as on iWARP, where TCP has them by then. The
 * program may overwrite or deregister its memory; retransmissions are sent from here.
 */
#include "queue_pair/shca_send_buffer.h"

#include <stdlib.h>

#include "memory/shca_region.h"
#include "personality/shca_personality.h"

static uint32_t limit(void)
{
	return shca_personality()->send_buffer;
}

/* A request longer than the buffer completes when the peer has it. Until then it is sent from the program's memory. */
bool shca_send_buffer_takes(const struct shca_send *send)
{
	return send->length <= limit() && (send->opcode == IBV_WR_SEND || send->opcode == IBV_WR_RDMA_WRITE);
}

/*
 * A completed request keeps its slot until the peer has it, while its entry in the queue is reused: so there are twice
 * the slots.
 */
bool shca_send_buffer_has_room(const struct shca_send_queue *sq, const struct shca_send *send)
{
	return send->length <= limit() - sq->kept && sq->completed - sq->acked < sq->depth;
}

enum ibv_wc_status shca_send_buffer_keep(struct shca_qp *qp, uint32_t cursor, bool is_late)
{
	struct shca_send *send = shca_send_at(&qp->sq, cursor);
	enum ibv_wc_status status;

	/* Inline data is in the slot. */
	if (!is_late && !(send->flags & IBV_SEND_INLINE) && send->length) {
		send->kept = malloc(send->length);
		if (!send->kept)
			return IBV_WC_LOC_QP_OP_ERR;
		status = shca_gather(qp->pd, shca_send_sges(&qp->sq, cursor), send->num_sge, 0, send->kept,
				     send->length);
		if (status != IBV_WC_SUCCESS) {
			free(send->kept);
			send->kept = NULL;
			return status;
		}
	}
	qp->sq.kept += send->length;
	return IBV_WC_SUCCESS;
}

void shca_send_buffer_release(struct shca_send_queue *sq, uint32_t cursor)
{
	struct shca_send *send = shca_send_at(sq, cursor);

	free(send->kept);
	send->kept = NULL;
	sq->kept -= send->length;
}

void shca_send_buffer_forget(struct shca_send_queue *sq)
{
	for (; sq->acked != sq->completed; sq->acked++)
		shca_send_buffer_release(sq, sq->acked);
}
