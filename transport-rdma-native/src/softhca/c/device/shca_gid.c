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
 * The GIDs of the port: one for each address of the machine, as with RoCE. An entry keeps its index as long as the
 * address exists. A new address may take the entry of one that is gone.
 */
#include "device/shca_gid.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/shca_clock.h"
#include "base/shca_namespace.h"
#include "base/shca_say.h"
#include "personality/shca_personality.h"

/* An address vector has 8 bits for the index. */
#define TABLE_LENGTH	256
/* Maximum age of the table when a GID is not in it. An address that was just added is found a moment later. */
#define REFRESH_NS	100000000u

struct entry {
	union ibv_gid gid;
	uint32_t interface;
	bool used;
	bool seen;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry table[TABLE_LENGTH];
static uint64_t refreshed_at;
static unsigned int left_out;		/* by the last refresh */
static int failure;		/* why the table is as it was before; 0: it is the machine's */

/* ---- the GUID: the same for all processes of the user in this network namespace, and different for all others ---- */

static uint64_t hash(uint64_t h, const void *data, size_t size)
{
	const uint8_t *bytes = data;
	size_t i;

	/* FNV-1a */
	for (i = 0; i < size; i++)
		h = (h ^ bytes[i]) * 0x100000001b3;
	return h;
}

/* The kernel's id of this boot: containers share it with their host, but not the host's name. */
static void name_machine(char *name, size_t size)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	bool found = file && fgets(name, (int)size, file);

	if (file)
		fclose(file);
	if (!found)
		gethostname(name, size - 1);
}

__be64 shca_guid(void)
{
	uint64_t guid = 0xcbf29ce484222325;
	uint64_t network = shca_namespace("net");
	uid_t user = geteuid();
	char name[256] = "";
	uint8_t bytes[8];
	__be64 result;

	name_machine(name, sizeof(name));
	guid = hash(guid, name, strlen(name));
	guid = hash(guid, &user, sizeof(user));
	guid = hash(guid, &network, sizeof(network));
	memcpy(bytes, &guid, sizeof(bytes));
	/* Locally administered, unicast. */
	bytes[0] = (uint8_t)((bytes[0] & ~1u) | 2u);
	memcpy(&result, bytes, sizeof(result));
	return result;
}

/* ---- the table, under the lock ---- */

static bool to_gid(const struct sockaddr *address, union ibv_gid *gid)
{
	memset(gid, 0, sizeof(*gid));
	if (address->sa_family == AF_INET) {
		gid->raw[10] = 0xff;
		gid->raw[11] = 0xff;
		memcpy(&gid->raw[12], &((const struct sockaddr_in *)address)->sin_addr, 4);
		return true;
	}
	if (address->sa_family == AF_INET6) {
		memcpy(gid->raw, &((const struct sockaddr_in6 *)address)->sin6_addr, 16);
		return true;
	}
	return false;
}

static bool is_usable(const struct ifaddrs *address, union ibv_gid *gid)
{
	return address->ifa_addr && address->ifa_flags & IFF_UP && to_gid(address->ifa_addr, gid);
}

int shca_gid_count(void)
{
	return (int)shca_personality()->gids;
}

static struct entry *find(const union ibv_gid *gid, const uint32_t *interface)
{
	int i;

	for (i = 0; i < shca_gid_count(); i++) {
		if (table[i].used && !memcmp(&table[i].gid, gid, sizeof(*gid)) &&
		    (!interface || table[i].interface == *interface))
			return &table[i];
	}
	return NULL;
}

/* An address keeps its index as long as the machine has it. */
static void keep(const union ibv_gid *gid, uint32_t interface)
{
	struct entry *entry = find(gid, &interface);

	if (entry)
		entry->seen = true;
}

static void add(const union ibv_gid *gid, uint32_t interface)
{
	struct entry *entry = find(gid, &interface);

	for (int i = 1; !entry && i < TABLE_LENGTH; i++)
		if (!table[i].used)
			entry = &table[i];
	if (!entry) {
		left_out++;
		return;
	}
	entry->gid = *gid;
	entry->interface = interface;
	entry->used = true;
	entry->seen = true;
}

static void add_default(void)
{
	__be64 guid = shca_guid();

	table[0].gid.raw[0] = 0xfe;
	table[0].gid.raw[1] = 0x80;
	memcpy(&table[0].gid.raw[8], &guid, sizeof(guid));
	table[0].interface = if_nametoindex("lo");
	table[0].used = true;
}

