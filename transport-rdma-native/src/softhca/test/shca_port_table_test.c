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

/* The table of ports: as many as there are, in any order, and searches among them. */
#include <arpa/inet.h>

#include "base/shca_say.h"
#include "registry/shca_fabric_file.h"
#include "registry/shca_port_range.h"
#include "registry/shca_ports.h"
#include "t_fabric.h"

#define PS_TCP	0x0106

static struct sockaddr_in loopback(uint16_t port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port),
				     .sin_addr = { htonl(INADDR_LOOPBACK) } };
}

static int bind_port(uint16_t port, uint32_t id, uint32_t *record)
{
	struct sockaddr_in address = loopback(port);

	return shca_port_bind(PS_TCP, (struct sockaddr *)&address, false, false, id, record);
}

static int find(uint16_t port)
{
	struct sockaddr_in address = loopback(port);
	struct shca_port_owner owner;

	return shca_port_find_listener(PS_TCP, (struct sockaddr *)&address, &owner);
}

static void ephemeral_ports_are_different_until_none_is_left(void)
{
	static uint8_t seen[65536];
	const char *reason;
	uint32_t record;
	int count = 0, first, last;
	int result;
	FILE *range = fopen(SHCA_PORT_RANGE_FILE, "re");

	T_MUST(range && fscanf(range, "%d %d", &first, &last) == 2);
	fclose(range);
	CHECK_EQ(0, shca_fabric_enter());
	for (;;) {
		struct sockaddr_in address = loopback(0);
		uint16_t port;

		result = shca_port_bind(PS_TCP, (struct sockaddr *)&address, false, false, 1, &record);
		if (result)
			break;
		port = ntohs(address.sin_port);
		if (!port || seen[port]++)
			T_FAIL("port %u is given twice", port);
		count++;
	}
	/* The usual range of ports ends before the records do. */
	CHECK_EQ(last - first + 1, count);
	CHECK_EQ(-EADDRNOTAVAIL, result);
	reason = shca_reason(EADDRNOTAVAIL);
	CHECK(reason && strstr(reason, "ip_local_port_range"));
	shca_port_release(record);
	CHECK_EQ(0, bind_port(0, 1, &record));
	shca_fabric_leave();
}

/* Whether no record is linked, and no search passes one that was. */
static bool is_table_empty(void)
{
	struct shca_fabric_file *file = shca_fabric_lock();
	bool empty = true;

	for (uint32_t i = 0; i < SHCA_PORT_RECORDS; i++)
		empty = empty && !atomic_load(&file->keys[i]);
	shca_fabric_unlock();
	return empty;
}

static void no_more_ports_than_there_are_records(void)
{
	static uint32_t records[SHCA_PORT_RECORDS];
	const char *reason;
	uint32_t record;

	CHECK_EQ(0, shca_fabric_enter());
	for (uint32_t i = 0; i < SHCA_PORT_RECORDS; i++)
		CHECK_EQ(0, bind_port((uint16_t)(i + 1), i, &records[i]));
	CHECK_EQ(-EADDRNOTAVAIL, bind_port(40000, 1, &record));
	reason = shca_reason(EADDRNOTAVAIL);
	CHECK(reason && strstr(reason, "have 32768 ports") && strstr(reason, "SOFTHCA_FABRIC"));
	/* A search in a full table ends. */
	CHECK_EQ(-ENOENT, find(40000));
	CHECK_EQ(-EADDRINUSE, bind_port(77, 1, &record));
	shca_port_release(records[10]);
	CHECK_EQ(0, bind_port(40000, 1, &records[10]));
	CHECK_EQ(-EADDRINUSE, bind_port(40000, 1, &record));
	for (uint32_t i = 0; i < SHCA_PORT_RECORDS; i++)
		shca_port_release(records[i]);
	CHECK_EQ(0, bind_port(77, 1, &record));
	shca_fabric_leave();
}

#define STEPS		100000
#define SOME_PORTS	12000	/* a load of a third or so */

/* Against a table of all ports. Many hashes meet, and searches pass what was removed. */
static void ports_are_found_after_any_sequence_of_binds_and_releases(void)
{
	static uint32_t records[SOME_PORTS];
	static bool bound[SOME_PORTS];
	uint32_t record;

	CHECK_EQ(0, shca_fabric_enter());
	for (int i = 0; i < STEPS && !t_failures; i++) {
		int port = t_random_below(SOME_PORTS);

		if (!bound[port]) {
			CHECK_EQ(0, bind_port((uint16_t)(port + 1), 1, &records[port]));
			bound[port] = true;
		} else if (t_random_below(2)) {
			shca_port_release(records[port]);
			bound[port] = false;
		} else {
			CHECK_EQ(-EADDRINUSE, bind_port((uint16_t)(port + 1), 1, &record));
		}
	}
	for (int port = 0; port < SOME_PORTS; port++)
		if (bound[port])
			shca_port_release(records[port]);
	CHECK(is_table_empty());
	shca_fabric_leave();
}

int main(void)
{
	t_seed();
	t_fabric_open();
	T_RUN(ephemeral_ports_are_different_until_none_is_left);
	T_RUN(no_more_ports_than_there_are_records);
	T_RUN(ports_are_found_after_any_sequence_of_binds_and_releases);
	t_fabric_close();
	return t_result();
}
