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

#include "fabric/shca_fabric_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/shca_say.h"
#include "base/shca_shared_memory.h"

/* Keeps a socket's name, with the largest numbers, within its 107 bytes. */
#define MAX_FABRIC_NAME	64
/* The byte that is locked for changes of the tables; a slot's lock is on the byte of its number. */
#define TABLES_BYTE	SHCA_FABRIC_SLOTS

static struct {
	pthread_mutex_t lock;			/* OFD locks do not exclude our own threads from each other */
	int fd;
	struct shca_fabric_file *file;
	_Atomic uint32_t slot;			/* 0: outside of the fabric */
	char suffix[MAX_FABRIC_NAME + 1];	/* SOFTHCA_FABRIC */
	char path[PATH_MAX];
} fabric = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1 };

/* Stands for any doorbell while this process is outside of the fabric. */
static _Atomic uint32_t no_doorbell;
static _Atomic uint32_t no_waker;

/* ---- the file ---- */

static int complain(int error, const char *what, const char *cure)
{
	return shca_fail(error, "%s %s: %s. %s", fabric.path, what, strerror(error), cure);
}

/* What helps when the file cannot be opened or made. */
static const char *cure_for(int error)
{
	switch (error) {
	case ENOSPC:
	case EDQUOT:
		return "Free some space in its directory or make it larger (docker run --shm-size), or set "
		       "SOFTHCA_DIR to another directory in memory";
	case EFBIG:
		return "Raise the limit of file sizes (ulimit -f)";
	case EMFILE:
	case ENFILE:
		return "Raise the limit of descriptors (ulimit -n)";
	case EINVAL:
	case EOPNOTSUPP:
		return "Its file system cannot do this; set SOFTHCA_DIR to a directory of a tmpfs";
	case ENOENT:
		return "Mount a tmpfs at its directory, or set SOFTHCA_DIR to a directory in memory that exists";
	default:
		return "Set SOFTHCA_DIR to a directory in memory that this user may write to";
	}
}

/* The network namespace: addresses and abstract sockets belong to one. */
static unsigned long network_namespace(void)
{
	struct stat status;

	return stat("/proc/self/ns/net", &status) ? 0 : (unsigned long)status.st_ino;
}

static int choose_name(void)
{
	const char *directory = getenv("SOFTHCA_DIR");
	const char *suffix = getenv("SOFTHCA_FABRIC");
	size_t length;

	if (!directory || !*directory)
		directory = "/dev/shm";
	if (!suffix)
		suffix = "";
	if (strlen(suffix) > MAX_FABRIC_NAME || strchr(suffix, '/')) {
		return shca_fail(EINVAL, "SOFTHCA_FABRIC=%s: at most %d characters and no slash, please", suffix,
				 MAX_FABRIC_NAME);
	}
	memcpy(fabric.suffix, suffix, strlen(suffix) + 1);
	length = (size_t)snprintf(fabric.path, sizeof(fabric.path), "%s/softhca.%u.%lu%s%s", directory,
				  (unsigned int)geteuid(), network_namespace(), *suffix ? "." : "", suffix);
	if (length < sizeof(fabric.path))
		return 0;
	return shca_fail(ENAMETOOLONG, "SOFTHCA_DIR=%.64s...: too long a path", directory);
}

static int check_owner(const struct stat *status)
{
	if (!S_ISREG(status->st_mode) || status->st_uid != geteuid() || (status->st_mode & 077))
		return complain(EACCES, "is not a file of this user alone (mode 0600)",
				"Remove it, or choose another directory by SOFTHCA_DIR");
	return 0;
}

/* Whether the path still leads to the open file. */
static bool is_linked(int fd, struct stat *status)
{
	struct stat named;

	return !fstat(fd, status) && !stat(fabric.path, &named) && named.st_dev == status->st_dev &&
	       named.st_ino == status->st_ino;
}

/* Called before the file is locked: another user who may open the file could hold a lock for ever. */
static int check_owner_of(int fd)
{
	struct stat status;

	return fstat(fd, &status) ? -errno : check_owner(&status);
}

