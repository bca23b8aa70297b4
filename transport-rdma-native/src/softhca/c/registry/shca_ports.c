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

#include "registry/shca_ports.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "base/shca_clock.h"
#include "base/shca_say.h"
#include "registry/shca_fabric_file.h"
#include "registry/shca_fabric_open.h"
#include "registry/shca_port_range.h"

/* An address without its port, as in the records. */
struct endpoint {
	uint16_t family;
	bool v6only;
	uint32_t scope;
	uint8_t address[16];
};

static uint32_t key_of(int port_space, uint16_t port)
{
	return (uint32_t)port_space << 16 | port;
}

static uint16_t port_of(const struct sockaddr *address)
{
	return ntohs(address->sa_family == AF_INET ? ((const struct sockaddr_in *)address)->sin_port :
		     ((const struct sockaddr_in6 *)address)->sin6_port);
}

static void set_port(struct sockaddr *address, uint16_t port)
{
	if (address->sa_family == AF_INET)
		((struct sockaddr_in *)address)->sin_port = htons(port);
	else
		((struct sockaddr_in6 *)address)->sin6_port = htons(port);
}

/* Reads an IPv4-mapped address as IPv4. Returns false for other families. */
static bool read_endpoint(const struct sockaddr *address, bool v6only, struct endpoint *endpoint)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)address;

	memset(endpoint, 0, sizeof(*endpoint));
	if (address->sa_family == AF_INET) {
		endpoint->family = AF_INET;
		memcpy(endpoint->address, &((const struct sockaddr_in *)address)->sin_addr, 4);
		return true;
	}
	if (address->sa_family != AF_INET6)
		return false;
	if (IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr)) {
		endpoint->family = AF_INET;
		memcpy(endpoint->address, &in6->sin6_addr.s6_addr[12], 4);
		return true;
	}
	endpoint->family = AF_INET6;
	endpoint->v6only = v6only;
	endpoint->scope = IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr) ? in6->sin6_scope_id : 0;
	memcpy(endpoint->address, &in6->sin6_addr, 16);
	return true;
}

static void endpoint_of(const struct shca_port_record *record, struct endpoint *endpoint)
{
	endpoint->family = record->family;
	endpoint->v6only = record->v6only;
	endpoint->scope = record->scope;
	memcpy(endpoint->address, record->address, sizeof(endpoint->address));
}

static bool is_wildcard(const struct endpoint *endpoint)
{
	static const uint8_t zero[16];

	return !memcmp(endpoint->address, zero, sizeof(zero));
}

static bool takes_ipv4(const struct endpoint *endpoint)
{
	return endpoint->family == AF_INET6 && is_wildcard(endpoint) && !endpoint->v6only;
}

static bool is_same(const struct endpoint *a, const struct endpoint *b)
{
	return a->family == b->family && !memcmp(a->address, b->address, sizeof(a->address)) &&
	       (a->scope == b->scope || !a->scope || !b->scope);
}

static bool overlap(const struct endpoint *a, const struct endpoint *b)
{
	if (a->family == b->family)
		return is_wildcard(a) || is_wildcard(b) || is_same(a, b);
	return takes_ipv4(a) || takes_ipv4(b);
}

/* ---- the table: all with the fabric's lock held ---- */

static uint32_t home_of(uint32_t key)
{
	return key * 0x9e3779b1u >> (32 - SHCA_PORT_RECORD_BITS);
}

static uint32_t next_of(uint32_t index)
{
	return (index + 1) % SHCA_PORT_RECORDS;
}

static bool is_linked(const struct shca_fabric_file *file, uint32_t index)
{
	uint32_t key = atomic_load(&file->keys[index]);

	return key && key != SHCA_PORT_REMOVED;
}

/*
 * The next record with the key; *at is SHCA_PORT_RECORDS before the first one. Returns false if there is none. A full
 * table has no key of 0, so the search ends where it began.
 */
static bool next_record(const struct shca_fabric_file *file, uint32_t key, uint32_t *at)
{
	uint32_t home = home_of(key);
	uint32_t index = *at == SHCA_PORT_RECORDS ? home : next_of(*at);
	bool has_begun = *at == SHCA_PORT_RECORDS;

	for (; has_begun || index != home; index = next_of(index)) {
		uint32_t found = atomic_load(&file->keys[index]);

		has_begun = false;
		if (!found)
			return false;
		if (found == key) {
			*at = index;
			return true;
		}
	}
	return false;
}

