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

/* Registers the native methods with their classes when the JVM loads the library. */
#include <stdlib.h>

#include <netty_jni_util.h>

#include "jni/nrdma_jni.h"
#include "load/nrdma_symbols.h"
#include "memory/nrdma_range.h"

/* Part of the file name, after the relocation prefix if there is one. */
#define LIBRARY_NAME "netty_transport_rdma"

static const struct nrdma_methods *const all_methods[] = {
	&nrdma_library_methods,
	&nrdma_device_methods,
	&nrdma_async_event_methods,
	&nrdma_memory_methods,
	&nrdma_range_methods,
	&nrdma_completion_queue_methods,
	&nrdma_shared_receive_queue_methods,
	&nrdma_queue_pair_methods,
	&nrdma_address_handle_methods,
	&nrdma_datapath_methods,
	&nrdma_cm_id_methods,
	&nrdma_cm_event_methods,
	&nrdma_efa_methods,
};

#define METHODS_COUNT ((int)(sizeof(all_methods) / sizeof(all_methods[0])))

/* Allocated at load and freed at unload; NULL if the classes are not relocated. */
static const char *package_prefix;

static void unregister(JNIEnv *env, const char *prefix, int registered)
{
	while (registered-- > 0)
		netty_jni_util_unregister_natives(env, prefix, all_methods[registered]->class_name);
}

/* Takes ownership of prefix, even on failure. */
static jint on_load(JNIEnv *env, const char *prefix)
{
	jthrowable reason;
	int i;

	for (i = 0; i < METHODS_COUNT; i++) {
		const struct nrdma_methods *m = all_methods[i];

		if (netty_jni_util_register_natives(env, prefix, m->class_name, m->methods, m->count))
			goto err_unregister;
	}
	package_prefix = prefix;
	return NETTY_JNI_UTIL_JNI_VERSION;

err_unregister:
	/* The exception names the class or method at fault. No exception may be pending during cleanup. */
	reason = (*env)->ExceptionOccurred(env);
	(*env)->ExceptionClear(env);
	unregister(env, prefix, i);
	free((void *)prefix);
	if (reason)
		(*env)->Throw(env, reason);
	return JNI_ERR;
}

/*
 * The class loader is collected, and with it the classes, buffers and allocators. Nothing is unregistered: the names
 * would lead to the classes of another loader. A device that has been left open may still access memory.
 */
static void on_unload(void)
{
	if (nrdma_unload_software())
		nrdma_release_ranges();
	free((void *)package_prefix);
	package_prefix = NULL;
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
	return netty_jni_util_JNI_OnLoad(vm, reserved, LIBRARY_NAME, on_load);
}

JNIEXPORT void JNICALL JNI_OnUnload(__attribute__((unused)) JavaVM *vm, __attribute__((unused)) void *reserved)
{
	on_unload();
}