/*
 * Opens the file and takes a shared flock: we are in. The last process to leave may unlink the file between our open
 * and flock, so open it again then.
 */
static int open_file(void)
{
	struct stat status;
	int error;
	int fd;

	for (;;) {
		fd = open(fabric.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd < 0)
			return complain(errno, "cannot be opened", cure_for(errno));
		error = check_owner_of(fd);
		if (error) {
			close(fd);
			return error;
		}
		while (flock(fd, LOCK_SH) && errno == EINTR)
			;
		if (is_linked(fd, &status))
			return fd;
		close(fd);
	}
}

static int lock_byte(int fd, unsigned int byte, short type, int command)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };
	int result;

	do
		result = fcntl(fd, command, &lock);
	while (result && errno == EINTR);
	return result ? -errno : command == F_OFD_GETLK && lock.l_type != F_UNLCK;
}

/* The version that the file has; 0: nobody has completed it. */
static uint64_t version_of(int fd)
{
	uint64_t version = 0;

	static_assert(offsetof(struct shca_fabric_file, version) == 0, "the version is found in any file");
	return pread(fd, &version, sizeof(version), 0) == sizeof(version) ? version : 0;
}

/*
 * Under the tables' lock, so one process completes the file before others read it. A process killed here leaves version
 * 0, and the next one reserves the file again: nobody has mapped it before.
 */
static int map_file(int fd)
{
	const size_t size = sizeof(struct shca_fabric_file);
	uint64_t version = version_of(fd);
	struct stat status;
	int result = 0;
	void *memory;

	if (!version)
		result = shca_reserve(fd, size);
	if (result)
		return complain(-result, "cannot get the space that it needs", cure_for(-result));
	if ((version && version != SHCA_FABRIC_VERSION) || fstat(fd, &status) || status.st_size != (off_t)size)
		return complain(EPROTO, "was written by another version of softhca",
				"End the programs that use it, or set SOFTHCA_FABRIC to another name for this one");
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return complain(errno, "cannot be mapped", "Raise the limit of address space (ulimit -v)");
	fabric.file = memory;
	if (!version)
		atomic_store(&fabric.file->version, SHCA_FABRIC_VERSION);
	return 0;
}

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
	atomic_store(&slot->doorbell, 0);
	for (uint32_t i = 0; i < SHCA_WAKERS; i++)
		atomic_store(&slot->wakers[i], 0);
	atomic_store(&slot->pid, (uint32_t)getpid());
	atomic_store(&slot->nonce, random_nonce());
	atomic_store(&fabric.file->last_slot, number);
}

static int take_slot(int fd)
{
	uint32_t last = atomic_load(&fabric.file->last_slot) % SHCA_FABRIC_SLOTS;
	uint32_t i;

	for (i = 1; i <= SHCA_FABRIC_SLOTS; i++) {
		uint32_t number = (last + i) % SHCA_FABRIC_SLOTS;

		if (!number || lock_byte(fd, number, F_WRLCK, F_OFD_SETLK))
			continue;
		occupy(number);
		return (int)number;
	}
	return complain(ENOSPC, "255 processes use the software device",
			"Set SOFTHCA_FABRIC to another name for those that need not talk to these");
}

