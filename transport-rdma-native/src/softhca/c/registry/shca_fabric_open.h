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
 * The file of a fabric: its name, its locks, and its memory. Its processes are in shca_fabric_file.c. All with the lock
 * of that file.
 */
#ifndef SHCA_FABRIC_OPEN_H
#define SHCA_FABRIC_OPEN_H

#include <fcntl.h>
#include <stdbool.h>

#include "registry/shca_fabric_layout.h"

/* Of SOFTHCA_FABRIC: keeps a socket's name, with the largest numbers, within its 107 bytes. */
#define SHCA_FABRIC_NAME	64
/* The byte that is locked for changes of the tables; a slot's lock is on the byte of its number. */
#define SHCA_TABLES_BYTE	SHCA_FABRIC_SLOTS

/* Makes the name of the environment. Returns 0, or -errno after a line on stderr. The next two are of that name. */
int shca_fabric_choose_name(void);
const char *shca_fabric_path(void);
const char *shca_fabric_suffix(void);

/* Prints a line about the file, with the cure. Returns -error. */
int shca_fabric_fail(int error, const char *what, const char *cure);
/*
 * Opens the file, and makes it if there is none, with a shared flock: this process is in. Returns a descriptor, or
 * -errno after a line on stderr that names the file and the cure.
 */
int shca_fabric_open(void);
/* Whether the name still leads to the open file. */
bool shca_fabric_is_linked(int fd);
/* fcntl with an open-file-description lock. Returns 0, 1 for F_OFD_GETLK of a lock that is held, or -errno. */
int shca_fabric_lock_byte(int fd, unsigned int byte, short type, int command);
/*
 * With the tables' lock: maps the file, and completes it if it is not complete. Returns 0, or -errno after a line on
 * stderr.
 */
int shca_fabric_map(int fd, struct shca_fabric_file **file);
/*
 * Maps the file to read it, from outside of the fabric, with the tables' lock. Returns a descriptor, whose closing
 * releases the lock, or -ESRCH: this user has no such file.
 */
int shca_fabric_read(struct shca_fabric_file **file);

#endif