/* No search needs to pass a removed record if the key behind it is 0. */
static void unlink_record(struct shca_fabric_file *file, uint32_t index)
{
	atomic_store_explicit(&file->keys[index], SHCA_PORT_REMOVED, memory_order_release);
	if (atomic_load(&file->keys[next_of(index)]))
		return;
	for (; atomic_load(&file->keys[index]) == SHCA_PORT_REMOVED; index = (index - 1) % SHCA_PORT_RECORDS)
		atomic_store(&file->keys[index], 0);
}

void shca_ports_sweep(struct shca_fabric_file *file, uint32_t slot, uint64_t nonce)
{
	for (uint32_t i = 0; i < SHCA_PORT_RECORDS; i++)
		if (is_linked(file, i) && file->records[i].slot == slot && file->records[i].nonce == nonce)
			unlink_record(file, i);
}

/* Whether the record's owner is alive. Sweeps the records of a dead one. */
static bool is_held(struct shca_fabric_file *file, uint32_t index)
{
	const struct shca_port_record *record = &file->records[index];

	if (shca_fabric_owner_is_alive(record->slot, record->nonce))
		return true;
	shca_ports_sweep(file, record->slot, record->nonce);
	return false;
}

static bool has_conflict(struct shca_fabric_file *file, uint32_t key, const struct endpoint *endpoint, bool reuse,
			 uint32_t except)
{
	uint32_t index = SHCA_PORT_RECORDS;

	while (next_record(file, key, &index)) {
		struct endpoint other;

		if (index == except)
			continue;
		endpoint_of(&file->records[index], &other);
		if (overlap(endpoint, &other) && !(reuse && file->records[index].reuse) && is_held(file, index))
			return true;
	}
	return false;
}

static void sweep_all(struct shca_fabric_file *file)
{
	for (uint32_t i = 0; i < SHCA_PORT_RECORDS; i++)
		if (is_linked(file, i))
			is_held(file, i);
}

/* The index of a record for the key that is free, or -1. */
static int find_free(struct shca_fabric_file *file, uint32_t key)
{
	uint32_t index = home_of(key);

	for (uint32_t i = 0; i < SHCA_PORT_RECORDS; i++, index = next_of(index))
		if (!is_linked(file, index))
			return (int)index;
	return -1;
}

/* A port that is free for all addresses of this port space, or 0. Under the fabric's lock. */
static uint16_t choose_port(struct shca_fabric_file *file, int port_space)
{
	static struct shca_port_range range;
	uint32_t count, start;

	shca_port_range_read(&range, SHCA_PORT_RANGE_FILE, shca_now());
	count = range.last - range.first + 1;
	if (getrandom(&start, sizeof(start), 0) != sizeof(start))
		start = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint16_t port = (uint16_t)(range.first + (start % count + i) % count);
		uint32_t index = SHCA_PORT_RECORDS;

		if (!next_record(file, key_of(port_space, port), &index))
			return port;
	}
	return 0;
}

/* Completes the record before it stores the key that links it. */
static void link_record(struct shca_fabric_file *file, uint32_t index, uint32_t key, const struct endpoint *endpoint,
			bool reuse, uint32_t id)
{
	struct shca_port_record *record = &file->records[index];

	atomic_store(&record->state, SHCA_PORT_BOUND);
	record->slot = shca_fabric_slot();
	record->nonce = shca_fabric_nonce(record->slot);
	record->id = id;
	record->family = endpoint->family;
	record->reuse = reuse;
	record->v6only = endpoint->v6only;
	record->scope = endpoint->scope;
	memcpy(record->address, endpoint->address, sizeof(record->address));
	atomic_store_explicit(&file->keys[index], key, memory_order_release);
}

static int bind_locked(struct shca_fabric_file *file, int port_space, struct sockaddr *address,
		       const struct endpoint *endpoint, bool reuse, uint32_t id)
{
	uint16_t port = port_of(address);
	int index;

	if (port && has_conflict(file, key_of(port_space, port), endpoint, reuse, UINT32_MAX))
		return -EADDRINUSE;
	if (!port) {
		port = choose_port(file, port_space);
		if (!port) {
			sweep_all(file);
			port = choose_port(file, port_space);
		}
		if (!port)
			return -EADDRNOTAVAIL;
	}
	index = find_free(file, key_of(port_space, port));
	if (index < 0) {
		sweep_all(file);
		index = find_free(file, key_of(port_space, port));
	}
	if (index < 0)
		return -ENOSPC;
	link_record(file, (uint32_t)index, key_of(port_space, port), endpoint, reuse, id);
	set_port(address, port);
	return index;
}

