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

#include "address/shca_address_number.h"

#include <pthread.h>
#include <string.h>

#define NUMBERS	1024u

struct entry {
	uint32_t users;		/* handles; 0: free */
	uint32_t pd;
	union ibv_gid gid;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry entries[NUMBERS];
static uint32_t end;		/* entries from here on have never been used */

/* Under the lock. A machine has one GID, so the walk is as long as there are domains. */
static uint32_t find(uint32_t pd, const union ibv_gid *gid)
{
	for (uint32_t i = 0; i < end; i++)
		if (entries[i].users && entries[i].pd == pd && !memcmp(&entries[i].gid, gid, sizeof(*gid)))
			return i;
	return SHCA_UNKNOWN_SENDER;
}

static uint32_t find_free(void)
{
	uint32_t i;

	for (i = 0; i < end && entries[i].users; i++)
		;
	if (i == NUMBERS)
		return SHCA_UNKNOWN_SENDER;
	if (i == end)
		end++;
	return i;
}

uint32_t shca_address_number_acquire(uint32_t pd, const union ibv_gid *gid)
{
	uint32_t number;

	pthread_mutex_lock(&lock);
	number = find(pd, gid);
	if (number == SHCA_UNKNOWN_SENDER) {
		number = find_free();
		if (number != SHCA_UNKNOWN_SENDER) {
			entries[number].pd = pd;
			entries[number].gid = *gid;
		}
	}
	if (number != SHCA_UNKNOWN_SENDER)
		entries[number].users++;
	pthread_mutex_unlock(&lock);
	return number;
}

void shca_address_number_release(uint32_t number)
{
	pthread_mutex_lock(&lock);
	entries[number].users--;
	pthread_mutex_unlock(&lock);
}

uint32_t shca_address_number_of(uint32_t pd, const union ibv_gid *gid)
{
	uint32_t number;

	pthread_mutex_lock(&lock);
	number = find(pd, gid);
	pthread_mutex_unlock(&lock);
	return number;
}