/* The last process to leave removes the file. A failed try for the exclusive lock loses the shared one. */
static void remove_if_last(void)
{
	struct stat status;

	if (!flock(fabric.fd, LOCK_EX | LOCK_NB) && is_linked(fabric.fd, &status))
		unlink(fabric.path);
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
	int result = choose_name();

	if (result)
		return result;
	pthread_mutex_lock(&fabric.lock);
	fabric.fd = open_file();
	result = fabric.fd;
	if (fabric.fd >= 0) {
		result = lock_byte(fabric.fd, TABLES_BYTE, F_WRLCK, F_OFD_SETLKW);
		if (result)
			complain(-result, "cannot be locked", "Its file system must know open-file-description locks");
		else
			result = map_file(fabric.fd);
		if (!result)
			result = take_slot(fabric.fd);
		lock_byte(fabric.fd, TABLES_BYTE, F_UNLCK, F_OFD_SETLK);
		if (result > 0)
			atomic_store(&fabric.slot, (uint32_t)result);
		else
			close_file();
	}
	pthread_mutex_unlock(&fabric.lock);
	if (result < 0)
		return result;
	shca_fabric_remove_stale(fabric.path);
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
	lock_byte(fabric.fd, TABLES_BYTE, F_UNLCK, F_OFD_SETLK);
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
	if (shca_fabric_slot() && !lock_byte(fabric.fd, TABLES_BYTE, F_WRLCK, F_OFD_SETLKW))
		return fabric.file;
	pthread_mutex_unlock(&fabric.lock);
	return NULL;
}

void shca_fabric_unlock(void)
{
	lock_byte(fabric.fd, TABLES_BYTE, F_UNLCK, F_OFD_SETLK);
	pthread_mutex_unlock(&fabric.lock);
}

/* F_OFD_GETLK does not report our own lock. */
static bool is_held(int fd, uint32_t slot)
{
	return slot == shca_fabric_slot() || lock_byte(fd, slot, F_WRLCK, F_OFD_GETLK) > 0;
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

_Atomic uint32_t *shca_fabric_doorbell(uint32_t slot)
{
	if (!shca_fabric_slot() || slot >= SHCA_FABRIC_SLOTS)
		return &no_doorbell;
	return &fabric.file->slots[slot].doorbell;
}

_Atomic uint32_t *shca_fabric_waker(uint32_t slot, uint32_t waker)
{
	if (!shca_fabric_slot() || slot >= SHCA_FABRIC_SLOTS)
		return &no_waker;
	return &fabric.file->slots[slot].wakers[waker - 1];
}

/* The name needs no network namespace: abstract sockets are separate in each. */
static void socket_name(uint32_t slot, uint64_t nonce, char *name, size_t size)
{
	snprintf(name, size, "softhca.%u.%s/%u.%016llx", (unsigned int)geteuid(), fabric.suffix, slot,
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
static int find_pid(int fd, struct shca_fabric_file *file, uint32_t pid, char *name, size_t size)
{
	uint32_t i;

	for (i = 1; i < SHCA_FABRIC_SLOTS; i++) {
		uint64_t nonce = atomic_load(&file->slots[i].nonce);

		if (!nonce || atomic_load(&file->slots[i].pid) != pid || !is_held(fd, i))
			continue;
		socket_name(i, nonce, name, size);
		return 0;
	}
	return -ESRCH;
}

/* From outside the fabric the file is only read, and no slot is taken. Closing fd releases the tables' lock. */
static int find_from_outside(uint32_t pid, char *name, size_t size)
{
	struct shca_fabric_file *file;
	int result = choose_name();
	struct stat status;
	int fd;

	if (result)
		return result;
	fd = open(fabric.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -ESRCH;
	result = -ESRCH;
	if (!fstat(fd, &status) && status.st_size == sizeof(*file) && !check_owner(&status) &&
	    !lock_byte(fd, TABLES_BYTE, F_RDLCK, F_OFD_SETLKW)) {
		file = mmap(NULL, sizeof(*file), PROT_READ, MAP_SHARED, fd, 0);
		if (file != MAP_FAILED) {
			if (atomic_load(&file->version) == SHCA_FABRIC_VERSION)
				result = find_pid(fd, file, pid, name, size);
			munmap(file, sizeof(*file));
		}
	}
	close(fd);
	return result;
}

int shca_fabric_find_process(uint32_t pid, char *name, size_t size)
{
	struct shca_fabric_file *file = shca_fabric_lock();
	int result;

	if (file) {
		result = find_pid(fabric.fd, file, pid, name, size);
		shca_fabric_unlock();
		return result;
	}
	pthread_mutex_lock(&fabric.lock);
	result = find_from_outside(pid, name, size);
	pthread_mutex_unlock(&fabric.lock);
	return result;
}
