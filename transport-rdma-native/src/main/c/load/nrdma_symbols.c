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

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "load/nrdma_symbols.h"

struct symbol {
	const char *name;
	size_t offset;
	bool required;
};

struct library {
	const struct symbol *symbols;
	size_t count;
	void *table;
	void *handle;
	atomic_bool open;
};

static struct nrdma_verbs_symbols verbs_table;
static struct nrdma_cm_symbols cm_table;
static struct nrdma_efa_symbols efa_table;

#define REQUIRED(symbol_name) \
	{ .name = #symbol_name, .offset = offsetof(TABLE, symbol_name), .required = true },
#define OPTIONAL(symbol_name) \
	{ .name = #symbol_name, .offset = offsetof(TABLE, symbol_name), .required = false },

#define TABLE struct nrdma_verbs_symbols
static const struct symbol verbs_symbols[] = {
	NRDMA_VERBS_REQUIRED(REQUIRED) NRDMA_VERBS_OPTIONAL(OPTIONAL)
};
#undef TABLE

#define TABLE struct nrdma_cm_symbols
static const struct symbol cm_symbols[] = {
	NRDMA_CM_REQUIRED(REQUIRED) NRDMA_CM_OPTIONAL(OPTIONAL)
};
#undef TABLE

#define TABLE struct nrdma_efa_symbols
static const struct symbol efa_symbols[] = {
	NRDMA_EFA_REQUIRED(REQUIRED) NRDMA_EFA_OPTIONAL(OPTIONAL)
};
#undef TABLE

#define LIBRARY(which) \
	{ which##_symbols, sizeof(which##_symbols) / sizeof(which##_symbols[0]), &which##_table, NULL, false }

static struct library libraries[NRDMA_LIBRARY_COUNT] = {
	[NRDMA_LIBRARY_VERBS] = LIBRARY(verbs),
	[NRDMA_LIBRARY_CM] = LIBRARY(cm),
	[NRDMA_LIBRARY_EFA] = LIBRARY(efa),
};

static pthread_mutex_t open_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Returns the name of a required symbol that is missing, or NULL. */
static const char *find_symbols(const struct library *library, void *handle)
{
	size_t i;

	for (i = 0; i < library->count; i++) {
		const struct symbol *symbol = &library->symbols[i];
		void *address = dlsym(handle, symbol->name);

		if (!address && symbol->required)
			return symbol->name;
		memcpy((char *)library->table + symbol->offset, &address, sizeof(address));
	}
	return NULL;
}

static const char *open_locked(struct library *library, const char *path, char *text, size_t size)
{
	const char *missing;
	void *handle;

	if (atomic_load_explicit(&library->open, memory_order_relaxed))
		return NULL;
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		const char *reason = dlerror();

		snprintf(text, size, "%s", reason ? reason : path);
		return text;
	}
	missing = find_symbols(library, handle);
	if (missing) {
		snprintf(text, size, "symbol %s is missing in %s", missing, path);
		dlclose(handle);
		return text;
	}
	library->handle = handle;
	/* Release: a thread that sees the flag also sees the whole table. */
	atomic_store_explicit(&library->open, true, memory_order_release);
	return NULL;
}

const char *nrdma_open_library(enum nrdma_library which, const char *path, char *text, size_t size)
{
	const char *error;

	if ((unsigned int)which >= NRDMA_LIBRARY_COUNT) {
		snprintf(text, size, "there is no library number %d", (int)which);
		return text;
	}
	pthread_mutex_lock(&open_mutex);
	error = open_locked(&libraries[which], path, text, size);
	pthread_mutex_unlock(&open_mutex);
	return error;
}

static void *table_if_open(enum nrdma_library which)
{
	struct library *library = &libraries[which];

	return atomic_load_explicit(&library->open, memory_order_acquire) ? library->table : NULL;
}

const struct nrdma_verbs_symbols *nrdma_verbs_symbols(void)
{
	return table_if_open(NRDMA_LIBRARY_VERBS);
}

const struct nrdma_cm_symbols *nrdma_cm_symbols(void)
{
	return table_if_open(NRDMA_LIBRARY_CM);
}

const struct nrdma_efa_symbols *nrdma_efa_symbols(void)
{
	return table_if_open(NRDMA_LIBRARY_EFA);
}

bool nrdma_unload_software(void)
{
	const struct nrdma_verbs_symbols *verbs = nrdma_verbs_symbols();
	int i;

	if (!verbs || !verbs->softhca_close)
		return true;
	if (!verbs->softhca_close())
		return false;
	for (i = 0; i < NRDMA_LIBRARY_COUNT; i++)
		if (atomic_exchange(&libraries[i].open, false))
			dlclose(libraries[i].handle);
	return true;
}
