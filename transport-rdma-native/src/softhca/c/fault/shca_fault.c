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

#include "fault/shca_fault.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/shca_say.h"

#define CERTAIN		1000000000u	/* probabilities are in billionths */
#define MAX_WORD	63

enum kind { DROP, DELAY, RNR, LOSE, REGISTER, OVERRUN, KILL, REMOVE, MESSAGE, REPEAT, LATE, CONTROL,
	    POST, POST_RECEIVE, CONNECT, DESTROY, BEGIN, ACKNOWLEDGE, READ, SCRIBBLE, SWALLOW, PORT, FLUSH,
	    LINGER, RESET, HANDLE, UNRESPONSIVE, SILENT, READY, READY_LATE, REORDER, KINDS };

static const char *const names[KINDS] = {
	"drop", "delay", "rnr", "lose", "register", "overrun", "kill", "remove", "message",
	"repeat", "late", "control", "post", "post-receive", "connect", "destroy",
	"begin", "acknowledge", "read", "scribble", "swallow", "port",
	"flush", "linger", "reset", "handle", "unresponsive", "silent", "ready", "ready-late", "reorder",
};

/* How many requests or completions of SRD may change places. What SRD does is no fault: this one is always on. */
#define REORDER_WINDOW	16u

static bool has_duration(enum kind kind)
{
	switch (kind) {
	case DELAY:
	case LATE:
	case READY_LATE:
	case CONTROL:
	case CONNECT:
	case DESTROY:
	case BEGIN:
	case ACKNOWLEDGE:
	case READ:
		return true;
	default:
		return false;
	}
}

/* When the fault happens: with this probability, and at the occasions from first to last. */
struct plan {
	uint32_t probability;
	uint32_t duration;	/* ns; for kinds that delay */
	uint64_t first;
	uint64_t last;		/* 0: no such range */
};

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

/* A parsed specification. It is applied only if all of it was understood. */
struct specification {
	uint64_t seed;
	bool has_seed;
	bool off;
	bool named[KINDS];
	struct plan plans[KINDS];
};

_Atomic bool shca_faults_active;
static struct fault faults[KINDS] = {
	[REORDER] = { .probability = CERTAIN, .duration = REORDER_WINDOW },
};
static _Atomic uint64_t current_seed;
static bool seed_known;				/* under setting */
static struct plan always[KINDS] = {		/* what "off" leaves; set once, before the first occasion */
	[REORDER] = { .probability = CERTAIN, .duration = REORDER_WINDOW },
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
static uint64_t chance(uint64_t seed, enum kind kind, uint64_t n)
{
	return mix(mix(mix(seed) ^ (uint64_t)kind) ^ n);
}

static uint64_t next_occasion(struct fault *fault)
{
	return atomic_fetch_add_explicit(&fault->asked, 1, memory_order_relaxed) + 1;
}

static bool happens(enum kind kind, uint64_t n)
{
	struct fault *fault = &faults[kind];
	uint32_t probability = atomic_load_explicit(&fault->probability, memory_order_relaxed);

	if (n >= atomic_load_explicit(&fault->first, memory_order_relaxed) &&
	    n <= atomic_load_explicit(&fault->last, memory_order_relaxed))
		return true;
	return probability &&
	       chance(atomic_load_explicit(&current_seed, memory_order_relaxed), kind, n) % CERTAIN < probability;
}

static bool ask(enum kind kind)
{
	return happens(kind, next_occasion(&faults[kind]));
}

/* ---- reading a specification: by hand, because strtod obeys the program's locale */

static bool read_number(const char **text, uint64_t *number)
{
	const char *p = *text;

	for (*number = 0; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(*number, 10, number) ||
		    __builtin_add_overflow(*number, (uint64_t)(*p - '0'), number))
			return false;
	if (p == *text)
		return false;
	*text = p;
	return true;
}

static bool read_probability(const char **text, uint32_t *probability)
{
	uint64_t whole;
	uint32_t digit = CERTAIN / 10;

	if (!read_number(text, &whole) || whole > 1)
		return false;
	*probability = (uint32_t)whole * CERTAIN;
	if (**text != '.')
		return true;
	for (++*text; **text >= '0' && **text <= '9' && digit; ++*text, digit /= 10)
		*probability += digit * (uint32_t)(**text - '0');
	return *probability <= CERTAIN;
}

/* ":50us" */
static bool read_duration(const char **text, uint32_t *ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	uint64_t number;

	if (**text != ':')
		return false;
	++*text;
	if (!read_number(text, &number))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t size = strlen(units[i].name);

		if (strncmp(*text, units[i].name, size))
			continue;
		*text += size;
		if (__builtin_mul_overflow(number, units[i].ns, &number) || number > UINT32_MAX)
			return false;
		*ns = (uint32_t)number;
		return true;
	}
	return false;
}