/*
 * The addresses of a machine that has more than the table holds: those without which nothing works, then those that
 * programs use, and at the end what each bridge and each container's interface has.
 */
enum rank { LOOPBACK, OTHER, LINK_LOCAL, RANKS };

static enum rank rank_of(const struct sockaddr *address)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)address;

	if (address->sa_family == AF_INET)
		return ((const struct sockaddr_in *)address)->sin_addr.s_addr == htonl(INADDR_LOOPBACK) ? LOOPBACK :
		       OTHER;
	if (IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr))
		return LOOPBACK;
	return IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr) ? LINK_LOCAL : OTHER;
}

static void for_each_of_rank(const struct ifaddrs *all, enum rank rank,
			     void (*act)(const union ibv_gid *gid, uint32_t interface))
{
	const char *name = "";
	uint32_t interface = 0;

	for (const struct ifaddrs *one = all; one; one = one->ifa_next) {
		union ibv_gid gid;

		if (!is_usable(one, &gid) || rank_of(one->ifa_addr) != rank)
			continue;
		if (strcmp(name, one->ifa_name)) {
			name = one->ifa_name;
			interface = if_nametoindex(name);
		}
		act(&gid, interface);
	}
}

static void for_each_by_rank(const struct ifaddrs *all, void (*act)(const union ibv_gid *gid, uint32_t interface))
{
	for (unsigned int rank = 0; rank < RANKS && shca_gid_count() > 1; rank++)
		for_each_of_rank(all, (enum rank)rank, act);
}

static void refresh(void)
{
	static bool said;
	struct ifaddrs *all;

	failure = getifaddrs(&all) ? errno : 0;
	/* The next caller tries again. */
	refreshed_at = failure ? 0 : shca_now();
	if (failure)
		return;
	add_default();
	left_out = 0;
	for (int i = 1; i < TABLE_LENGTH; i++)
		table[i].seen = false;
	for_each_by_rank(all, keep);
	for (int i = 1; i < TABLE_LENGTH; i++)
		table[i].used = table[i].used && table[i].seen;
	for_each_by_rank(all, add);
	freeifaddrs(all);
	if (left_out && !said)
		shca_say("this machine has %u addresses more than the %d that have a GID", left_out, TABLE_LENGTH - 1);
	said = said || left_out;
}

static bool is_stale(void)
{
	return !refreshed_at || shca_now() - refreshed_at > REFRESH_NS;
}

/* ---- for callers ---- */

int shca_gid_failure(void)
{
	int error;

	pthread_mutex_lock(&lock);
	error = failure;
	pthread_mutex_unlock(&lock);
	return error;
}

int shca_gid_at(int index, union ibv_gid *gid, uint32_t *interface)
{
	int ret = -ENODATA;

	if (index < 0 || index >= shca_gid_count())
		return -EINVAL;
	pthread_mutex_lock(&lock);
	if (is_stale())
		refresh();
	if (table[index].used) {
		*gid = table[index].gid;
		if (interface)
			*interface = table[index].interface;
		ret = 0;
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

int shca_gid_find(const union ibv_gid *gid, uint32_t interface)
{
	int found = -1;

	pthread_mutex_lock(&lock);
	if (is_stale())
		refresh();
	/* Index 0 is made of the GUID. */
	for (int i = 1; i < shca_gid_count() && found < 0; i++)
		if (table[i].used && !memcmp(&table[i].gid, gid, sizeof(*gid)) &&
		    (!interface || table[i].interface == interface))
			found = i;
	pthread_mutex_unlock(&lock);
	return found;
}

bool shca_gid_is_left_out(const union ibv_gid *gid)
{
	struct ifaddrs *all;
	bool found = false;

	pthread_mutex_lock(&lock);
	if (left_out && !find(gid, NULL) && !getifaddrs(&all)) {
		for (const struct ifaddrs *one = all; one && !found; one = one->ifa_next) {
			union ibv_gid each;

			found = is_usable(one, &each) && !memcmp(&each, gid, sizeof(each));
		}
		freeifaddrs(all);
	}
	pthread_mutex_unlock(&lock);
	return found;
}

bool shca_gid_is_local(const union ibv_gid *gid)
{
	bool found;

	pthread_mutex_lock(&lock);
	found = find(gid, NULL) != NULL;
	if (!found && is_stale()) {
		refresh();
		found = find(gid, NULL) != NULL;
	}
	pthread_mutex_unlock(&lock);
	return found;
}
