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

/* The table of GIDs on a machine that has more addresses than the table holds. */
#include <linux/ipv6.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>

#include "base/shca_say.h"
#include "device/shca_gid.h"
#include "t_child.h"
#include "t_cm.h"

#define MANY	300
/* The table without the default GID and the two loopback addresses. */
#define ENTRIES	(256 - 1 - 2)

/* In a network namespace of the test's own, whose only interface is the loopback one. */
static bool has_own_network(void)
{
	struct ifreq up = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd;

	if (unshare(geteuid() ? CLONE_NEWUSER | CLONE_NEWNET : CLONE_NEWNET)) {
		T_NOT_RUN("network namespaces are refused here: %s", strerror(errno));
		return false;
	}
	fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0) {
		T_NOT_RUN("no IPv6 here: %s", strerror(errno));
		return false;
	}
	T_MUST(!ioctl(fd, SIOCSIFFLAGS, &up));
	close(fd);
	return true;
}

static struct sockaddr_in6 nth_address(int n)
{
	char text[INET6_ADDRSTRLEN];

	snprintf(text, sizeof(text), "2001:db8::%x", n + 1);
	return t_address(text, 0);
}

/* The kernel lists ::1 behind them. */
static void change_addresses(unsigned long request, int from, int to)
{
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	T_MUST(fd >= 0);
	for (int i = from; i < to; i++) {
		struct in6_ifreq one = { .ifr6_addr = nth_address(i).sin6_addr, .ifr6_prefixlen = 128,
					 .ifr6_ifindex = (int)if_nametoindex("lo") };

		T_MUST(!ioctl(fd, request, &one));
	}
	close(fd);
}

static int bind_nth(int n)
{
	struct sockaddr_in6 address = nth_address(n);
	struct t_id id = t_id_open(RDMA_PS_TCP);
	int result = rdma_bind_addr(id.id, (struct sockaddr *)&address) ? -errno : 0;

	t_id_close(&id);
	return result;
}

static void expect_loopback_works(const char *text)
{
	struct t_id listener = t_listen(text, 1);
	struct t_id client = t_routed(text, t_port(&listener));

	t_id_close(&client);
	t_id_close(&listener);
}

/* ---- addresses that have an entry ---- */

static void bind_all(void)
{
	int left_out = 0;

	if (!has_own_network())
		return;
	change_addresses(SIOCSIFADDR, 0, MANY);
	expect_loopback_works("127.0.0.1");
	expect_loopback_works("::1");
	for (int i = 0; i < MANY; i++) {
		int result = bind_nth(i);
		const char *reason = shca_reason(EADDRNOTAVAIL);

		CHECK(!result || result == -EADDRNOTAVAIL);
		if (!result)
			continue;
		left_out++;
		CHECK(reason && strstr(reason, "the table is full"));
	}
	CHECK_EQ(MANY - ENTRIES, left_out);
}

static void the_loopback_addresses_come_first(void)
{
	char said[4000];
	int lines = 0;

	t_said_in_child(NULL, NULL, bind_all, said, sizeof(said));
	if (t_not_run)
		return;
	CHECK(strstr(said, "this machine has 47 addresses more than the 255 that have a GID"));
	for (const char *at = said; *at; at++)
		lines += *at == '\n';
	/* One line of the table, and the first and tenth of the addresses. */
	CHECK_EQ(3, lines);
	if (lines != 3)
		fputs(said, stderr);
}

/* ---- what had none ---- */

static void bind_after_a_removal(void)
{
	int waited = 0;

	if (!has_own_network())
		return;
	change_addresses(SIOCSIFADDR, 0, MANY);
	/* The kernel lists the oldest at the end. */
	CHECK_EQ(-EADDRNOTAVAIL, bind_nth(0));
	CHECK_EQ(0, bind_nth(MANY - 1));
	change_addresses(SIOCDIFADDR, ENTRIES, MANY);
	/* The table is up to date a moment later. */
	while (!bind_nth(MANY - 1) && waited++ < T_PATIENCE_MS)
		usleep(1000);
	for (int i = 0; i < ENTRIES; i++)
		CHECK_EQ(0, bind_nth(i));
}

static void free_entry_is_used_again(void)
{
	t_in_child(NULL, NULL, bind_after_a_removal);
}

int main(void)
{
	t_fabric_open();
	T_RUN(the_loopback_addresses_come_first);
	T_RUN(free_entry_is_used_again);
	t_fabric_close();
	return t_result();
}
