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

#include "d.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>

#define READ_DEPTH 4

static char context_text[256];
static unsigned int watchdog_seconds;

/* ---- failing ---- */

void d_context(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(context_text, sizeof(context_text), format, arguments);
	va_end(arguments);
}

void d_fail(const char *file, int line, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "FAILED %s:%d [%d] (%s): ", file, line, (int)getpid(), context_text);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	_exit(1);
}

static void write_text(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(2);
}

static void watchdog_barks(int signal_number)
{
	(void)signal_number;
	write_text("FAILED: hangs (");
	write_text(context_text);
	write_text(")\n");
	/* A core or a debugger shows where. */
	abort();
}

void d_watchdog(unsigned int seconds)
{
	watchdog_seconds = seconds;
	signal(SIGALRM, watchdog_barks);
	d_alive();
}

void d_alive(void)
{
	alarm(watchdog_seconds);
}

/* ---- chance: splitmix64 ---- */

uint64_t d_random(struct d_random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

uint32_t d_below(struct d_random *random, uint32_t limit)
{
	return (uint32_t)((d_random(random) >> 32) * limit >> 32);
}

bool d_once_in(struct d_random *random, uint32_t so_many)
{
	return d_below(random, so_many) == 0;
}

void d_fill(void *memory, size_t length, uint64_t seed)
{
	struct d_random random = { .state = seed };
	uint8_t *to = memory;

	for (; length >= sizeof(uint64_t); to += sizeof(uint64_t), length -= sizeof(uint64_t)) {
		uint64_t word = d_random(&random);

		memcpy(to, &word, sizeof(word));
	}
	if (length) {
		uint64_t word = d_random(&random);

		memcpy(to, &word, length);
	}
}

/* ---- options ---- */

uint64_t d_option(int argc, char **argv, const char *name, uint64_t otherwise)
{
	for (int i = 1; i + 1 < argc; i++) {
		char *end;
		uint64_t value;

		if (strcmp(argv[i], name))
			continue;
		value = strtoull(argv[i + 1], &end, 0);
		if (*end || end == argv[i + 1])
			D_FAIL("%s %s: not a number", name, argv[i + 1]);
		return value;
	}
	return otherwise;
}

/* ---- verbs ---- */

const struct d_timers d_patient = { .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .min_rnr_timer = 1 };

struct ibv_context *d_open(void)
{
	const char *wanted = getenv("D_DEVICE");
	int count = 0;
	struct ibv_device **devices = D_HAVE(ibv_get_device_list(&count));
	struct ibv_context *context = NULL;

	for (int i = 0; i < count && !context; i++)
		if (!wanted || !strcmp(ibv_get_device_name(devices[i]), wanted))
			context = D_HAVE(ibv_open_device(devices[i]));
	ibv_free_device_list(devices);
	if (!context)
		D_FAIL("no RDMA device%s%s: run it with bin/softhca", wanted ? " named " : "", wanted ? wanted : "");
	d_non_blocking(context->async_fd);
	return context;
}

void d_non_blocking(int fd)
{
	D_MUST(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK));
}

/* One that peers reach: link-local ones are the last choice. */
int d_gid_index(struct ibv_context *context)
{
	struct ibv_port_attr port;
	int found = 0;

	D_MUST(ibv_query_port(context, 1, &port));
	for (int i = 0; i < port.gid_tbl_len; i++) {
		union ibv_gid gid;

		if (ibv_query_gid(context, 1, i, &gid))
			continue;
		if (gid.raw[0] == 0 && gid.raw[10] == 0xff && gid.raw[11] == 0xff)
			return i;
		if (gid.raw[0] != 0xfe && gid.global.interface_id && !found)
			found = i;
	}
	return found;
}

struct d_address d_address_of(struct ibv_qp *qp, uint32_t psn)
{
	struct d_address address = { .qpn = qp->qp_num, .psn = psn & 0xffffff, .qkey = 0x1234567 };
	struct ibv_port_attr port;

