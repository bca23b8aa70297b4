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

#include <errno.h>

#include "abi/nrdma_abi.h"
#include "t_rdma.h"

static struct ibv_device device = { .name = "rdmap0" };
static struct ibv_context context = { .device = &device };
static int result;

static int query_device(struct ibv_context *of, struct efadv_device_attr *attr, uint32_t length)
{
	CHECK(of == &context);
	CHECK_EQ(sizeof(*attr), length);
	if (result)
		return result;
	*attr = (struct efadv_device_attr) {
		.max_sq_wr = 1, .max_rq_wr = 2, .max_sq_sge = 3, .max_rq_sge = 4, .inline_buf_size = 5,
		.device_caps = 6, .max_rdma_size = 7,
	};
	return 0;
}

static jint query(struct nrdma_efa_attr *attr)
{
	memset(attr, 0xa5, sizeof(*attr));
	return T_NATIVE(nrdma_efa_methods, jint, queryDevice, jlong, jlong)
		(T_ENV, t_handle(&context), t_handle(attr));
}

static void without_library_it_is_enosys(void)
{
	struct nrdma_efa_attr attr;

	CHECK_EQ(-ENOSYS, query(&attr));
}

static void attributes_are_copied(void)
{
	struct nrdma_efa_attr expected = {
		.max_sq_wr = 1, .max_rq_wr = 2, .max_sq_sge = 3, .max_rq_sge = 4, .inline_buf_size = 5,
		.device_caps = 6, .max_rdma_size = 7,
	};
	struct nrdma_efa_attr attr;

	t_efa()->efadv_query_device = query_device;
	CHECK_EQ(0, query(&attr));
	CHECK_BYTES(&expected, &attr, sizeof(attr));
}

static void other_device_is_not_supported(void)
{
	struct nrdma_efa_attr attr;

	t_efa()->efadv_query_device = query_device;
	result = EOPNOTSUPP;
	CHECK_EQ(-EOPNOTSUPP, query(&attr));
}

static struct ibv_ah handle;

static int query_ah(struct ibv_ah *of, struct efadv_ah_attr *attr, uint32_t length)
{
	CHECK(of == &handle);
	CHECK_EQ(sizeof(*attr), length);
	if (!result)
		*attr = (struct efadv_ah_attr) { .ahn = 0xfffe };
	return result;
}

static jint number(void)
{
	return T_NATIVE(nrdma_efa_methods, jint, queryAddressHandle, jlong)(T_ENV, t_handle(&handle));
}

static void without_library_no_address_handle_has_a_number(void)
{
	CHECK_EQ(-ENOSYS, number());
}

/* A number with the highest bit is no error. */
static void number_of_an_address_handle_has_16_bits(void)
{
	t_efa()->efadv_query_ah = query_ah;
	result = 0;
	CHECK_EQ(0xfffe, number());
}

static void address_handle_of_another_device_has_no_number(void)
{
	t_efa()->efadv_query_ah = query_ah;
	result = EOPNOTSUPP;
	CHECK_EQ(-EOPNOTSUPP, number());
	t_efa()->efadv_query_ah = NULL;	/* before v26 of rdma-core */
	CHECK_EQ(-ENOSYS, number());
}

int main(void)
{
	T_RUN(without_library_it_is_enosys);
	T_RUN(without_library_no_address_handle_has_a_number);
	T_RUN(attributes_are_copied);
	T_RUN(other_device_is_not_supported);
	T_RUN(number_of_an_address_handle_has_16_bits);
	T_RUN(address_handle_of_another_device_has_no_number);
	return t_result();
}
