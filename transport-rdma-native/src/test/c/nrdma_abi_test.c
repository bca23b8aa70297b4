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

#include "abi/nrdma_abi.h"
#include "abi/nrdma_abi_layout.h"

#include "t.h"

/* Records have no padding, so rows that follow each other without a gap cover all fields. */
static void rows_leave_no_byte_out(void)
{
	const struct nrdma_abi_row *record = NULL;
	size_t end = 0;
	size_t i;

	for (i = 0; i < nrdma_abi_row_count; i++) {
		const struct nrdma_abi_row *row = &nrdma_abi_rows[i];

		if (!row->field) {
			if (record && end != record->size)
				T_FAIL("rows of %s end at %zu of %zu", record->record, end, record->size);
			record = row;
			end = 0;
			continue;
		}
		CHECK(record && !strcmp(record->record, row->record));
		if (row->offset != end)
			T_FAIL("%s.%s is at %zu, the row before ends at %zu",
			       row->record, row->field, row->offset, end);
		end = row->offset + row->size;
	}
	CHECK(record && end == record->size);
}

static void every_record_is_there_once(void)
{
	static const char *const records[] = {
		"nrdma_wc", "nrdma_sge", "nrdma_send_wr", "nrdma_recv_wr", "nrdma_device_info",
		"nrdma_device_attr", "nrdma_port_attr", "nrdma_gid", "nrdma_async_event",
		"nrdma_cq_init", "nrdma_srq_init", "nrdma_qp_init", "nrdma_ah_attr", "nrdma_qp_attr",
		"nrdma_sockaddr", "nrdma_conn_param", "nrdma_cm_event", "nrdma_efa_attr",
	};
	size_t count = 0;
	size_t i, j;

	for (i = 0; i < nrdma_abi_row_count; i++)
		count += nrdma_abi_rows[i].field == NULL;
	CHECK_EQ(sizeof(records) / sizeof(records[0]), count);
	for (j = 0; j < sizeof(records) / sizeof(records[0]); j++) {
		count = 0;
		for (i = 0; i < nrdma_abi_row_count; i++)
			count += !nrdma_abi_rows[i].field &&
				 !strcmp(nrdma_abi_rows[i].record, records[j]);
		CHECK_EQ(1, count);
	}
}

static void text_has_a_line_per_row(void)
{
	size_t length = nrdma_abi_layout(NULL, 0);
	char *text = malloc(length + 1);
	size_t lines = 0;
	size_t i;

	CHECK(text);
	if (!text)
		return;
	CHECK_EQ(length, nrdma_abi_layout(text, length + 1));
	CHECK_EQ(length, strlen(text));
	for (i = 0; i < length; i++)
		lines += text[i] == '\n';
	CHECK_EQ(nrdma_abi_row_count, lines);
	CHECK(!strncmp(text, "nrdma_wc=32\nnrdma_wc.wr_id=0\nnrdma_wc.byte_len=8\n", 49));
	CHECK(strstr(text, "\nnrdma_send_wr.compare_add_or_ah=32\n"));
	free(text);
}

static void text_is_cut_to_the_room(void)
{
	char text[16];

	memset(text, 'x', sizeof(text));
	CHECK(nrdma_abi_layout(text, 12) > 12);
	CHECK_TEXT("nrdma_wc=32", text);
	CHECK_EQ('x', text[12]);
}

int main(void)
{
	T_RUN(rows_leave_no_byte_out);
	T_RUN(every_record_is_there_once);
	T_RUN(text_has_a_line_per_row);
	T_RUN(text_is_cut_to_the_room);
	return t_result();
}
