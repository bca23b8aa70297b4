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
 * Registration with as much of a JVM as it needs. A real one binds the methods in every other test
 * of the project; this one covers what happens when a class or a method is missing.
 */
#include <stdbool.h>

#include "t.h"

/* Includes the file for its static functions; the program has its entry points already. */
#define JNI_OnLoad unused_onload
#define JNI_OnUnload unused_onunload
#include "jni/nrdma_onload.c"

#define NAMES_MAX 64

static char registered[NAMES_MAX][64];
static int registered_count;
static int unregistered_count;
static int failing_registration;	/* the one that fails, counted from 0; -1: none */
static bool pending;			/* there is an exception */
static int thrown;

static jclass find_class(__attribute__((unused)) JNIEnv *env, const char *name)
{
	static char last_name[64];

	CHECK(!pending);
	snprintf(last_name, sizeof(last_name), "%s", name);
	return (jclass)last_name;
}

static jint register_natives(__attribute__((unused)) JNIEnv *env, jclass type,
			     const JNINativeMethod *methods, jint count)
{
	CHECK(!pending);
	CHECK(methods && count > 0);
	if (registered_count == failing_registration) {
		pending = true;
		return JNI_ERR;
	}
	snprintf(registered[registered_count++], sizeof(registered[0]), "%s", (char *)type);
	return JNI_OK;
}

/* Expects the reverse order. */
static jint unregister_natives(__attribute__((unused)) JNIEnv *env, jclass type)
{
	CHECK(!pending);
	unregistered_count++;
	CHECK(unregistered_count <= registered_count);
	CHECK_TEXT(registered[registered_count - unregistered_count], (char *)type);
	return JNI_OK;
}

static jthrowable exception_occurred(__attribute__((unused)) JNIEnv *env)
{
	return pending ? (jthrowable)&pending : NULL;
}

static void exception_clear(__attribute__((unused)) JNIEnv *env)
{
	pending = false;
}

static jint throw(__attribute__((unused)) JNIEnv *env, jthrowable reason)
{
	CHECK(reason == (jthrowable)&pending);
	pending = true;
	thrown++;
	return JNI_OK;
}

static const struct JNINativeInterface_ functions = {
	.FindClass = find_class,
	.RegisterNatives = register_natives,
	.UnregisterNatives = unregister_natives,
	.ExceptionOccurred = exception_occurred,
	.ExceptionClear = exception_clear,
	.Throw = throw,
};

static jint load(const char *prefix, int failing)
{
	JNIEnv env = &functions;

	registered_count = unregistered_count = thrown = 0;
	pending = false;
	failing_registration = failing;
	return on_load(&env, prefix ? strdup(prefix) : NULL);
}

static void loader_class_is_bound_first(void)
{
	CHECK_EQ(NETTY_JNI_UTIL_JNI_VERSION, load(NULL, -1));
	CHECK_EQ(METHODS_COUNT, registered_count);
	CHECK_TEXT("io/nettyrdma/jni/LibraryNative", registered[0]);
	CHECK_TEXT("io/nettyrdma/jni/EfaNative", registered[METHODS_COUNT - 1]);
	/* The classes are gone by then. */
	on_unload();
	CHECK_EQ(0, unregistered_count);
}

static void relocated_classes_are_found(void)
{
	CHECK_EQ(NETTY_JNI_UTIL_JNI_VERSION, load("shaded/", -1));
	CHECK_TEXT("shaded/io/nettyrdma/jni/LibraryNative", registered[0]);
	/* The classes are gone by then. */
	on_unload();
	CHECK_EQ(0, unregistered_count);
}

static void failure_unbinds_in_reverse_and_keeps_its_exception(void)
{
	int failing;

	for (failing = 0; failing < METHODS_COUNT; failing++) {
		CHECK_EQ(JNI_ERR, load("shaded/", failing));
		CHECK_EQ(failing, registered_count);
		CHECK_EQ(failing, unregistered_count);
		CHECK(pending);
		CHECK_EQ(1, thrown);
	}
}

int main(void)
{
	T_RUN(loader_class_is_bound_first);
	T_RUN(relocated_classes_are_found);
	T_RUN(failure_unbinds_in_reverse_and_keeps_its_exception);
	return t_result();
}
