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

/* Addresses and ports of rdma_cm: which ones the device has, which may be shared, and where they lead. */
#include <ifaddrs.h>
#include <net/if.h>
#include <sys/resource.h>

#include "base/shca_clock.h"
#include "cm/shca_cm_address.h"
#include "fault/shca_fault.h"
#include "t_cm.h"

static int bind_id(struct t_id *id, const char *text, uint16_t port)
{
	struct sockaddr_in6 address = t_address(text, port);

	return rdma_bind_addr(id->id, (struct sockaddr *)&address);
}

static void set(struct t_id *id, int option)
{
	int yes = 1;

	CHECK_EQ(0, rdma_set_option(id->id, RDMA_OPTION_ID, option, &yes, sizeof(yes)));
}

static void loopback_has_the_device(void)
{
	static const char *const texts[] = { "127.0.0.1", "::1" };
	int i;

	for (i = 0; i < 2; i++) {
		struct t_id id = t_id_open(RDMA_PS_TCP);

		CHECK_EQ(0, bind_id(&id, texts[i], 0));
		CHECK(t_port(&id) != 0);
		CHECK(id.id->verbs != NULL);
		CHECK(id.id->pd != NULL);
		CHECK_EQ(1, id.id->port_num);
		CHECK_TEXT("softhca0", ibv_get_device_name(id.id->verbs->device));
		t_id_close(&id);
	}
}

static void a_wildcard_has_no_device(void)
{
	struct t_id id = t_id_open(RDMA_PS_TCP);

	CHECK_EQ(0, rdma_listen(id.id, 1));
	CHECK(id.id->verbs == NULL);
	CHECK(t_port(&id) != 0);
	t_id_close(&id);
}

static void address_of_another_machine_cannot_be_bound(void)
{
	struct t_id id = t_id_open(RDMA_PS_TCP);

	CHECK_FAILS(EADDRNOTAVAIL, bind_id(&id, "203.0.113.77", 0));
	CHECK_FAILS(EADDRNOTAVAIL, bind_id(&id, "2001:db8:77::1", 0));
	/* A link-local address without an interface. */
	CHECK_FAILS(EINVAL, bind_id(&id, "fe80::1", 0));
	CHECK_EQ(0, bind_id(&id, "127.0.0.1", 0));
	t_id_close(&id);
}

static void ports_are_taken_once(void)
{
	struct t_id first = t_id_open(RDMA_PS_TCP);
	struct t_id second = t_id_open(RDMA_PS_TCP);
	struct t_id datagrams = t_id_open(RDMA_PS_UDP);
	uint16_t port;

	CHECK_EQ(0, bind_id(&first, "127.0.0.1", 0));
	port = t_port(&first);
	CHECK_FAILS(EADDRINUSE, bind_id(&second, "127.0.0.1", port));
	CHECK_FAILS(EADDRNOTAVAIL, bind_id(&second, "0.0.0.0", port));
	CHECK_FAILS(EADDRNOTAVAIL, bind_id(&second, "::", port));
	CHECK_EQ(0, bind_id(&datagrams, "127.0.0.1", port));
	CHECK_EQ(0, bind_id(&second, "::1", port));
	t_id_close(&first);
	first = t_id_open(RDMA_PS_TCP);
	CHECK_EQ(0, bind_id(&first, "127.0.0.1", port));
	t_id_close(&first);
	t_id_close(&second);
	t_id_close(&datagrams);
}

static void a_reused_port_has_one_listener(void)
{
	struct t_id first = t_id_open(RDMA_PS_TCP);
	struct t_id second = t_id_open(RDMA_PS_TCP);

	set(&first, RDMA_OPTION_ID_REUSEADDR);
	set(&second, RDMA_OPTION_ID_REUSEADDR);
	CHECK_EQ(0, bind_id(&first, "127.0.0.1", 0));
	CHECK_EQ(0, bind_id(&second, "127.0.0.1", t_port(&first)));
	CHECK_FAILS(EADDRINUSE, rdma_listen(first.id, 1));
	t_id_close(&second);
	CHECK_EQ(0, rdma_listen(first.id, 1));
	second = t_id_open(RDMA_PS_TCP);
	set(&second, RDMA_OPTION_ID_REUSEADDR);
	CHECK_FAILS(EADDRINUSE, bind_id(&second, "127.0.0.1", t_port(&first)));
	t_id_close(&first);
	t_id_close(&second);
}

