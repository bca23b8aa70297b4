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

#include "differential_end.h"

/* The vendor ids that they report: rdma_rxe belongs to no company, siw is "bmt". */
#define RXE	0xffffff
#define SIW	0x626d74

struct deviations end_deviations_of(struct ibv_context *context)
{
	bool iwarp = context->device->transport_type == IBV_TRANSPORT_IWARP;
	struct ibv_device_attr attr;

	D_MUST(ibv_query_device(context, &attr));
	return (struct deviations){
		.connected_by_cm = iwarp,
		.success_is_hand_over = iwarp,
		.receives_need_memory = iwarp,
		.needs_receives = iwarp || attr.vendor_id == RXE,
		.fails_its_own_way = iwarp || attr.vendor_id == RXE,
		.classic_only = attr.vendor_id == RXE,
		.always_grh = attr.vendor_id == RXE,
		.takes_nonsense = attr.vendor_id == RXE || attr.vendor_id == SIW,
		.has_more_room = attr.vendor_id == RXE || attr.vendor_id == SIW,
		.has_no_solicited_events = attr.vendor_id == SIW,
		.reads_stall = attr.vendor_id == SIW,
		.fences_stall = attr.vendor_id == RXE,
		.repeats_wrongly = attr.vendor_id == RXE,
		.spoils_short_sends = attr.vendor_id == SIW,
	};
}
