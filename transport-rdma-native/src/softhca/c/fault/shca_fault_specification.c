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

/* Reads numbers by hand, because strtod obeys the program's locale. */
#include "fault/shca_fault_specification.h"

#include <errno.h>
#include <string.h>

#include "base/shca_say.h"

#define MAX_KEYWORD	63

static const char *const names[SHCA_FAULT_KINDS] = {
	"drop", "delay", "rnr", "lose", "register", "overrun", "kill", "remove", "message",
	"repeat", "late", "control", "post", "post-receive", "connect", "destroy",
	"begin", "acknowledge", "read", "scribble", "swallow", "port",
	"flush", "linger", "reset", "handle", "unresponsive", "silent", "ready", "ready-late", "reorder",
};

static bool has_duration(enum shca_fault_kind kind)
{
	switch (kind) {
	case SHCA_FAULT_DELAY:
	case SHCA_FAULT_LATE:
	case SHCA_FAULT_READY_LATE:
	case SHCA_FAULT_CONTROL:
	case SHCA_FAULT_CONNECT:
	case SHCA_FAULT_DESTROY:
	case SHCA_FAULT_BEGIN:
	case SHCA_FAULT_ACKNOWLEDGE:
	case SHCA_FAULT_READ:
		return true;
	default:
		return false;
	}
}

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
	uint32_t digit = SHCA_FAULT_CERTAIN / 10;

	if (!read_number(text, &whole) || whole > 1)
		return false;
	*probability = (uint32_t)whole * SHCA_FAULT_CERTAIN;
	if (**text != '.')
		return true;
	for (++*text; **text >= '0' && **text <= '9' && digit; ++*text, digit /= 10)
		*probability += digit * (uint32_t)(**text - '0');
	return *probability <= SHCA_FAULT_CERTAIN;
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
static bool read_plan(const char *text, enum shca_fault_kind kind, struct shca_fault_plan *plan)
{
	*plan = (struct shca_fault_plan){ 0 };
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
	if (kind == SHCA_FAULT_REORDER && *text == ':') {
		uint64_t window;

		text++;
		if (!read_number(&text, &window) || !window || window > UINT32_MAX)
			return false;
		plan->duration = (uint32_t)window;
	} else if (kind == SHCA_FAULT_REORDER) {
		plan->duration = SHCA_FAULT_WINDOW;
	}
	if (has_duration(kind) && (plan->probability || plan->last) && !read_duration(&text, &plan->duration))
		return false;
	return !*text;
}

static bool read_keyword(const char *keyword, struct shca_fault_specification *into)
{
	if (!strcmp(keyword, "off"))
		return into->off = true;
	if (!strncmp(keyword, "seed=", 5)) {
		keyword += 5;
		into->has_seed = true;
		return read_number(&keyword, &into->seed) && !*keyword;
	}
	for (int kind = 0; kind < SHCA_FAULT_KINDS; kind++) {
		size_t size = strlen(names[kind]);

		if (!strncmp(keyword, names[kind], size) && strchr("=@", keyword[size])) {
			into->named[kind] = true;
			return read_plan(keyword + size, (enum shca_fault_kind)kind, &into->plans[kind]);
		}
	}
	return false;
}

static int refuse(const char *keyword, size_t size)
{
	shca_say("faults: \"%.*s\" is not understood and nothing was changed; write seed=N, off, or"
		 " drop, delay, rnr, lose, register, overrun, kill, remove, message, repeat, late, control, post,"
		 " post-receive, connect, destroy, begin, acknowledge, read, scribble, swallow, port, flush,"
		 " linger, reset, handle, unresponsive, silent, ready, ready-late, reorder as in"
		 " drop=0.01 (probability) drop@100 (the 100th) drop@100+ (from it on); delay, late, ready-late,"
		 " control, connect, destroy, begin, acknowledge and read with a duration (delay=0.1:50us, at most 4s)",
		 (int)size, keyword);
	return -EINVAL;
}

int shca_fault_read(const char *text, struct shca_fault_specification *into)
{
	while (*text) {
		size_t size = strcspn(text, ",");
		char keyword[MAX_KEYWORD + 1];

		if (size > MAX_KEYWORD)
			return refuse(text, size);
		memcpy(keyword, text, size);
		keyword[size] = 0;
		if (!read_keyword(keyword, into))
			return refuse(text, size);
		text += size;
		if (*text == ',' && !*++text)
			return refuse(text, 0);
	}
	return 0;
}
