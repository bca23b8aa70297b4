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

/* Of EFA alone: attributes of a device, and the number of an address handle. */
#include <infiniband/efadv.h>

#include "abi/nrdma_abi.h"
#include "abi/nrdma_error.h"
#include "jni/nrdma_jni.h"

static jint jni_queryDevice(NRDMA_ENV, jlong device, jlong attributes)
{
	struct nrdma_efa_attr *record = nrdma_ptr(attributes);
	struct efadv_device_attr attr = { .comp_mask = 0 };
	int err = NRDMA_RESULT(efadv_query_device(nrdma_ptr(device), &attr, sizeof(attr)));

	if (err)
		return err;
	*record = (struct nrdma_efa_attr) {
		.max_sq_wr = attr.max_sq_wr,
		.max_rq_wr = attr.max_rq_wr,
		.max_sq_sge = attr.max_sq_sge,
		.max_rq_sge = attr.max_rq_sge,
		.inline_buf_size = attr.inline_buf_size,
		.device_caps = attr.device_caps,
		.max_rdma_size = attr.max_rdma_size,
	};
	return 0;
}

/* Completions name the sender by this number, 16 bits. */
static jint jni_queryAddressHandle(NRDMA_ENV, jlong ah)
{
	struct efadv_ah_attr attr = { .comp_mask = 0 };
	int err = NRDMA_RESULT(efadv_query_ah(nrdma_ptr(ah), &attr, sizeof(attr)));

	return err ? err : attr.ahn;
}

static const JNINativeMethod methods[] = {
	NRDMA_METHOD(queryDevice, "(JJ)I"),
	NRDMA_METHOD(queryAddressHandle, "(J)I"),
};

const struct nrdma_methods nrdma_efa_methods = NRDMA_METHODS("EfaNative", methods);
