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

#include "wire/shca_process_socket.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

/* Connections that may wait for our helper thread; the kernel's limit may be lower. */
#define BACKLOG		1024
/* For bursts of CM messages; the kernel may grant less. */
#define SEND_BUFFER	(1 << 20)

static socklen_t abstract_address(const char *name, struct sockaddr_un *address)
{
	size_t length = strnlen(name, sizeof(address->sun_path) - 1);

	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	/* A first byte of 0 makes the name abstract: it vanishes with its last user. */
	memcpy(address->sun_path + 1, name, length);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
}

static int open_socket(void)
{
	int size = SEND_BUFFER;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	return fd;
}

static int close_with(int fd, int error)
{
	close(fd);
	return -error;
}

int shca_socket_listen(const char *name)
{
	struct sockaddr_un address;
	socklen_t length = abstract_address(name, &address);
	int fd = open_socket();

	if (fd < 0)
		return fd;
	if (bind(fd, (struct sockaddr *)&address, length) || listen(fd, BACKLOG))
		return close_with(fd, errno);
	return fd;
}

int shca_socket_connect(const char *name)
{
	struct sockaddr_un address;
	socklen_t length = abstract_address(name, &address);
	int fd = open_socket();

	if (fd < 0)
		return fd;
	while (connect(fd, (struct sockaddr *)&address, length))
		if (errno != EINTR)
			return close_with(fd, errno);
	return fd;
}

int shca_socket_accept(int listening_fd)
{
	int size = SEND_BUFFER;
	int fd;

	do
		fd = accept4(listening_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	while (fd < 0 && (errno == EINTR || errno == ECONNABORTED));
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	return fd;
}

bool shca_socket_is_peer(int fd, uint32_t pid)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.uid != geteuid())
		return false;
	/* A process of another pid namespace has another number here, or 0; then the nonces must suffice. */
	return !pid || !peer.pid || (uint32_t)peer.pid == pid;
}

bool shca_socket_is_eventfd(int fd)
{
	static const char eventfd[] = "anon_inode:[eventfd]";
	char path[sizeof("/proc/self/fd/") + 10];
	char target[sizeof(eventfd)];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, target, sizeof(target)) == sizeof(eventfd) - 1 &&
	       !memcmp(target, eventfd, sizeof(eventfd) - 1);
}

static int send_all(int fd, struct msghdr *message)
{
	ssize_t sent;

	do
		sent = sendmsg(fd, message, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : 0;
}

static int send_alone(int fd, const void *datagram, size_t size)
{
	struct iovec parts = { (void *)datagram, size };
	struct msghdr message = { .msg_iov = &parts, .msg_iovlen = 1 };

	return send_all(fd, &message);
}

int shca_socket_kick(int fd)
{
	const uint32_t datagram = SHCA_DATAGRAM_KICK;

	return send_alone(fd, &datagram, sizeof(datagram));
}

int shca_socket_send_message(int fd, const void *bytes, size_t size)
{
	uint32_t datagram = SHCA_DATAGRAM_MESSAGE;
	struct iovec parts[] = { { &datagram, sizeof(datagram) }, { (void *)bytes, size } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };

	return send_all(fd, &message);
}

static int send_with(int fd, const void *datagram, size_t size, int passed_fd)
{
	struct iovec parts = { (void *)datagram, size };
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(sizeof(int))] = { 0 };
	struct msghdr message = {
		.msg_iov = &parts,
		.msg_iovlen = 1,
		.msg_control = space,
		.msg_controllen = sizeof(space),
	};
	struct cmsghdr *passed = CMSG_FIRSTHDR(&message);

	passed->cmsg_level = SOL_SOCKET;
	passed->cmsg_type = SCM_RIGHTS;
	passed->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(passed), &passed_fd, sizeof(int));
	return send_all(fd, &message);
}

int shca_socket_send_hello(int fd, const struct shca_hello *hello)
{
	return send_alone(fd, hello, sizeof(*hello));
}

int shca_socket_send_link(int fd, const struct shca_link_datagram *datagram, int memory_fd)
{
	return send_with(fd, datagram, sizeof(*datagram), memory_fd);
}

int shca_socket_send_waker(int fd, const struct shca_waker_datagram *datagram, int waker_fd)
{
	return send_with(fd, datagram, sizeof(*datagram), waker_fd);
}

ssize_t shca_socket_receive(int fd, void *datagram, size_t size, int *passed)
{
	struct iovec parts = { datagram, size };
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(sizeof(int))];
	struct msghdr message = {
		.msg_iov = &parts,
		.msg_iovlen = 1,
		.msg_control = space,
		.msg_controllen = sizeof(space),
	};
	struct cmsghdr *header;
	ssize_t received;

	*passed = -1;
	/*
	 * After a peer ended with unread data, recvmsg fails once with ECONNRESET and then returns what the peer had
	 * sent.
	 */
	do
		received = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (received < 0 && (errno == EINTR || errno == ECONNRESET));
	if (received < 0)
		return -errno;
	header = CMSG_FIRSTHDR(&message);
	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
	    header->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(passed, CMSG_DATA(header), sizeof(int));
	else if (message.msg_flags & MSG_CTRUNC)
		*passed = SHCA_FD_LOST;
	return received;
}
