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

#include "abi/softhca.h"

#include "t_cm.h"
#include "t_context.h"

static void library_without_device_may_be_unloaded(void)
{
	CHECK(softhca_close());
	CHECK(softhca_close());
}

static void library_with_open_device_stays(void)
{
	struct ibv_context *context = t_context_open();

	CHECK(!softhca_close());
	CHECK_EQ(0, ibv_close_device(context));
	CHECK(softhca_close());
}

static void the_device_of_the_connection_manager_is_closed(void)
{
	struct ibv_context **list = rdma_get_devices(NULL);

	CHECK(list && list[0]);
	rdma_free_devices(list);
	CHECK(softhca_close());
	/* It can be opened again. */
	list = rdma_get_devices(NULL);
	CHECK(list && list[0]);
	rdma_free_devices(list);
	CHECK(softhca_close());
}

static void id_keeps_the_device(void)
{
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct rdma_event_channel *events = rdma_create_event_channel();
	struct rdma_cm_id *id;

	T_MUST(events && !rdma_create_id(events, &id, NULL, RDMA_PS_TCP));
	CHECK_EQ(0, rdma_bind_addr(id, (struct sockaddr *)&any));
	CHECK(!softhca_close());
	CHECK_EQ(0, rdma_destroy_id(id));
	rdma_destroy_event_channel(events);
	CHECK(softhca_close());
}

int main(void)
{
	t_seed();
	t_fabric_open();
	T_RUN(library_without_device_may_be_unloaded);
	T_RUN(library_with_open_device_stays);
	T_RUN(the_device_of_the_connection_manager_is_closed);
	T_RUN(id_keeps_the_device);
	t_fabric_close();
	return t_result();
}