/* As with the kernel both ends are EADDRNOTAVAIL. */
static int report_failure(int error)
{
	static _Atomic uint64_t count;

	if (error == -ENOSPC)
		return shca_fail_seldom(&count, EADDRNOTAVAIL, "%s: the processes of this user have %u ports, and "
					"there are no more. End some, or set SOFTHCA_FABRIC to another name for those "
					"that need not talk to these", shca_fabric_path(), SHCA_PORT_RECORDS);
	if (error == -EADDRNOTAVAIL)
		return shca_fail_seldom(&count, EADDRNOTAVAIL, "no port of " SHCA_PORT_RANGE_FILE " is free");
	return error;
}

/* ---- the entry points ---- */

int shca_port_bind(int port_space, struct sockaddr *address, bool reuse, bool v6only, uint32_t id,
		   uint32_t *record)
{
	struct shca_fabric_file *file;
	struct endpoint endpoint;
	int index;

	if (port_space <= 0 || port_space >= 0xffff)
		return -EINVAL;
	if (!read_endpoint(address, v6only, &endpoint))
		return -EAFNOSUPPORT;
	file = shca_fabric_lock();
	if (!file)
		return -ENODEV;
	index = bind_locked(file, port_space, address, &endpoint, reuse, id);
	shca_fabric_unlock();
	if (index < 0)
		return report_failure(index);
	*record = (uint32_t)index;
	return 0;
}

static bool is_ours(const struct shca_fabric_file *file, uint32_t record)
{
	return record < SHCA_PORT_RECORDS && is_linked(file, record) &&
	       file->records[record].slot == shca_fabric_slot() &&
	       file->records[record].nonce == shca_fabric_nonce(shca_fabric_slot());
}

/* How many times this process has begun to listen. Under the fabric's lock. */
static unsigned long listens;

int shca_port_listen(uint32_t record)
{
	struct shca_fabric_file *file = shca_fabric_lock();
	struct endpoint endpoint;
	int result = -EINVAL;

	if (!file)
		return -ENODEV;
	if (is_ours(file, record)) {
		endpoint_of(&file->records[record], &endpoint);
		/* A listener does not share its port, whatever its reuse was. */
		result = has_conflict(file, atomic_load(&file->keys[record]), &endpoint, false, record) ?
			 -EADDRINUSE : 0;
		/* From now on the listener's port cannot be shared either. */
		if (!result) {
			file->records[record].reuse = false;
			atomic_store(&file->records[record].state, SHCA_PORT_LISTENING);
			listens++;
		}
	}
	shca_fabric_unlock();
	return result;
}

void shca_port_release(uint32_t record)
{
	struct shca_fabric_file *file = shca_fabric_lock();

	if (!file)
		return;
	if (is_ours(file, record))
		unlink_record(file, record);
	shca_fabric_unlock();
}

/* How exactly a listener's address matches the requested one: higher is better, 0 is no match. */
static int rank_of(const struct endpoint *listener, const struct endpoint *asked)
{
	if (is_same(listener, asked))
		return 3;
	if (listener->family == asked->family)
		return is_wildcard(listener) ? 2 : 0;
	return takes_ipv4(listener) ? 1 : 0;
}

static int find_locked(struct shca_fabric_file *file, uint32_t key, const struct endpoint *asked)
{
	uint32_t index = SHCA_PORT_RECORDS;
	int found = -ENOENT;
	int best = 0;

	while (next_record(file, key, &index)) {
		struct endpoint listener;
		int close;

		if (atomic_load(&file->records[index].state) != SHCA_PORT_LISTENING)
			continue;
		endpoint_of(&file->records[index], &listener);
		close = rank_of(&listener, asked);
		if (close > best && is_held(file, index)) {
			best = close;
			found = (int)index;
		}
	}
	return found;
}

int shca_port_find_listener(int port_space, const struct sockaddr *address, struct shca_port_owner *owner)
{
	struct shca_fabric_file *file;
	struct endpoint asked;
	int index;

	if (!read_endpoint(address, false, &asked))
		return -ENOENT;
	file = shca_fabric_lock();
	if (!file)
		return -ENOENT;
	index = find_locked(file, key_of(port_space, port_of(address)), &asked);
	if (index >= 0) {
		owner->slot = file->records[index].slot;
		owner->id = file->records[index].id;
	}
	shca_fabric_unlock();
	return index < 0 ? -ENOENT : 0;
}

bool shca_port_has_listener(uint16_t port, unsigned long times)
{
	struct shca_fabric_file *file = shca_fabric_lock();
	bool found = false;
	uint32_t i;

	if (!file)
		return false;
	for (i = 0; listens >= times && i < SHCA_PORT_RECORDS && !found; i++)
		found = (uint16_t)atomic_load(&file->keys[i]) == port && is_ours(file, i) &&
			atomic_load(&file->records[i].state) == SHCA_PORT_LISTENING;
	shca_fabric_unlock();
	return found;
}
