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

/* Protection domains and memory regions. Their handles are the objects of rdma-core. */
#include <infiniband/verbs.h>

#include "abi/nrdma_error.h"
#include "jni/nrdma_jni.h"

static jlong jni_allocateProtectionDomain(NRDMA_ENV, jlong device)
{
	return NRDMA_HANDLE(ibv_alloc_pd(nrdma_ptr(device)));
}

static jint jni_deallocateProtectionDomain(NRDMA_ENV, jlong pd)
{
	return NRDMA_RESULT(ibv_dealloc_pd(nrdma_ptr(pd)));
}

/*
 * Only the optional flags (relaxed ordering) need the newer call, which drops flags that the kernel
 * does not know. The macro of verbs.h would use it whenever the flags are not constant.
 */
static jlong jni_registerMemory(NRDMA_ENV, jlong pd, jlong address, jlong length, jint access)
{
	if ((unsigned int)access & IBV_ACCESS_OPTIONAL_RANGE)
		return NRDMA_HANDLE(ibv_reg_mr_iova2(nrdma_ptr(pd), nrdma_ptr(address), (size_t)length,
						     (uint64_t)address, (unsigned int)access));
	return NRDMA_HANDLE((ibv_reg_mr)(nrdma_ptr(pd), nrdma_ptr(address), (size_t)length, access));
}

static jint jni_deregisterMemory(NRDMA_ENV, jlong mr)
{
	return NRDMA_RESULT(ibv_dereg_mr(nrdma_ptr(mr)));
}

static jint jni_localKey(NRDMA_ENV, jlong mr)
{
	return (jint)((struct ibv_mr *)nrdma_ptr(mr))->lkey;
}

static jint jni_remoteKey(NRDMA_ENV, jlong mr)
{
	return (jint)((struct ibv_mr *)nrdma_ptr(mr))->rkey;
}

static const JNINativeMethod methods[] = {
	NRDMA_METHOD(allocateProtectionDomain, "(J)J"),
	NRDMA_METHOD(deallocateProtectionDomain, "(J)I"),
	NRDMA_METHOD(registerMemory, "(JJJI)J"),
	NRDMA_METHOD(deregisterMemory, "(J)I"),
	NRDMA_METHOD(localKey, "(J)I"),
	NRDMA_METHOD(remoteKey, "(J)I"),
};

const struct nrdma_methods nrdma_memory_methods = NRDMA_METHODS("VerbsNative", methods);
