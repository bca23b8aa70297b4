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

#include "load/nrdma_symbols.h"

#include <errno.h>
#include <pthread.h>

#include "abi/nrdma_error.h"
#include "t.h"

#define THREADS 8

static char text[512];

static const char *open_library(enum nrdma_library which, const char *path)
{
	memset(text, 0, sizeof(text));
	return nrdma_open_library(which, path, text, sizeof(text));
}

static void check_verbs_say_enosys(void)
{
	struct ibv_async_event event;
	struct ibv_context context;
	struct ibv_pd pd;
	struct ibv_cq *cq;
	void *cq_context;

	CHECK(!nrdma_verbs_symbols());
	CHECK_EQ(-ENOSYS, NRDMA_HANDLE(ibv_get_device_list(NULL)));
	CHECK_EQ(-ENOSYS, NRDMA_HANDLE(ibv_alloc_pd(&context)));
	CHECK_EQ(-ENOSYS, NRDMA_HANDLE((ibv_reg_mr)(&pd, NULL, 0, 0)));
	CHECK_EQ(-ENOSYS, NRDMA_RESULT(ibv_close_device(&context)));
	CHECK_EQ(-ENOSYS, NRDMA_RESULT((ibv_query_port)(&context, 1, NULL)));
	CHECK_EQ(-ENOSYS, NRDMA_RESULT(ibv_get_async_event(&context, &event)));
	CHECK_EQ(-ENOSYS, NRDMA_RESULT(ibv_get_cq_event(NULL, &cq, &cq_context)));
	ibv_free_device_list(NULL);
	ibv_ack_async_event(&event);
}

static void unopened_libraries_say_enosys(void)
{
	struct ibv_context context;
	struct rdma_cm_event *event;
	struct rdma_cm_id *id;

	check_verbs_say_enosys();
	CHECK(!nrdma_cm_symbols());
	CHECK(!nrdma_efa_symbols());
	CHECK_EQ(-ENOSYS, NRDMA_HANDLE(rdma_create_event_channel()));
	CHECK_EQ(-ENOSYS, NRDMA_RESULT(rdma_create_id(NULL, &id, NULL, RDMA_PS_TCP)));
	CHECK_EQ(-ENOSYS, NRDMA_RESULT(rdma_get_cm_event(NULL, &event)));
	CHECK_EQ(-ENOSYS, NRDMA_RESULT(efadv_query_device(&context, NULL, 0)));
}

static void missing_library_is_named(void)
{
	const char *error = open_library(NRDMA_LIBRARY_VERBS, "/nonexistent/libibverbs.so.1");

	CHECK(error == text);
	CHECK(strstr(text, "/nonexistent/libibverbs.so.1"));
	check_verbs_say_enosys();
}

static void missing_symbol_is_named(void)
{
	CHECK(open_library(NRDMA_LIBRARY_VERBS, "libm.so.6") == text);
	CHECK_TEXT("symbol ibv_ack_async_event is missing in libm.so.6", text);
	check_verbs_say_enosys();
	CHECK(open_library(NRDMA_LIBRARY_CM, "libm.so.6") == text);
	CHECK_TEXT("symbol rdma_accept is missing in libm.so.6", text);
	CHECK(!nrdma_cm_symbols());
}

static void text_is_cut_to_the_room(void)
{
	char room[8];

	memset(room, 'x', sizeof(room));
	CHECK(nrdma_open_library(NRDMA_LIBRARY_VERBS, "libm.so.6", room, 7) == room);
	CHECK_TEXT("symbol", room);
	CHECK_EQ('x', room[7]);
}

static void unknown_library_number_is_refused(void)
{
	CHECK(open_library(NRDMA_LIBRARY_COUNT, "libm.so.6") == text);
	CHECK_TEXT("there is no library number 3", text);
	CHECK(open_library((enum nrdma_library)-1, "libm.so.6") == text);
}

static void *open_verbs(void *unused)
{
	char room[512];
	const char *error = nrdma_open_library(NRDMA_LIBRARY_VERBS, "libibverbs.so.1", room, sizeof(room));

	/* Once the library is reported open, its table is complete. */
	if (!error && (!nrdma_verbs_symbols() || !nrdma_verbs_symbols()->ibv_open_device ||
		       !(nrdma_verbs_symbols()->ibv_reg_mr)))
		error = "half of a table";
	return error ? strdup(error) : unused;
}

static void threads_open_it_together(void)
{
	pthread_t threads[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		CHECK_EQ(0, pthread_create(&threads[i], NULL, open_verbs, NULL));
	for (i = 0; i < THREADS; i++) {
		void *error;

		CHECK_EQ(0, pthread_join(threads[i], &error));
		if (error)
			T_FAIL("%s", (char *)error);
		free(error);
	}
}

static void open_library_stays_open_and_ignores_the_path(void)
{
	const struct nrdma_verbs_symbols *symbols = nrdma_verbs_symbols();

	CHECK(symbols);
	CHECK(!open_library(NRDMA_LIBRARY_VERBS, "/nonexistent"));
	CHECK(nrdma_verbs_symbols() == symbols);
}

/* No lookup, our own included, may find the forwarding functions in place of the real ones. */
static void lookup_finds_the_library_and_not_us(void)
{
	CHECK(nrdma_verbs_symbols()->ibv_get_device_list != ibv_get_device_list);
	CHECK(nrdma_verbs_symbols()->ibv_query_device != ibv_query_device);
}

/* No device is needed to see that the call arrives: it returns a list, maybe empty, or fails. */
static void call_arrives(void)
{
	struct ibv_device **list;

	errno = 0;
	list = ibv_get_device_list(NULL);
	if (list)
		ibv_free_device_list(list);
	else
		CHECK(errno);
}

int main(void)
{
	T_RUN(unopened_libraries_say_enosys);
	T_RUN(missing_library_is_named);
	T_RUN(missing_symbol_is_named);
	T_RUN(text_is_cut_to_the_room);
	T_RUN(unknown_library_number_is_refused);
	T_RUN(threads_open_it_together);
	T_RUN(open_library_stays_open_and_ignores_the_path);
	T_RUN(lookup_finds_the_library_and_not_us);
	T_RUN(call_arrives);
	return t_result();
}
