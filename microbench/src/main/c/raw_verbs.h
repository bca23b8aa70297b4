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
 * What the files of raw_verbs share: two processes, a socket between them, and how figures are printed.
 * client is true in the process that measures and prints; the other answers.
 */
#ifndef RAW_VERBS_H
#define RAW_VERBS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALL		64u
#define LARGE		(1u << 20)
#define MAX_SAMPLES	(1u << 20)

#define CHECK(condition) do {									\
	if (!(condition)) {									\
		fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, strerror(errno)); \
		exit(1);									\
	}											\
} while (0)

extern uint8_t *memory;		/* LARGE to send from, LARGE to receive into */
extern double seconds;		/* for each bandwidth */
extern int peer;		/* socket to the other process */

/* ---- raw_processes.c ---- */

double now(void);		/* s */
void send_bytes(const void *data, size_t size);
void hear(void *data, size_t size);
void meet(void);
/* samples are round trips in s, and are sorted; what is printed are halves. */
void print_latency(const char *what, double *samples, unsigned int count);
void print_rate(const char *what, uint32_t size, double count, double took);

/* ---- raw_baselines.c: what the machine does without a device ---- */

/* Before the fork. */
void share_words(void);
void word_round_trip(bool client);
void plain_memcpy(uint32_t size, const char *what);
void tcp(bool client);

#endif
