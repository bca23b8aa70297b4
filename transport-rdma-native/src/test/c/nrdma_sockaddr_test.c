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

#include "cm/nrdma_sockaddr.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>

#include "t.h"

static void check_round_trip(struct nrdma_sockaddr record, const struct sockaddr_storage *os)
{
	struct nrdma_sockaddr back;

	memset(&back, 0xa5, sizeof(back));
	nrdma_sockaddr_from_os((const struct sockaddr *)os, &back);
	CHECK_BYTES(&record, &back, sizeof(record));
}

static void ipv4(void)
{
	struct nrdma_sockaddr record = { .family = 4, .port = 0x1234, .addr = { 10, 9, 0, 1 } };
	struct sockaddr_storage os;
	struct sockaddr_in *in = (struct sockaddr_in *)&os;

	memset(&os, 0xa5, sizeof(os));
	CHECK_EQ(0, nrdma_sockaddr_to_os(&record, &os));
	CHECK_EQ(AF_INET, in->sin_family);
	CHECK_EQ(htons(0x1234), in->sin_port);
	CHECK_EQ(inet_addr("10.9.0.1"), in->sin_addr.s_addr);
	check_round_trip(record, &os);
}

static void ipv6(void)
{
	struct nrdma_sockaddr record = { .family = 6, .port = 1, .scope_id = 7 };
	struct sockaddr_storage os;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&os;
	struct in6_addr expected;

	inet_pton(AF_INET6, "fe80::5054:ff:fe12:3456", &expected);
	memcpy(record.addr, &expected, sizeof(expected));
	memset(&os, 0xa5, sizeof(os));
	CHECK_EQ(0, nrdma_sockaddr_to_os(&record, &os));
	CHECK_EQ(AF_INET6, in6->sin6_family);
	CHECK_EQ(htons(1), in6->sin6_port);
	CHECK_EQ(7, in6->sin6_scope_id);
	CHECK_EQ(0, in6->sin6_flowinfo);
	CHECK_BYTES(&expected, &in6->sin6_addr, sizeof(expected));
	check_round_trip(record, &os);
}

static void other_families(void)
{
	struct nrdma_sockaddr record = { .family = 0 };
	struct sockaddr_storage os = { .ss_family = AF_UNIX };

	check_round_trip(record, &os);
	os.ss_family = AF_UNSPEC;
	check_round_trip(record, &os);
	CHECK_EQ(-EAFNOSUPPORT, nrdma_sockaddr_to_os(&record, &os));
	record.family = 5;
	CHECK_EQ(-EAFNOSUPPORT, nrdma_sockaddr_to_os(&record, &os));
}

int main(void)
{
	T_RUN(ipv4);
	T_RUN(ipv6);
	T_RUN(other_families);
	return t_result();
}
