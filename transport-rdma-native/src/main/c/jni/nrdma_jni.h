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
 * Common definitions for files with native methods. A native method has the name of its Java method
 * with the prefix jni_, does one thing, and uses neither Java objects nor exceptions unless it takes
 * or returns a string or a buffer. Its documentation is in Java.
 */
#ifndef NRDMA_JNI_H
#define NRDMA_JNI_H

#include <stdint.h>

#include <jni.h>

/* The first two arguments of a native method; most methods use neither. */
#define NRDMA_ENV \
	__attribute__((unused)) JNIEnv *env, __attribute__((unused)) jclass caller

/* A handle or an address that came from Java. */
static inline void *nrdma_ptr(jlong handle)
{
	return (void *)(intptr_t)handle;
}

/* The native methods of one Java class that are in one C file. */
struct nrdma_methods {
	const char *class_name;
	const JNINativeMethod *methods;
	jint count;
};

#define NRDMA_METHOD(name, signature) { #name, signature, (void *)jni_##name }
#define NRDMA_METHODS(class_name, methods) \
	{ "io/nettyrdma/jni/" class_name, methods, sizeof(methods) / sizeof((methods)[0]) }

extern const struct nrdma_methods nrdma_library_methods;
extern const struct nrdma_methods nrdma_device_methods;
extern const struct nrdma_methods nrdma_async_event_methods;
extern const struct nrdma_methods nrdma_memory_methods;
extern const struct nrdma_methods nrdma_range_methods;
extern const struct nrdma_methods nrdma_completion_queue_methods;
extern const struct nrdma_methods nrdma_shared_receive_queue_methods;
extern const struct nrdma_methods nrdma_queue_pair_methods;
extern const struct nrdma_methods nrdma_address_handle_methods;
extern const struct nrdma_methods nrdma_datapath_methods;
extern const struct nrdma_methods nrdma_cm_id_methods;
extern const struct nrdma_methods nrdma_cm_event_methods;
extern const struct nrdma_methods nrdma_efa_methods;

#endif
