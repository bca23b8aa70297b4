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
 * rdma-core for tests without a device. The real libraries are opened; then the test replaces each
 * function that it is about by one of its own, in the table.
 *
 *	t_verbs()->ibv_create_srq = create_srq;
 */
#ifndef T_RDMA_H
#define T_RDMA_H

#include "jni/nrdma_jni.h"
#include "load/nrdma_symbols.h"

#include "t.h"

__attribute__((unused)) static void t_open(enum nrdma_library which, const char *path)
{
	char text[512];

	if (nrdma_open_library(which, path, text, sizeof(text))) {
		fprintf(stderr, "the test needs %s: %s\n", path, text);
		exit(1);
	}
}

/* Only the shim must treat the tables as const. */
__attribute__((unused)) static struct nrdma_verbs_symbols *t_verbs(void)
{
	t_open(NRDMA_LIBRARY_VERBS, "libibverbs.so.1");
	return (struct nrdma_verbs_symbols *)(uintptr_t)nrdma_verbs_symbols();
}

__attribute__((unused)) static struct nrdma_cm_symbols *t_cm(void)
{
	t_open(NRDMA_LIBRARY_CM, "librdmacm.so.1");
	return (struct nrdma_cm_symbols *)(uintptr_t)nrdma_cm_symbols();
}

__attribute__((unused)) static struct nrdma_efa_symbols *t_efa(void)
{
	t_open(NRDMA_LIBRARY_EFA, "libefa.so.1");
	return (struct nrdma_efa_symbols *)(uintptr_t)nrdma_efa_symbols();
}

/* Finds the address of a native method by its Java name. */
__attribute__((unused)) static void *t_find_native(const struct nrdma_methods *methods, const char *name)
{
	jint i;

	for (i = 0; i < methods->count; i++)
		if (!strcmp(methods->methods[i].name, name))
			return methods->methods[i].fnPtr;
	fprintf(stderr, "%s has no native method %s\n", methods->class_name, name);
	exit(1);
}

/*
 * A native method, to be called with T_ENV and its arguments, whose types follow the name:
 *
 *	T_NATIVE(nrdma_memory_methods, jint, deregisterMemory, jlong)(T_ENV, mr)
 */
#define T_NATIVE(methods, type, name, ...) \
	((type (*)(JNIEnv *, jclass, __VA_ARGS__))t_find_native(&(methods), #name))
#define T_ENV (JNIEnv *)NULL, (jclass)NULL

static inline jlong t_handle(const void *object)
{
	return (jlong)(intptr_t)object;
}

#endif
