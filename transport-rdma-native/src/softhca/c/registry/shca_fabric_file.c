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

#include "registry/shca_fabric_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/shca_namespace.h"
#include "base/shca_say.h"
#include "base/shca_shared_memory.h"
#include "registry/shca_fabric_open.h"

static struct {
	pthread_mutex_t lock;			/* OFD locks do not exclude our own threads from each other */
	int fd;
	struct shca_fabric_file *file;
	_Atomic uint32_t slot;			/* 0: outside of the fabric */
} fabric = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1 };

/* Stands for any doorbell while this process is outside of the fabric. */
static _Atomic uint32_t no_doorbell;
static _Atomic uint32_t no_waker;
static _Atomic uint8_t no_set;

/* ---- slots ---- */

static uint64_t random_nonce(void)
{
	uint64_t nonce = 0;

	while (!nonce)
		if (getrandom(&nonce, sizeof(nonce), 0) != sizeof(nonce))
			nonce = 0;
	return nonce;
}

static void occupy(uint32_t number)
{
	struct shca_fabric_slot *slot = &fabric.file->slots[number];
	uint64_t before = atomic_load(&slot->nonce);

	/* The previous owner of the slot was killed. */
	if (before)
		shca_ports_sweep(fabric.file, number, before);
	atomic_store(&slot->nonce, 0);
	for (uint32_t set = 0; set < SHCA_LINK_SETS; set++) {
		atomic_store(&slot->sets[set].doorbell, 0);
		for (uint32_t i = 0; i < SHCA_WAKERS; i++)
			atomic_store(&slot->sets[set].wakers[i], 0);
	}
	for (uint32_t i = 0; i < SHCA_QP_BLOCKS; i++)
		atomic_store(&slot->set_of_block[i], 0);
	atomic_store(&slot->pid, (uint32_t)getpid());
	atomic_store(&slot->pid_namespace, shca_namespace("pid"));
	atomic_store(&slot->nonce, random_nonce());
	atomic_store(&fabric.file->last_slot, number);
}

static int take_slot(int fd)
{
	uint32_t last = atomic_load(&fabric.file->last_slot) % SHCA_FABRIC_SLOTS;
	uint32_t i;

	for (i = 1; i <= SHCA_FABRIC_SLOTS; i++) {
		uint32_t number = (last + i) % SHCA_FABRIC_SLOTS;

		if (!number || shca_fabric_lock_byte(fd, number, F_WRLCK, F_OFD_SETLK))
			continue;
		occupy(number);
		return (int)number;
	}
	return shca_fabric_fail(ENOSPC, "255 processes use the software device",
			"Set SOFTHCA_FABRIC to another name for those that need not talk to these");
}

/* The last process to leave removes the file. A failed try for the exclusive lock loses the shared one. */
static void remove_if_last(void)
{
	if (!flock(fabric.fd, LOCK_EX | LOCK_NB) && shca_fabric_is_linked(fabric.fd))
		unlink(shca_fabric_path());
}

static void close_file(void)
{
	if (fabric.file)
		munmap(fabric.file, sizeof(struct shca_fabric_file));
	fabric.file = NULL;
	remove_if_last();
	close(fabric.fd);
	fabric.fd = -1;
}

int shca_fabric_enter(void)
{
	int result = shca_fabric_choose_name();

	if (result)
		return result;
	pthread_mutex_lock(&fabric.lock);
	fabric.fd = shca_fabric_open();
	result = fabric.fd;
	if (fabric.fd >= 0) {
		result = shca_fabric_lock_byte(fabric.fd, SHCA_TABLES_BYTE, F_WRLCK, F_OFD_SETLKW);
		if (result)
			shca_fabric_fail(-result, "cannot be locked",
					 "Its file system must know open-file-description locks");
		else
			result = shca_fabric_map(fabric.fd, &fabric.file);
		if (!result)
			result = take_slot(fabric.fd);
		shca_fabric_lock_byte(fabric.fd, SHCA_TABLES_BYTE, F_UNLCK, F_OFD_SETLK);
		if (result > 0)
			atomic_store(&fabric.slot, (uint32_t)result);
		else
			close_file();
	}
	pthread_mutex_unlock(&fabric.lock);
	if (result < 0)
		return result;
	shca_fabric_remove_stale(shca_fabric_path());
	return 0;
}