/* Reads what follows the kind's name: "=0.01", "@100" or "@100+", and the duration. */
static bool read_plan(const char *text, enum kind kind, struct plan *plan)
{
	*plan = (struct plan){ 0 };
	if (*text == '=') {
		text++;
		if (!read_probability(&text, &plan->probability))
			return false;
	} else if (*text == '@') {
		text++;
		if (!read_number(&text, &plan->first) || !plan->first)
			return false;
		plan->last = *text == '+' ? UINT64_MAX : plan->first;
		text += *text == '+';
	} else {
		return false;
	}
	if (kind == REORDER && *text == ':') {
		uint64_t window;

		text++;
		if (!read_number(&text, &window) || !window || window > UINT32_MAX)
			return false;
		plan->duration = (uint32_t)window;
	} else if (kind == REORDER) {
		plan->duration = REORDER_WINDOW;
	}
	if (has_duration(kind) && (plan->probability || plan->last) && !read_duration(&text, &plan->duration))
		return false;
	return !*text;
}

static bool read_word(const char *word, struct specification *into)
{
	if (!strcmp(word, "off"))
		return into->off = true;
	if (!strncmp(word, "seed=", 5)) {
		word += 5;
		into->has_seed = true;
		return read_number(&word, &into->seed) && !*word;
	}
	for (int kind = 0; kind < KINDS; kind++) {
		size_t size = strlen(names[kind]);

		if (!strncmp(word, names[kind], size) && strchr("=@", word[size])) {
			into->named[kind] = true;
			return read_plan(word + size, (enum kind)kind, &into->plans[kind]);
		}
	}
	return false;
}

static int refuse(const char *word, size_t size)
{
	shca_say("faults: \"%.*s\" is not understood and nothing was changed; write seed=N, off, or"
		 " drop, delay, rnr, lose, register, overrun, kill, remove, message, repeat, late, control, post,"
		 " post-receive, connect, destroy, begin, acknowledge, read, scribble, swallow, port, flush,"
		 " linger, reset, handle, unresponsive, silent, ready, ready-late, reorder as in"
		 " drop=0.01 (probability) drop@100 (the 100th) drop@100+ (from it on); delay, late, ready-late,"
		 " control, connect, destroy, begin, acknowledge and read with a duration (delay=0.1:50us, at most 4s)",
		 (int)size, word);
	return -EINVAL;
}

static int read_specification(const char *text, struct specification *into)
{
	while (*text) {
		size_t size = strcspn(text, ",");
		char word[MAX_WORD + 1];

		if (size > MAX_WORD)
			return refuse(text, size);
		memcpy(word, text, size);
		word[size] = 0;
		if (!read_word(word, into))
			return refuse(text, size);
		text += size;
		if (*text == ',' && !*++text)
			return refuse(text, 0);
	}
	return 0;
}

/* ---- setting */

static void set_plan(struct fault *fault, const struct plan *plan)
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

	clock_gettime(CLOCK_REALTIME, &now);
	return mix(mix((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec) ^ (uint64_t)getpid()) % CERTAIN;
}

static bool any_is_set(void)
{
	/* The order of SRD is no fault, and asked for everywhere without this. */
	for (int kind = 0; kind < REORDER; kind++)
		if (atomic_load(&faults[kind].probability) || atomic_load(&faults[kind].last))
			return true;
	return false;
}

