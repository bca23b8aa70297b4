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

/* A container that shares some of its namespaces with this process, and a client and a server to be in it or here. */
#ifndef T_CONTAINER_H
#define T_CONTAINER_H

#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "abi/softhca.h"
#include "t_cm.h"
#include "t_mount.h"

#define LOOPBACK	"127.0.0.1"
#define OTHER_USER	1000

enum user { USER_SHARED, USER_SAME_ID, USER_OTHER_ID, USERS };
enum mounts { MOUNTS_SHARED, MOUNTS_OWN, MOUNTS_OWN_DIRECTORY, MOUNT_KINDS };

static struct container {
	enum user user;
	enum mounts mounts;
	bool own_pid;
	bool own_net;
	bool own_ipc;
} container;

/* The outcome for the client. */
enum outcome { CONNECTED = 1, REJECTED = 2 };

/* ---- client and server ---- */

static void serve(int fd)
{
	struct t_id listener = t_id_open(RDMA_PS_TCP);
	struct sockaddr_in6 address = t_address(LOOPBACK, 0);
	struct rdma_cm_id *server;

	if (rdma_bind_addr(listener.id, (struct sockaddr *)&address) || rdma_listen(listener.id, 4)) {
		t_put(fd, -errno);
		return;
	}
	t_put(fd, t_port(&listener));
	/* The end of the other process, too. */
	while (!t_is_readable(fd)) {
		if (!t_is_readable(listener.channel->fd))
			continue;
		server = t_request(&listener);
		t_accept(server);
		t_expect_event(listener.channel, RDMA_CM_EVENT_ESTABLISHED, 0);
		t_expect_event(listener.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
		CHECK_EQ(0, rdma_destroy_id(server));
	}
	t_id_close(&listener);
}

/* Returns an outcome, or -errno. */
static int connect_to(uint16_t port)
{
	struct t_id client = t_id_open(RDMA_PS_TCP);
	struct sockaddr_in6 address = t_address(LOOPBACK, port);
	struct rdma_cm_event *event;
	int result = REJECTED;

	if (rdma_resolve_addr(client.id, NULL, (struct sockaddr *)&address, T_RESOLVE_MS))
		return -errno;
	t_expect_event(client.channel, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	CHECK_EQ(0, rdma_resolve_route(client.id, T_RESOLVE_MS));
	t_expect_event(client.channel, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
	t_connect(&client);
	event = t_event(client.channel);
	T_MUST(event);
	if (event->event == RDMA_CM_EVENT_CONNECT_RESPONSE) {
		result = CONNECTED;
		CHECK_EQ(0, rdma_establish(client.id));
	} else {
		CHECK_EQ(RDMA_CM_EVENT_REJECTED, event->event);
		CHECK_EQ(8, event->status);
	}
	CHECK_EQ(0, rdma_ack_cm_event(event));
	t_id_close(&client);
	return result;
}

/* Its output goes to the parent, too. */
static void connect_on_request(int fd)
{
	uint16_t port = (uint16_t)t_get(fd);
	int ends[2];
	char said[1000] = "";
	ssize_t length;

	T_MUST(!pipe(ends) && dup2(ends[1], STDERR_FILENO) >= 0);
	t_put(fd, connect_to(port));
	T_MUST(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
	length = read(ends[0], said, sizeof(said) - 1);
	T_MUST(send(fd, said, length > 0 ? (size_t)length + 1 : 1, 0) > 0);
	t_get(fd);
}

/* ---- containers ---- */

/* In the parent: only a process with the rights outside may map another id than the child's own. */
static void map_user(pid_t child)
{
	char path[64], map[32];

	snprintf(map, sizeof(map), "0 %d 1", container.user == USER_OTHER_ID ? OTHER_USER : 0);
	snprintf(path, sizeof(path), "/proc/%d/uid_map", child);
	T_MUST(t_write_file(path, map));
	snprintf(path, sizeof(path), "/proc/%d/gid_map", child);
	T_MUST(t_write_file(path, map));
}

static void bring_loopback_up(void)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	T_MUST(fd >= 0 && !ioctl(fd, SIOCSIFFLAGS, &request));
	close(fd);
}

static void enter_user(int fd)
{
	T_MUST(!unshare(CLONE_NEWUSER));
	t_put(fd, 0);
	t_get(fd);
	T_MUST(!setresgid(0, 0, 0) && !setresuid(0, 0, 0));
	/* Otherwise /proc belongs to another user. */
	T_MUST(!prctl(PR_SET_DUMPABLE, 1));
}

static void enter_mounts(void)
{
	T_MUST(!mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	if (container.mounts == MOUNTS_OWN_DIRECTORY)
		T_MUST(!mount("tmpfs", t_directory, "tmpfs", 0, "mode=1777"));
}

/* A pid namespace begins with the next child. */
static void enter_pids(void)
{
	pid_t child = fork();
	int status = 1;

	T_MUST(child >= 0);
	if (!child) {
		T_MUST(!prctl(PR_SET_PDEATHSIG, SIGKILL));
		return;
	}
	waitpid(child, &status, 0);
	_exit(status ? 1 : 0);
}

static void (*inside)(int fd);

static void enter(int fd)
{
	int flags = (container.mounts ? CLONE_NEWNS : 0) | (container.own_pid ? CLONE_NEWPID : 0) |
		    (container.own_net ? CLONE_NEWNET : 0) | (container.own_ipc ? CLONE_NEWIPC : 0);

	if (container.user)
		enter_user(fd);
	T_MUST(!unshare(flags));
	if (container.mounts)
		enter_mounts();
	if (container.own_net)
		bring_loopback_up();
	if (container.own_pid)
		enter_pids();
	inside(fd);
	/* The leak sanitizer looks for its own threads in a /proc that may be another pid namespace's. */
	_exit(t_result());
}

static struct t_process start_container(void (*run)(int fd))
{
	struct t_process process;

	inside = run;
	process = t_fork(enter);
	if (container.user) {
		t_get(process.fd);
		map_user(process.pid);
		t_put(process.fd, 0);
	}
	return process;
}

#endif