void shca_fabric_leave(void)
{
	struct shca_fabric_file *file = shca_fabric_lock();
	uint32_t number = shca_fabric_slot();

	if (!file)
		return;
	shca_ports_sweep(file, number, shca_fabric_nonce(number));
	/*
	 * The slot keeps its nonce: a peer may not have accepted our HELLO yet, and must still handle what we sent with
	 * it.
	 */
	atomic_store(&fabric.slot, 0);
	shca_fabric_lock_byte(fabric.fd, SHCA_TABLES_BYTE, F_UNLCK, F_OFD_SETLK);
	close_file();
	pthread_mutex_unlock(&fabric.lock);
}

/*
 * For a program that exits with the device open: the kernel frees its slot, we remove the file. Other threads may still
 * run, so nothing is unmapped, and the lock stays until the process has ended.
 */
__attribute__((destructor)) static void remove_file_at_exit(void)
{
	if (pthread_mutex_trylock(&fabric.lock))
		return;
	if (fabric.fd >= 0)
		remove_if_last();
	pthread_mutex_unlock(&fabric.lock);
}

/* Closes the descriptor that would keep the parent's locks alive, and replaces its doorbells by private memory. */
void shca_fabric_forked(void)
{
	pthread_mutex_init(&fabric.lock, NULL);
	atomic_store(&fabric.slot, 0);
	if (fabric.fd >= 0)
		close(fabric.fd);
	fabric.fd = -1;
	if (fabric.file)
		shca_map_over(fabric.file, sizeof(struct shca_fabric_file), MAP_PRIVATE | MAP_NORESERVE, -1, 0);
}

/* ---- queries ---- */

uint32_t shca_fabric_slot(void)
{
	return atomic_load_explicit(&fabric.slot, memory_order_relaxed);
}

struct shca_fabric_file *shca_fabric_lock(void)
{
	pthread_mutex_lock(&fabric.lock);
	if (shca_fabric_slot() && !shca_fabric_lock_byte(fabric.fd, SHCA_TABLES_BYTE, F_WRLCK, F_OFD_SETLKW))
		return fabric.file;
	pthread_mutex_unlock(&fabric.lock);
	return NULL;
}

void shca_fabric_unlock(void)
{
	shca_fabric_lock_byte(fabric.fd, SHCA_TABLES_BYTE, F_UNLCK, F_OFD_SETLK);
	pthread_mutex_unlock(&fabric.lock);
}

/* F_OFD_GETLK does not report our own lock. */
static bool is_held(int fd, uint32_t slot)
{
	return slot == shca_fabric_slot() || shca_fabric_lock_byte(fd, slot, F_WRLCK, F_OFD_GETLK) > 0;
}

bool shca_fabric_slot_is_alive(uint32_t slot)
{
	return shca_fabric_nonce(slot) && is_held(fabric.fd, slot);
}

bool shca_fabric_owner_is_alive(uint32_t slot, uint64_t nonce)
{
	return shca_fabric_nonce(slot) == nonce && shca_fabric_slot_is_alive(slot);
}

uint64_t shca_fabric_nonce(uint32_t slot)
{
	if (!shca_fabric_slot() || !slot || slot >= SHCA_FABRIC_SLOTS)
		return 0;
	return atomic_load_explicit(&fabric.file->slots[slot].nonce, memory_order_acquire);
}

uint32_t shca_fabric_pid(uint32_t slot)
{
	if (!shca_fabric_slot() || !slot || slot >= SHCA_FABRIC_SLOTS)
		return 0;
	return atomic_load_explicit(&fabric.file->slots[slot].pid, memory_order_acquire);
}