	D_MUST(ibv_query_port(qp->context, 1, &port));
	address.lid = port.lid;
	D_MUST(ibv_query_gid(qp->context, 1, d_gid_index(qp->context), &address.gid));
	return address;
}

void d_to_init(struct ibv_qp *qp, unsigned int access)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = access };

	D_MUST(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
}

/* Reads and atomics that may be under way at once. */
static uint8_t read_depth(struct ibv_qp *qp)
{
	struct ibv_device_attr attr;

	D_MUST(ibv_query_device(qp->context, &attr));
	return attr.max_qp_rd_atom < READ_DEPTH ? (uint8_t)attr.max_qp_rd_atom : READ_DEPTH;
}

static void to_rtr(struct ibv_qp *qp, const struct d_address *peer, uint8_t min_rnr_timer)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = peer->qpn,
		.rq_psn = peer->psn,
		.max_dest_rd_atomic = read_depth(qp),
		.min_rnr_timer = min_rnr_timer,
		.ah_attr = {
			.dlid = peer->lid,
			.port_num = 1,
			.is_global = 1,
			.grh = {
				.dgid = peer->gid,
				.sgid_index = (uint8_t)d_gid_index(qp->context),
				.hop_limit = 64,
			},
		},
	};

	D_MUST(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			     IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
}

void d_connect(struct ibv_qp *qp, const struct d_address *local, const struct d_address *peer,
	       const struct d_timers *timers)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = local->psn,
		.timeout = timers->timeout,
		.retry_cnt = timers->retry_cnt,
		.rnr_retry = timers->rnr_retry,
		.max_rd_atomic = read_depth(qp),
	};

	to_rtr(qp, peer, timers->min_rnr_timer);
	D_MUST(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			     IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC));
}

void d_open_datagrams(struct ibv_qp *qp, const struct d_address *local)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = local->qkey };

	D_MUST(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY));
	d_to_state(qp, IBV_QPS_RTR);
	attr = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .sq_psn = local->psn };
	D_MUST(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN));
}

void d_to_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	D_MUST(ibv_modify_qp(qp, &attr, IBV_QP_STATE));
}

enum ibv_qp_state d_state(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr;
	struct ibv_qp_init_attr init;

	D_MUST(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init));
	return attr.qp_state;
}

struct ibv_wc d_wait(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	for (;;) {
		int count = ibv_poll_cq(cq, 1, &wc);

		if (count == 1)
			return wc;
		if (count < 0)
			D_FAIL("ibv_poll_cq: %d", count);
	}
}

void d_expect_nothing(struct ibv_cq *cq)
{
	struct ibv_wc wc;
	int count = ibv_poll_cq(cq, 1, &wc);

	if (count)
		D_FAIL("ibv_poll_cq: %d, wr_id %llx, %s, opcode %d, where nothing was to come", count,
		       (unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status), wc.opcode);
}

int d_async_event(struct ibv_context *context, struct ibv_qp **qp)
{
	struct ibv_async_event event;

	if (ibv_get_async_event(context, &event)) {
		if (errno != EAGAIN)
			D_FAIL("ibv_get_async_event: %s", strerror(errno));
		return -1;
	}
	if (qp)
		*qp = event.element.qp;
	ibv_ack_async_event(&event);
	return (int)event.event_type;
}

static void wait_readable(int fd)
{
	struct pollfd descriptor = { .fd = fd, .events = POLLIN };

	while (poll(&descriptor, 1, -1) != 1)
		if (errno != EINTR)
			D_FAIL("poll: %s", strerror(errno));
}

int d_wait_async_event(struct ibv_context *context, struct ibv_qp **qp)
{
	wait_readable(context->async_fd);
	return d_async_event(context, qp);
}

/* ---- rdma_cm ---- */

