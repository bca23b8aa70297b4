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
 * Functions that the drivers share; their prefix is d_, for driver. Drivers are programs for the public verbs and
 * rdma_cm interfaces and run on any implementation of them; only d_control, which injects faults, needs the software
 * device.
 *
 * A driver checks as it goes, and the first failure ends it. A line says what failed, and d_context with which
 * seed and at which step, so that it can be reproduced.
 */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define D_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- support.c: failures ---- */

/* Printed with every failure; the text is copied. */
void d_context(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void d_fail(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* From now on the process fails, because it hangs, when d_alive is not called for this long. */
void d_watchdog(unsigned int seconds);
void d_alive(void);

#define D_FAIL(...) d_fail(__FILE__, __LINE__, __VA_ARGS__)
#define D_CHECK(condition)						\
	do {								\
		if (!(condition))					\
			D_FAIL("not so: %s", #condition);		\
	} while (0)
#define D_EQ(expected, actual)						\
	do {								\
		long long d_expected = (long long)(expected);		\
		long long d_actual = (long long)(actual);		\
									\
		if (d_expected != d_actual)				\
			D_FAIL("%s is %lld, not %lld", #actual, d_actual, d_expected); \
	} while (0)
/* A call that returns 0, or an error in one of the three dialects. */
#define D_MUST(call)							\
	do {								\
		int d_ret = (call);					\
									\
		if (d_ret)						\
			D_FAIL("%s: %d, errno %s", #call, d_ret, strerror(errno)); \
	} while (0)
/* A call that returns an object, or NULL and errno. */
#define D_HAVE(call)							\
	({								\
		__typeof__(call) d_object = (call);			\
									\
		if (!d_object)						\
			D_FAIL("%s: %s", #call, strerror(errno));	\
		d_object;						\
	})

/* ---- support.c: random numbers ---- */

struct d_random {
	uint64_t state;
};

uint64_t d_random(struct d_random *random);
/* From 0 to limit - 1. */
uint32_t d_below(struct d_random *random, uint32_t limit);
/* True once in n calls, on average. */
bool d_once_in(struct d_random *random, uint32_t n);
/* Fills memory with bytes that offset and seed determine, so that any part of them can be generated again. */
void d_fill(void *memory, size_t length, uint64_t seed);

/* ---- support.c: options, --name NUMBER ---- */

uint64_t d_option(int argc, char **argv, const char *name, uint64_t fallback);

/* ---- support_verbs.c ---- */

/* Opens the device that D_DEVICE names, otherwise the first. */
struct ibv_context *d_open(void);

/* How to reach a queue pair. Plain data: it may be sent to another process. */
struct d_address {
	uint32_t qpn;
	uint32_t psn;
	uint32_t qkey;
	uint16_t lid;
	union ibv_gid gid;
};

struct d_timers {
	uint8_t timeout;	/* 4.096 us << timeout */
	uint8_t retry_cnt;
	uint8_t rnr_retry;
	uint8_t min_rnr_timer;
};

extern const struct d_timers d_patient;
/* The same, but no request is repeated because a machine stands still for less than 4 s. */
extern const struct d_timers d_calm;

int d_gid_index(struct ibv_context *context);
/* For a reliable connection whose requests have one SGE and are all signaled; without completion queues. */
struct ibv_qp_init_attr d_rc_attributes(uint32_t sends, uint32_t receives);
struct d_address d_address_of(struct ibv_qp *qp, uint32_t psn);
/* From INIT to RTR and RTS. */
void d_connect(struct ibv_qp *qp, const struct d_address *local, const struct d_address *peer,
	       const struct d_timers *timers);
void d_to_init(struct ibv_qp *qp, unsigned int access);
void d_to_state(struct ibv_qp *qp, enum ibv_qp_state state);
enum ibv_qp_state d_state(struct ibv_qp *qp);
/* Brings a datagram queue pair to RTS. */
void d_open_datagrams(struct ibv_qp *qp, const struct d_address *local);
/* Polls until there is a completion. */
struct ibv_wc d_wait(struct ibv_cq *cq);
/* Polls once; there must be no completion. */
void d_expect_nothing(struct ibv_cq *cq);
/* Acknowledges and returns the next asynchronous event, or returns -1 when there is none. qp may be NULL. */
int d_async_event(struct ibv_context *context, struct ibv_qp **qp);
/* The same, but waits for an event. */
int d_wait_async_event(struct ibv_context *context, struct ibv_qp **qp);
void d_non_blocking(int fd);
void d_wait_readable(int fd);

/* ---- support_cm.c: rdma_cm ---- */

/* Waits for an event, which the caller acknowledges. Skips TIMEWAIT_EXIT, which may come at any time. */
struct rdma_cm_event *d_cm_next(struct rdma_event_channel *channel);
/* The same, and fails on an event of another type. */
struct rdma_cm_event *d_cm_expect(struct rdma_event_channel *channel, enum rdma_cm_event_type type);
/* The same, and acknowledges the event. */
void d_cm_pass(struct rdma_event_channel *channel, enum rdma_cm_event_type type);
/* Listens on D_ADDRESS, otherwise on the loopback address; sets *port. */
struct rdma_cm_id *d_cm_listen(struct rdma_event_channel *channel, uint16_t *port);
/* Resolves address and route. */
struct rdma_cm_id *d_cm_resolve(struct rdma_event_channel *channel, uint16_t port);
struct rdma_conn_param d_cm_parameters(void);

/* ---- support_process.c ---- */

/* As fork, but never fails. */
pid_t d_fork(void);
/* Starts a process that calls run with one end of a socket, and ends with status 0; *fd is the other end. */
pid_t d_run_in_child(void (*run)(int fd), int *fd);
/* Wait for the child's end, which must be with status 0, or by SIGKILL. */
void d_expect_exit(pid_t child, const char *who);
void d_expect_killed(pid_t child, const char *who);
/* Maps zeroed memory; sharing with children is MAP_SHARED or MAP_PRIVATE. */
void *d_map(size_t size, int sharing);
/* Transfer all of it, or the process fails; d_receive returns false at the end of the stream. */
void d_send(int fd, const void *data, size_t size);
bool d_receive(int fd, void *data, size_t size);
int d_open_descriptors(void);

/* ---- support_control.c: the software device ---- */

bool d_has_control(void);
void d_control(pid_t pid, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