uint32_t shca_fabric_visible_pid(uint32_t slot)
{
	if (!shca_fabric_slot() || !slot || slot >= SHCA_FABRIC_SLOTS ||
	    atomic_load(&fabric.file->slots[slot].pid_namespace) != shca_namespace("pid"))
		return 0;
	return shca_fabric_pid(slot);
}

bool shca_fabric_has_its_file(void)
{
	bool linked;

	pthread_mutex_lock(&fabric.lock);
	linked = fabric.fd >= 0 && shca_fabric_is_linked(fabric.fd);
	pthread_mutex_unlock(&fabric.lock);
	return linked;
}

_Atomic uint32_t *shca_fabric_doorbell(uint32_t slot, uint32_t set)
{
	if (!shca_fabric_slot() || slot >= SHCA_FABRIC_SLOTS)
		return &no_doorbell;
	return &fabric.file->slots[slot].sets[set].doorbell;
}

_Atomic uint32_t *shca_fabric_waker(uint32_t slot, uint32_t set, uint32_t waker)
{
	if (!shca_fabric_slot() || slot >= SHCA_FABRIC_SLOTS)
		return &no_waker;
	return &fabric.file->slots[slot].sets[set].wakers[waker - 1];
}

_Atomic uint8_t *shca_fabric_set_of_block(uint32_t slot, uint32_t block)
{
	if (!shca_fabric_slot() || slot >= SHCA_FABRIC_SLOTS)
		return &no_set;
	return &fabric.file->slots[slot].set_of_block[block];
}

/* The name needs no network namespace: abstract sockets are separate in each. shca_fabric_absent.c reads it. */
static void socket_name(uint32_t slot, uint64_t nonce, char *name, size_t size)
{
	snprintf(name, size, SHCA_SOCKET_FORMAT, (unsigned int)geteuid(), shca_fabric_suffix(), slot,
		 (unsigned long long)nonce);
}

void shca_fabric_socket_name(uint32_t slot, char *name, size_t size)
{
	socket_name(slot, shca_fabric_nonce(slot), name, size);
}

/*
 * Under the tables' lock, so no process is between locking a slot and writing its pid there. A process that left a slot
 * left its pid there, and may have another slot now.
 */
static int find_process(int fd, struct shca_fabric_file *file, struct shca_process_name name, char *socket,
			size_t size)
{
	uint32_t i;

	for (i = 1; i < SHCA_FABRIC_SLOTS; i++) {
		uint64_t nonce = atomic_load(&file->slots[i].nonce);

		if (!nonce || atomic_load(&file->slots[i].pid) != name.pid ||
		    atomic_load(&file->slots[i].pid_namespace) != name.namespace || !is_held(fd, i))
			continue;
		socket_name(i, nonce, socket, size);
		return 0;
	}
	return -ESRCH;
}

/* From outside the fabric the file is only read, and no slot is taken. */
static int find_from_outside(struct shca_process_name name, char *socket, size_t size)
{
	struct shca_fabric_file *file;
	int result = shca_fabric_choose_name();
	int fd;

	if (result)
		return result;
	fd = shca_fabric_read(&file);
	if (fd < 0)
		return fd;
	result = find_process(fd, file, name, socket, size);
	munmap(file, sizeof(*file));
	close(fd);
	return result;
}

int shca_fabric_find_process(uint32_t pid, char *socket, size_t size)
{
	struct shca_process_name name = shca_process_name(pid);
	struct shca_fabric_file *file = shca_fabric_lock();
	int result;

	if (file) {
		result = find_process(fabric.fd, file, name, socket, size);
		shca_fabric_unlock();
		return result;
	}
	pthread_mutex_lock(&fabric.lock);
	result = find_from_outside(name, socket, size);
	pthread_mutex_unlock(&fabric.lock);
	return result;
}
