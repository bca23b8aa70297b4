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

/* Lines of the device on stderr, each of which begins with "softhca: ", and the reasons of failed calls. */
#ifndef SHCA_SAY_H
#define SHCA_SAY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Prints the line. Any thread, with any lock held. Leaves errno alone, as the others do. */
__attribute__((format(printf, 1, 2))) void shca_say(const char *format, ...);

/*
 * For events that a peer or a foreign process can cause at will: prints the line the first, tenth, hundredth ... time,
 * from the tenth on with the count.
 */
__attribute__((format(printf, 2, 3))) void shca_say_seldom(_Atomic uint64_t *count, const char *format, ...);

/*
 * Prints why a call of the program fails, and keeps the text for shca_reason: an error number alone does not say what
 * is missing where. Returns -error.
 */
__attribute__((format(printf, 2, 3))) int shca_fail(int error, const char *format, ...);

/* Both: prints the line seldom, and keeps the text each time. */
__attribute__((format(printf, 3, 4))) int shca_fail_seldom(_Atomic uint64_t *count, int error, const char *format, ...);

/*
 * The text of this thread's last shca_fail, without "softhca: ", if that was with this error number; else NULL. Forgets
 * it: it belongs to one call. Valid until this thread's next shca_fail.
 */
const char *shca_reason(int error);

#endif