struct rdma_cm_event *d_cm_next(struct rdma_event_channel *channel)
{
	struct rdma_cm_event *event = NULL;

	for (;;) {
		if (rdma_get_cm_event(channel, &event)) {
			if (errno == EAGAIN)
				wait_readable(channel->fd);
			else if (errno != EINTR)
				D_FAIL("rdma_get_cm_event: %s", strerror(errno));
		} else if (event->event == RDMA_CM_EVENT_TIMEWAIT_EXIT) {
			D_MUST(rdma_ack_cm_event(event));
		} else {
			return event;
		}
	}
}

struct rdma_cm_event *d_cm_expect(struct rdma_event_channel *channel, enum rdma_cm_event_type type)
{
	struct rdma_cm_event *event = d_cm_next(channel);

	if (event->event != type)
		D_FAIL("%s, status %d, instead of %s", rdma_event_str(event->event), event->status,
		       rdma_event_str(type));
	return event;
}

void d_cm_pass(struct rdma_event_channel *channel, enum rdma_cm_event_type type)
{
	D_MUST(rdma_ack_cm_event(d_cm_expect(channel, type)));
}

static struct sockaddr_in loopback(uint16_t port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
}

struct rdma_cm_id *d_cm_listen(struct rdma_event_channel *channel, uint16_t *port)
{
	struct sockaddr_in address = loopback(0);
	struct rdma_cm_id *id;

	D_MUST(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP));
	D_MUST(rdma_bind_addr(id, (struct sockaddr *)&address));
	D_MUST(rdma_listen(id, 64));
	*port = ntohs(rdma_get_src_port(id));
	return id;
}

struct rdma_cm_id *d_cm_resolve(struct rdma_event_channel *channel, uint16_t port)
{
	struct sockaddr_in address = loopback(port);
	struct rdma_cm_id *id;

	D_MUST(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP));
	D_MUST(rdma_resolve_addr(id, NULL, (struct sockaddr *)&address, 10000));
	d_cm_pass(channel, RDMA_CM_EVENT_ADDR_RESOLVED);
	D_MUST(rdma_resolve_route(id, 10000));
	d_cm_pass(channel, RDMA_CM_EVENT_ROUTE_RESOLVED);
	return id;
}

struct rdma_conn_param d_cm_parameters(void)
{
	return (struct rdma_conn_param){
		.responder_resources = 4,
		.initiator_depth = 4,
		.retry_count = 7,
		.rnr_retry_count = 7,
	};
}

/* ---- processes ---- */

void d_send(int fd, const void *data, size_t size)
{
	const char *from = data;

	while (size) {
		ssize_t count = send(fd, from, size, MSG_NOSIGNAL);

		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			D_FAIL("the other process is gone: %s", strerror(errno));
		from += count;
		size -= (size_t)count;
	}
}

bool d_receive(int fd, void *data, size_t size)
{
	char *to = data;

	while (size) {
		ssize_t count = recv(fd, to, size, 0);

		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return false;
		to += count;
		size -= (size_t)count;
	}
	return true;
}

int d_open_descriptors(void)
{
	DIR *directory = D_HAVE(opendir("/proc/self/fd"));
	int count = 0;

	while (readdir(directory))
		count++;
	closedir(directory);
	return count - 3;	/* ".", "..", and the directory itself */
}

/* ---- the software device ---- */

/* Weak: a program on another implementation links and runs without it. */
extern int softhca_control(pid_t pid, const char *command) __attribute__((weak));

bool d_has_control(void)
{
	return softhca_control != NULL;
}

void d_control(pid_t pid, const char *format, ...)
{
	char command[256];
	va_list arguments;
	int ret;

	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	if (!d_has_control())
		D_FAIL("\"%s\" needs the software device: run it with bin/softhca", command);
	ret = softhca_control(pid, command);
	if (ret)
		D_FAIL("softhca_control(%d, \"%s\"): %s", (int)pid, command, strerror(-ret));
}