static void serves(struct t_id *listener, const char *text, uint16_t port)
{
	struct t_id client = t_routed(text, port);
	struct rdma_cm_id *server = t_connect_pair(&client, listener);

	CHECK_EQ(strchr(text, ':') ? AF_INET6 : AF_INET, rdma_get_local_addr(server)->sa_family);
	CHECK_EQ(rdma_get_local_addr(client.id)->sa_family, rdma_get_peer_addr(server)->sa_family);
	CHECK_EQ(0, rdma_destroy_id(server));
	t_expect_event(client.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	t_id_close(&client);
}

static void wildcards_of_both_families(void)
{
	struct t_id six = t_listen("::", 1);
	struct t_id four = t_id_open(RDMA_PS_TCP);
	uint16_t port = t_port(&six);

	serves(&six, "::1", port);
	serves(&six, "127.0.0.1", port);
	CHECK_FAILS(EADDRNOTAVAIL, bind_id(&four, "0.0.0.0", port));
	t_id_close(&six);

	six = t_id_open(RDMA_PS_TCP);
	set(&six, RDMA_OPTION_ID_AFONLY);
	CHECK_EQ(0, bind_id(&six, "::", port));
	CHECK_EQ(0, bind_id(&four, "0.0.0.0", port));
	CHECK_EQ(0, rdma_listen(six.id, 1));
	CHECK_EQ(0, rdma_listen(four.id, 1));
	serves(&four, "127.0.0.1", port);
	serves(&six, "::1", port);
	t_id_close(&six);
	t_id_close(&four);
}

/* Finds a link-local address of an interface that is up. Returns false if there is none. */
static bool find_link_local(struct sockaddr_in6 *address)
{
	struct ifaddrs *all;
	struct ifaddrs *one;
	bool found = false;

	T_MUST(!getifaddrs(&all));
	for (one = all; one && !found; one = one->ifa_next) {
		if (!one->ifa_addr || one->ifa_addr->sa_family != AF_INET6 || !(one->ifa_flags & IFF_UP))
			continue;
		*address = *(struct sockaddr_in6 *)one->ifa_addr;
		found = IN6_IS_ADDR_LINKLOCAL(&address->sin6_addr);
	}
	freeifaddrs(all);
	return found;
}

static void link_local_addresses_need_their_scope(void)
{
	struct sockaddr_in6 address;
	struct t_id listener;
	struct t_id client;
	struct rdma_cm_id *server;

	if (!find_link_local(&address)) {
		printf("no link-local address here: not tested\n");
		return;
	}
	listener = t_id_open(RDMA_PS_TCP);
	CHECK_EQ(0, rdma_bind_addr(listener.id, (struct sockaddr *)&address));
	CHECK_EQ(0, rdma_listen(listener.id, 1));
	client = t_id_open(RDMA_PS_TCP);
	address.sin6_port = rdma_get_src_port(listener.id);
	CHECK_EQ(0, rdma_resolve_addr(client.id, NULL, (struct sockaddr *)&address, T_RESOLVE_MS));
	t_expect_event(client.channel, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	CHECK_EQ(0, rdma_resolve_route(client.id, T_RESOLVE_MS));
	t_expect_event(client.channel, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
	server = t_connect_pair(&client, &listener);
	CHECK_EQ(address.sin6_scope_id, ((struct sockaddr_in6 *)rdma_get_peer_addr(server))->sin6_scope_id);
	CHECK_EQ(0, rdma_destroy_id(server));
	t_expect_event(client.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	address.sin6_scope_id = 0;
	t_id_close(&client);
	client = t_id_open(RDMA_PS_TCP);
	CHECK_FAILS(EINVAL, rdma_resolve_addr(client.id, NULL, (struct sockaddr *)&address, T_RESOLVE_MS));
	t_id_close(&client);
	t_id_close(&listener);
}

static void all_loopback_addresses_are_this_machines(void)
{
	static const char *const texts[] = { "127.0.0.2", "127.0.1.1", "127.255.255.254" };

	for (int i = 0; i < 3; i++) {
		struct t_id listener = t_listen(texts[i], 1);
		struct sockaddr_in6 local = t_address(texts[i], t_port(&listener));

		CHECK(listener.id->verbs != NULL);
		CHECK_BYTES(&local, rdma_get_local_addr(listener.id), sizeof(struct sockaddr_in));
		serves(&listener, texts[i], t_port(&listener));
		t_id_close(&listener);
		listener = t_listen("0.0.0.0", 1);
		serves(&listener, texts[i], t_port(&listener));
		t_id_close(&listener);
	}
}

static void each_loopback_address_has_its_own_ports(void)
{
	struct t_id first = t_listen("127.0.0.2", 1);
	struct t_id second = t_id_open(RDMA_PS_TCP);
	struct t_id client = t_id_open(RDMA_PS_TCP);
	uint16_t port = t_port(&first);

	CHECK_EQ(0, bind_id(&second, "127.0.0.3", port));
	CHECK_EQ(0, rdma_listen(second.id, 1));
	CHECK_EQ(0, bind_id(&client, "127.0.0.4", 0));
	t_resolve(&client, "127.0.0.3", port);
	CHECK_EQ(0, rdma_destroy_id(t_connect_pair(&client, &second)));
	t_expect_event(client.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	t_id_close(&client);
	t_id_close(&second);
	client = t_routed("127.0.0.3", port);
	t_connect(&client);
	t_expect_event(client.channel, RDMA_CM_EVENT_REJECTED, 8);
	t_id_close(&client);
	t_id_close(&first);
}

/* It has a source already, so the kernel is not asked for a route. */
static void another_machine_is_out_of_reach(void)
{
	struct sockaddr_in6 address = t_address("203.0.113.77", 1234);
	struct t_id id = t_id_open(RDMA_PS_TCP);

	CHECK_EQ(0, bind_id(&id, "127.0.0.1", 0));
	CHECK_EQ(0, rdma_resolve_addr(id.id, NULL, (struct sockaddr *)&address, 1000000));
	t_expect_event(id.channel, RDMA_CM_EVENT_ADDR_ERROR, -EHOSTUNREACH);
	t_id_close(&id);
}

/* An address for documentation (RFC 5737), which no machine has. */
static void silent_address_times_out(void)
{
	struct sockaddr_in6 address = t_address("203.0.113.77", 1234);
	struct t_id id = t_id_open(RDMA_PS_TCP);
	uint16_t port;

	CHECK_EQ(0, bind_id(&id, "127.0.0.1", 0));
	T_MUST(!shca_fault_set("silent@1"));
	CHECK_EQ(0, rdma_resolve_addr(id.id, NULL, (struct sockaddr *)&address, 20));
	t_expect_event(id.channel, RDMA_CM_EVENT_ADDR_ERROR, -ETIMEDOUT);
	T_MUST(!shca_fault_set("off"));
	/* The id may try once more, and keeps its port. */
	address = t_address("127.0.0.1", 1234);
	CHECK_EQ(0, rdma_resolve_addr(id.id, NULL, (struct sockaddr *)&address, 20));
	t_expect_event(id.channel, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	port = t_port(&id);
	CHECK(port != 0);
	CHECK_FAILS(EINVAL, rdma_resolve_addr(id.id, NULL, (struct sockaddr *)&address, 20));
	t_id_close(&id);
}

static void the_source_may_be_chosen(void)
{
	struct sockaddr_in6 from = t_address("127.0.0.1", 0);
	struct sockaddr_in6 to = t_address("127.0.0.1", 1234);
	struct sockaddr_in6 six = t_address("::1", 1234);
	struct t_id id = t_id_open(RDMA_PS_TCP);

	CHECK_EQ(0, rdma_resolve_addr(id.id, (struct sockaddr *)&from, (struct sockaddr *)&to, 100));
	t_expect_event(id.channel, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	CHECK_EQ(htonl(INADDR_LOOPBACK), ((struct sockaddr_in *)rdma_get_local_addr(id.id))->sin_addr.s_addr);
	t_id_close(&id);
	id = t_id_open(RDMA_PS_TCP);
	CHECK_EQ(0, bind_id(&id, "127.0.0.1", 0));
	CHECK_FAILS(EINVAL, rdma_resolve_addr(id.id, NULL, (struct sockaddr *)&six, 100));
	CHECK_EQ(0, rdma_resolve_addr(id.id, NULL, (struct sockaddr *)&to, 100));
	t_expect_event(id.channel, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	t_id_close(&id);
}

/* Asks the kernel only if it may: that takes a descriptor. */
static int find_route(const char *text, bool may_ask)
{
	struct sockaddr_in6 address = t_address(text, 7471);
	union shca_cm_address to;
	union shca_cm_address source;
	struct rlimit before;
	struct rlimit limit;
	int result;

	T_MUST(shca_cm_address_from(&to, (struct sockaddr *)&address));
	T_MUST(!getrlimit(RLIMIT_NOFILE, &before));
	limit = before;
	if (!may_ask)
		limit.rlim_cur = 0;
	T_MUST(!setrlimit(RLIMIT_NOFILE, &limit));
	result = shca_cm_address_choose_source(&to, &source);
	T_MUST(!setrlimit(RLIMIT_NOFILE, &before));
	if (!result)
		CHECK_EQ(htonl(INADDR_LOOPBACK), source.in.sin_addr.s_addr);
	return result;
}

/* For less than a tenth of a second. A pause of this test may last longer; then it looks again. */
static void the_last_route_is_remembered(void)
{
	uint64_t before;
	int known;

	do {
		before = shca_now();
		CHECK_EQ(0, find_route("127.0.0.1", true));
		known = find_route("127.0.0.1", false);
	} while (known && shca_now() - before > 100000000);
	CHECK_EQ(0, known);
	CHECK_EQ(-EMFILE, find_route("127.0.0.2", false));
	CHECK_EQ(0, find_route("127.0.0.1", true));
	shca_sleep_until(shca_now() + 101000000);
	CHECK_EQ(-EMFILE, find_route("127.0.0.1", false));
}

static void names_are_looked_up(void)
{
	struct rdma_addrinfo hints = { .ai_flags = RAI_PASSIVE | RAI_NUMERICHOST, .ai_port_space = RDMA_PS_TCP };
	struct rdma_addrinfo *info;

	CHECK_EQ(0, rdma_getaddrinfo("127.0.0.1", "7471", &hints, &info));
	CHECK_EQ(RAI_PASSIVE, info->ai_flags);
	CHECK_EQ(AF_INET, info->ai_family);
	CHECK_EQ(IBV_QPT_RC, info->ai_qp_type);
	CHECK_EQ(sizeof(struct sockaddr_in), info->ai_src_len);
	CHECK_EQ(htons(7471), ((struct sockaddr_in *)info->ai_src_addr)->sin_port);
	CHECK(!info->ai_dst_addr);
	rdma_freeaddrinfo(info);
	hints.ai_flags = RAI_NUMERICHOST;
	hints.ai_port_space = RDMA_PS_UDP;
	CHECK_EQ(0, rdma_getaddrinfo("::1", "1", &hints, &info));
	CHECK_EQ(AF_INET6, info->ai_family);
	CHECK_EQ(IBV_QPT_UD, info->ai_qp_type);
	CHECK_EQ(RDMA_PS_UDP, info->ai_port_space);
	CHECK_EQ(sizeof(struct sockaddr_in6), info->ai_dst_len);
	rdma_freeaddrinfo(info);
	CHECK(rdma_getaddrinfo("no number", "1", &hints, &info) != 0);
	CHECK_FAILS(EINVAL, rdma_getaddrinfo(NULL, NULL, NULL, &info));
}

static void tests(void)
{
	T_RUN(loopback_has_the_device);
	T_RUN(a_wildcard_has_no_device);
	T_RUN(address_of_another_machine_cannot_be_bound);
	T_RUN(ports_are_taken_once);
	T_RUN(a_reused_port_has_one_listener);
	T_RUN(wildcards_of_both_families);
	T_RUN(link_local_addresses_need_their_scope);
	T_RUN(all_loopback_addresses_are_this_machines);
	T_RUN(each_loopback_address_has_its_own_ports);
	T_RUN(another_machine_is_out_of_reach);
	T_RUN(silent_address_times_out);
	T_RUN(the_source_may_be_chosen);
	T_RUN(the_last_route_is_remembered);
	T_RUN(names_are_looked_up);
}

int main(void)
{
	return t_cm_main(tests);
}
