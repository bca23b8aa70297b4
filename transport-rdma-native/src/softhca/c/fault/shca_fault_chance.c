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

#include "fault/shca_fault_chance.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/shca_say.h"
#include "fault/shca_fault.h"

/*
 * A plan that many threads read while one may change it. Each field is read by itself: an occasion during the change
 * may see a mixture of both plans.
 */
struct fault {
	_Atomic uint64_t asked;
	_Atomic uint32_t probability;
	_Atomic uint32_t duration;
	_Atomic uint64_t first;
	_Atomic uint64_t last;
};

_Atomic bool shca_faults_active;
static struct fault faults[SHCA_FAULT_KINDS] = {
	[SHCA_FAULT_REORDER] = { .probability = SHCA_FAULT_CERTAIN, .duration = SHCA_FAULT_WINDOW },
};
static _Atomic uint64_t current_seed;
static bool seed_known;				/* under setting */
/* The plans that "off" keeps; set once, before the first occasion. */
static struct shca_fault_plan always[SHCA_FAULT_KINDS] = {
	[SHCA_FAULT_REORDER] = { .probability = SHCA_FAULT_CERTAIN, .duration = SHCA_FAULT_WINDOW },
};
static pthread_mutex_t setting = PTHREAD_MUTEX_INITIALIZER;

static uint64_t mix(uint64_t z)
{
	z += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* splitmix64 of all three, each mixed in before the next, so that neighbouring seeds have nothing in common. */
static uint64_t chance(uint64_t seed, enum shca_fault_kind kind, uint64_t n)
{
	return mix(mix(mix(seed) ^ (uint64_t)kind) ^ n);
}

static uint64_t seed(void)
{
	return atomic_load_explicit(&current_seed, memory_order_relaxed);
}

static uint64_t next_occasion(struct fault *fault)
{
	return atomic_fetch_add_explicit(&fault->asked, 1, memory_order_relaxed) + 1;
}

static bool is_hit(enum shca_fault_kind kind, uint64_t n)
{
	struct fault *fault = &faults[kind];
	uint32_t probability = atomic_load_explicit(&fault->probability, memory_order_relaxed);

	if (n >= atomic_load_explicit(&fault->first, memory_order_relaxed) &&
	    n <= atomic_load_explicit(&fault->last, memory_order_relaxed))
		return true;
	return probability && chance(seed(), kind, n) % SHCA_FAULT_CERTAIN < probability;
}

bool shca_fault_happens(enum shca_fault_kind kind)
{
	return is_hit(kind, next_occasion(&faults[kind]));
}

uint32_t shca_fault_duration(enum shca_fault_kind kind)
{
	return shca_fault_happens(kind) ? atomic_load_explicit(&faults[kind].duration, memory_order_relaxed) : 0;
}

uint32_t shca_fault_window(void)
{
	return atomic_load_explicit(&faults[SHCA_FAULT_REORDER].duration, memory_order_relaxed);
}

uint32_t shca_fault_choose(uint32_t count)
{
	uint64_t n = next_occasion(&faults[SHCA_FAULT_REORDER]);

	if (!is_hit(SHCA_FAULT_REORDER, n))
		return 0;
	/* Independent of the number that decided whether. */
	return (uint32_t)(chance(seed(), SHCA_FAULT_KINDS, n) % count);
}

/* ---- setting ---- */

static void set_plan(struct fault *fault, const struct shca_fault_plan *plan)
{
	/* No fault happens while the other fields change; the count restarts. */
	atomic_store(&fault->probability, 0);
	atomic_store(&fault->last, 0);
	atomic_store(&fault->duration, plan->duration);
	atomic_store(&fault->first, plan->first);
	atomic_store(&fault->asked, 0);
	atomic_store(&fault->last, plan->last);
	atomic_store(&fault->probability, plan->probability);
}

static uint64_t chosen_seed(void)
{
	struct timespec now;
	uint64_t ns;

	clock_gettime(CLOCK_REALTIME, &now);
	ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	return mix(mix(ns) ^ (uint64_t)getpid()) % SHCA_FAULT_CERTAIN;
}

static bool any_is_set(void)
{
	/* The order of SRD, the last kind, is no fault: it is asked for without this. */
	for (int kind = 0; kind < SHCA_FAULT_REORDER; kind++)
		if (atomic_load(&faults[kind].probability) || atomic_load(&faults[kind].last))
			return true;
	return false;
}

static void apply(const struct shca_fault_specification *specification, const char *text)
{
	bool was_active = atomic_load(&shca_faults_active);
	bool active;

	for (int kind = 0; kind < SHCA_FAULT_KINDS; kind++)
		if (specification->off || specification->named[kind] || specification->has_seed)
			atomic_store(&faults[kind].asked, 0);
	if (specification->has_seed)
		atomic_store(&current_seed, specification->seed);
	seed_known |= specification->has_seed;
	for (int kind = 0; kind < SHCA_FAULT_KINDS; kind++)
		if (specification->named[kind])
			set_plan(&faults[kind], &specification->plans[kind]);
		else if (specification->off)
			set_plan(&faults[kind], &always[kind]);
	active = any_is_set();
	if (active && !seed_known) {
		atomic_store(&current_seed, chosen_seed());
		seed_known = true;
	}
	/* A seed that we chose must be printed. The user knows a seed that he gave, so SOFTHCA_QUIET may hide it. */
	if (active && !was_active && !(specification->has_seed && getenv("SOFTHCA_QUIET")))
		shca_say("process %d: faults \"%s\" with seed=%" PRIu64, (int)getpid(), text,
			 atomic_load(&current_seed));
	atomic_store(&shca_faults_active, active);
}

int shca_fault_set(const char *text)
{
	struct shca_fault_specification specification = { 0 };
	int ret = shca_fault_read(text, &specification);

	if (ret)
		return ret;
	pthread_mutex_lock(&setting);
	apply(&specification, text);
	pthread_mutex_unlock(&setting);
	return 0;
}

static void read_always(const char *text)
{
	struct shca_fault_specification specification = { 0 };

	if (shca_fault_read(text, &specification))
		return;
	for (int kind = 0; kind < SHCA_FAULT_KINDS; kind++)
		if (specification.named[kind])
			always[kind] = specification.plans[kind];
	shca_fault_set(text);
}

static void read_environment(void)
{
	const char *common = getenv("SOFTHCA_ALWAYS");
	const char *own = getenv("SOFTHCA_FAULTS");

	if (common)
		read_always(common);
	if (own)
		shca_fault_set(own);
}

void shca_fault_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_environment);
}
