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
/* Batches of records as Java writes them, for the post functions, and checks of the requests that t_posting.h got. */
#ifndef T_BATCH_H
#define T_BATCH_H

#include "t_posting.h"

/* Exactly as large as its records, so that the sanitizer sees a read beyond them. */
struct batch {
	char *bytes;
	size_t length;
	int count;
};

static inline struct batch new_batch(void)
{
	return (struct batch) { .bytes = NULL };
}

static inline void *append(struct batch *batch, const void *record, size_t size)
{
	batch->bytes = realloc(batch->bytes, batch->length + size);
	if (!batch->bytes)
		abort();
	memcpy(batch->bytes + batch->length, record, size);
	batch->length += size;
	return batch->bytes;
}

static inline void add_sge(struct batch *batch, uint64_t addr, uint32_t length, uint32_t lkey)
{
	append(batch, &(struct nrdma_sge) { .addr = addr, .length = length, .lkey = lkey },
	       sizeof(struct nrdma_sge));
}

/* num_sge calls of add_sge must follow. */
static inline void add_send(struct batch *batch, struct nrdma_send_wr record)
{
	append(batch, &record, sizeof(record));
	batch->count++;
}

static inline void add_recv(struct batch *batch, uint64_t wr_id, uint32_t num_sge)
{
	struct nrdma_recv_wr record = { .wr_id = wr_id, .num_sge = num_sge };

	append(batch, &record, sizeof(record));
	batch->count++;
}

static inline struct batch sends(int count)
{
	struct batch batch = new_batch();
	int i;

	for (i = 0; i < count; i++) {
		add_send(&batch, (struct nrdma_send_wr) {
			.wr_id = (uint64_t)i, .opcode = IBV_WR_SEND, .num_sge = 1,
		});
		add_sge(&batch, 0x1000 + (uint64_t)i, 64, 7);
	}
	return batch;
}

static inline struct batch receives(int count)
{
	struct batch batch = new_batch();
	int i;

	for (i = 0; i < count; i++) {
		add_recv(&batch, (uint64_t)i, (uint32_t)(i % 3));
		if (i % 3 > 0)
			add_sge(&batch, 0x1000 + (uint64_t)i, 64, 7);
		if (i % 3 > 1)
			add_sge(&batch, 0x2000 + (uint64_t)i, 65, 8);
	}
	return batch;
}

static inline int64_t post(struct nrdma_qp *qp, const struct batch *batch)
{
	return nrdma_post_send(qp, (const void *)batch->bytes, batch->count);
}

static inline void check_result(int posted, int err, int64_t result)
{
	CHECK_EQ(posted, (uint32_t)result);
	CHECK_EQ(err, result >> 32);
}

static inline void check_posted(const struct posted *expected, const struct posted *actual)
{
	CHECK_EQ(expected->wr_id, actual->wr_id);
	CHECK_EQ(expected->opcode, actual->opcode);
	CHECK_EQ(expected->flags, actual->flags);
	CHECK_EQ(expected->imm, actual->imm);
	CHECK_EQ(expected->remote_addr, actual->remote_addr);
	CHECK_EQ(expected->rkey, actual->rkey);
	CHECK_EQ(expected->compare_add, actual->compare_add);
	CHECK_EQ(expected->swap, actual->swap);
	CHECK_EQ(expected->ah, actual->ah);
	CHECK_EQ(expected->remote_qpn, actual->remote_qpn);
	CHECK_EQ(expected->qkey, actual->qkey);
	CHECK_EQ(expected->num_sge, actual->num_sge);
	CHECK_BYTES(expected->sge, actual->sge, sizeof(actual->sge));
	CHECK_EQ(expected->inline_length, actual->inline_length);
	CHECK_BYTES(expected->inline_bytes, actual->inline_bytes, sizeof(actual->inline_bytes));
}

static inline int64_t post_receive_batch(bool shared, const struct batch *batch)
{
	struct nrdma_qp qp = { .qp = &qp_ex.qp_base };

	return shared ? nrdma_post_srq_recv(&srq, (const void *)batch->bytes, batch->count) :
			nrdma_post_recv(&qp, (const void *)batch->bytes, batch->count);
}

#endif
