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

/* Functions that are newer than the headers: a program that has newer ones gets an answer, not a crash. */
#include "t_context.h"

/* struct ibv_mr_init_attr of newer headers. */
struct registration {
	size_t length;
	int access;
	uint64_t comp_mask;
	uint64_t iova;
	void *addr;
	int fd;
	uint64_t fd_offset;
	void *dmah;
	void *buf;
};

enum {
	HAS_IOVA = 1 << 0,
	HAS_ADDRESS = 1 << 1,
	HAS_FD = 1 << 2,
	HAS_HINTS = 1 << 4,
};

struct ibv_mr_init_attr;
struct ibv_dmah;
struct ibv_dmah_init_attr;
struct ibv_comp_cntr;
struct ibv_comp_cntr_init_attr;
struct efadv_cq_attr;
struct efadv_sq_depth_attr;

struct ibv_mr *ibv_reg_mr_ex(struct ibv_pd *pd, struct ibv_mr_init_attr *attr);
struct ibv_dmah *ibv_alloc_dmah(struct ibv_context *context, struct ibv_dmah_init_attr *attr);
int ibv_dealloc_dmah(struct ibv_dmah *handle);
int ibv_query_port_speed(struct ibv_context *context, uint32_t port, uint64_t *speed);
struct ibv_comp_cntr *ibv_create_comp_cntr(struct ibv_context *context, struct ibv_comp_cntr_init_attr *attr);
int ibv_dm_export_dmabuf_fd(struct ibv_dm *memory);
int efadv_query_cq(struct ibv_cq *cq, struct efadv_cq_attr *attr, uint32_t size);
int efadv_get_max_sq_depth(struct ibv_context *context, struct efadv_sq_depth_attr *attr, uint32_t size);

static struct ibv_context *context;
static uint8_t memory[8192];

static struct ibv_mr *reg(struct ibv_pd *pd, struct registration *attr)
{
	return ibv_reg_mr_ex(pd, (struct ibv_mr_init_attr *)attr);
}

static void memory_is_registered_by_the_extended_form(void)
{
	struct ibv_pd *pd = ibv_alloc_pd(context);
	struct registration attr = {
		.length = 100, .access = IBV_ACCESS_LOCAL_WRITE, .comp_mask = HAS_ADDRESS, .addr = memory,
		.fd = -1, .dmah = memory, .buf = memory,
	};
	struct ibv_mr *mr;

	T_MUST(pd);
	mr = reg(pd, &attr);
	T_MUST(mr);
	CHECK(mr->addr == memory);
	CHECK_EQ(100, mr->length);
	CHECK_EQ(0, ibv_dereg_mr(mr));
	attr.comp_mask = HAS_ADDRESS | HAS_IOVA;
	attr.iova = (uintptr_t)memory + (1ull << 40);
	mr = reg(pd, &attr);
	T_MUST(mr);
	CHECK_EQ(0, ibv_dereg_mr(mr));
	/* Another offset in the page. */
	attr.iova++;
	CHECK_REFUSED(EINVAL, reg(pd, &attr));
	attr.comp_mask = HAS_IOVA;
	CHECK_REFUSED(EINVAL, reg(pd, &attr));
	attr.comp_mask = HAS_ADDRESS | HAS_FD;
	CHECK_REFUSED(EOPNOTSUPP, reg(pd, &attr));
	attr.comp_mask = HAS_ADDRESS | HAS_HINTS;
	CHECK_REFUSED(EOPNOTSUPP, reg(pd, &attr));
	CHECK_EQ(0, ibv_dealloc_pd(pd));
}

#define CHECK_NUMBER(error, call)		\
	do {					\
		errno = 0;			\
		CHECK_EQ(error, call);		\
		CHECK_EQ(EOPNOTSUPP, errno);	\
	} while (0)

static void functions_that_the_device_lacks_are_refused(void)
{
	uint64_t speed;

	CHECK_REFUSED(EOPNOTSUPP, ibv_alloc_dmah(context, NULL));
	CHECK_REFUSED(EOPNOTSUPP, ibv_create_comp_cntr(context, NULL));
	CHECK_NUMBER(EOPNOTSUPP, ibv_dealloc_dmah(NULL));
	CHECK_NUMBER(EOPNOTSUPP, ibv_query_port_speed(context, 1, &speed));
	CHECK_NUMBER(EOPNOTSUPP, efadv_query_cq(NULL, NULL, 0));
	CHECK_NUMBER(-1, ibv_dm_export_dmabuf_fd(NULL));
	CHECK_NUMBER(-EOPNOTSUPP, efadv_get_max_sq_depth(context, NULL, 0));
}

/* libmlx5 reads behind the structure whether the driver is its own. */
static void no_driver_is_behind_the_device(void)
{
	const void *driver;

	memcpy(&driver, context->device + 1, sizeof(driver));
	CHECK(!driver);
}

int main(void)
{
	context = t_context_open();
	T_RUN(memory_is_registered_by_the_extended_form);
	T_RUN(functions_that_the_device_lacks_are_refused);
	T_RUN(no_driver_is_behind_the_device);
	T_MUST(!ibv_close_device(context));
	return t_result();
}
