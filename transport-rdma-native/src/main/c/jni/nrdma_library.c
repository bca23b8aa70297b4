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

/* LibraryNative: the layout of the shared records, opening the rdma-core libraries, and why their calls fail. */
#include <limits.h>
#include <stdlib.h>

#include "abi/nrdma_abi_layout.h"
#include "jni/nrdma_jni.h"
#include "load/nrdma_symbols.h"

/* Room for a path and the text around it. */
#define ERROR_TEXT_MAX (PATH_MAX + 512)

static jstring jni_layout(NRDMA_ENV)
{
	size_t size = nrdma_abi_layout(NULL, 0) + 1;
	char *text = malloc(size);
	jstring layout;

	if (!text)
		return NULL;
	nrdma_abi_layout(text, size);
	layout = (*env)->NewStringUTF(env, text);
	free(text);
	return layout;
}

static jstring jni_open(NRDMA_ENV, jint which, jstring path)
{
	char text[ERROR_TEXT_MAX];
	const char *chars = (*env)->GetStringUTFChars(env, path, NULL);
	const char *error;

	if (!chars)
		return NULL;	/* with OutOfMemoryError pending */
	error = nrdma_open_library(which, chars, text, sizeof(text));
	(*env)->ReleaseStringUTFChars(env, path, chars);
	return error ? (*env)->NewStringUTF(env, error) : NULL;
}

static jlong jni_address(NRDMA_ENV, jobject buffer)
{
	return (intptr_t)(*env)->GetDirectBufferAddress(env, buffer);
}

/* The text may name a file by any bytes; Java takes but a dialect of UTF-8. */
static jstring ascii(JNIEnv *env, const char *text)
{
	char copy[ERROR_TEXT_MAX];
	char *to = copy;

	for (; *text && to < copy + sizeof(copy) - 1; text++)
		*to++ = (unsigned char)*text < 0x80 ? *text : '?';
	*to = 0;
	return (*env)->NewStringUTF(env, copy);
}

static jstring jni_reason(NRDMA_ENV, jint error)
{
	const struct nrdma_verbs_symbols *symbols = nrdma_verbs_symbols();
	const char *reason = symbols && symbols->softhca_reason ? symbols->softhca_reason(error) : NULL;

	return reason ? ascii(env, reason) : NULL;
}

static const JNINativeMethod methods[] = {
	NRDMA_METHOD(layout, "()Ljava/lang/String;"),
	NRDMA_METHOD(open, "(ILjava/lang/String;)Ljava/lang/String;"),
	NRDMA_METHOD(reason, "(I)Ljava/lang/String;"),
	NRDMA_METHOD(address, "(Ljava/nio/Buffer;)J"),
};

const struct nrdma_methods nrdma_library_methods = NRDMA_METHODS("LibraryNative", methods);