static void apply(const struct specification *specification, const char *text)
{
	bool was_active = atomic_load(&shca_faults_active);
	bool active;

	for (int kind = 0; kind < KINDS; kind++)
		if (specification->off || specification->named[kind] || specification->has_seed)
			atomic_store(&faults[kind].asked, 0);
	if (specification->has_seed)
		atomic_store(&current_seed, specification->seed);
	seed_known |= specification->has_seed;
	for (int kind = 0; kind < KINDS; kind++)
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
	struct specification specification = { 0 };
	int ret = read_specification(text, &specification);

	if (ret)
		return ret;
	pthread_mutex_lock(&setting);
	apply(&specification, text);
	pthread_mutex_unlock(&setting);
	return 0;
}

static void read_always(const char *text)
{
	struct specification specification = { 0 };

	if (read_specification(text, &specification))
		return;
	for (int kind = 0; kind < KINDS; kind++)
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

/* ---- the occasions */

bool shca_fault_drop_packet(void)
{
	return ask(DROP);
}

bool shca_fault_drop_message(void)
{
	return ask(MESSAGE);
}

bool shca_fault_repeat_message(void)
{
	return ask(REPEAT);
}

static uint32_t ask_how_long(enum kind kind)
{
	return ask(kind) ? atomic_load_explicit(&faults[kind].duration, memory_order_relaxed) : 0;
}

uint32_t shca_fault_message_delay_ns(void)
{
	return ask_how_long(LATE);
}

bool shca_fault_drop_ready(void)
{
	return ask(READY);
}

uint32_t shca_fault_ready_delay_ns(void)
{
	return ask_how_long(READY_LATE);
}

uint32_t shca_fault_delay_ns(void)
{
	return ask_how_long(DELAY);
}

bool shca_fault_receiver_not_ready(void)
{
	return ask(RNR);
}

bool shca_fault_lose_peer(void)
{
	return ask(LOSE);
}

bool shca_fault_refuse_registration(void)
{
	return ask(REGISTER);
}

bool shca_fault_overrun(void)
{
	return ask(OVERRUN);
}

void shca_fault_maybe_kill(void)
{
	if (ask(KILL))
		kill(getpid(), SIGKILL);
}

bool shca_fault_remove_device(void)
{
	return ask(REMOVE);
}

uint32_t shca_fault_control_ns(void)
{
	return ask_how_long(CONTROL);
}

static void sleep_ns(uint32_t ns)
{
	struct timespec left = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

void shca_fault_sleep_in_control(void)
{
	sleep_ns(shca_fault_control_ns());
}

void shca_fault_sleep_in_connect(void)
{
	sleep_ns(ask_how_long(CONNECT));
}

void shca_fault_sleep_in_destroy(void)
{
	sleep_ns(ask_how_long(DESTROY));
}

uint32_t shca_fault_begin_ns(void)
{
	return ask_how_long(BEGIN);
}

uint32_t shca_fault_acknowledge_ns(void)
{
	return ask_how_long(ACKNOWLEDGE);
}

uint32_t shca_fault_read_ns(void)
{
	return ask_how_long(READ);
}

bool shca_fault_scribble(void)
{
	return ask(SCRIBBLE);
}

bool shca_fault_swallow_post(void)
{
	return ask(SWALLOW);
}

bool shca_fault_port(void)
{
	return ask(PORT);
}

bool shca_fault_flush_refused(void)
{
	return ask(FLUSH);
}

bool shca_fault_linger(void)
{
	return ask(LINGER);
}

bool shca_fault_reset(void)
{
	return ask(RESET);
}

bool shca_fault_refuse_handle(void)
{
	return ask(HANDLE);
}

bool shca_fault_unresponsive(void)
{
	return ask(UNRESPONSIVE);
}

bool shca_fault_silent_host(void)
{
	return ask(SILENT);
}

uint32_t shca_fault_reorder(uint32_t count)
{
	struct fault *fault = &faults[REORDER];
	uint32_t window = atomic_load_explicit(&fault->duration, memory_order_relaxed);
	uint64_t n;

	if (count > window)
		count = window;
	if (count < 2)
		return 0;
	n = next_occasion(fault);
	if (!happens(REORDER, n))
		return 0;
	/* Not the number that decided whether. */
	return (uint32_t)(chance(atomic_load_explicit(&current_seed, memory_order_relaxed), KINDS, n) % count);
}

bool shca_fault_refuse_post(void)
{
	return ask(POST);
}

bool shca_fault_refuse_post_receive(void)
{
	return ask(POST_RECEIVE);
}
