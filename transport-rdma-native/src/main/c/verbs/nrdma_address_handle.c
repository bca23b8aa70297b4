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

#include "verbs/nrdma_address_handle.h"

#include <string.h>

#include "abi/nrdma_error.h"
#include "jni/nrdma_jni.h"

struct ibv_ah_attr nrdma_ah_attr_to_ibv(const struct nrdma_ah_attr *attr)
{
	struct ibv_ah_attr ibv = {
		.grh = {
			.flow_label = attr->flow_label,
			.sgid_index = attr->sgid_index,
			.hop_limit = attr->hop_limit,
			.traffic_class = attr->traffic_class,
		},
		.dlid = attr->dlid,
		.sl = attr->sl,
		.src_path_bits = attr->src_path_bits,
		.static_rate = attr->static_rate,
		.is_global = attr->is_global,
		.port_num = attr->port_num,
	};

	memcpy(ibv.grh.dgid.raw, attr->dgid, sizeof(ibv.grh.dgid.raw));
	return ibv;
}

struct nrdma_ah_attr nrdma_ah_attr_from_ibv(const struct ibv_ah_attr *ibv)
{
	struct nrdma_ah_attr attr = {
		.flow_label = ibv->grh.flow_label,
		.dlid = ibv->dlid,
		.sgid_index = ibv->grh.sgid_index,
		.hop_limit = ibv->grh.hop_limit,
		.traffic_class = ibv->grh.traffic_class,
		.sl = ibv->sl,
		.src_path_bits = ibv->src_path_bits,
		.static_rate = ibv->static_rate,
		.is_global = ibv->is_global,
		.port_num = ibv->port_num,
	};

	memcpy(attr.dgid, ibv->grh.dgid.raw, sizeof(attr.dgid));
	return attr;
}

static jlong jni_createAddressHandle(NRDMA_ENV, jlong pd, jlong attributes)
{
	struct ibv_ah_attr attr = nrdma_ah_attr_to_ibv(nrdma_ptr(attributes));

	return NRDMA_HANDLE(ibv_create_ah(nrdma_ptr(pd), &attr));
}

static jint jni_destroyAddressHandle(NRDMA_ENV, jlong ah)
{
	return NRDMA_RESULT(ibv_destroy_ah(nrdma_ptr(ah)));
}

static const JNINativeMethod methods[] = {
	NRDMA_METHOD(createAddressHandle, "(JJ)J"),
	NRDMA_METHOD(destroyAddressHandle, "(J)I"),
};

const struct nrdma_methods nrdma_address_handle_methods = NRDMA_METHODS("VerbsNative", methods);
