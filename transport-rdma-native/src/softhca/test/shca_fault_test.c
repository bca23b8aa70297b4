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

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault/shca_fault.h"
#include "../../test/c/t.h"

#define QUESTIONS 10000

static bool answers[QUESTIONS];

static int count_drops(void)
{
	int yes = 0;

	for (int i = 0; i < QUESTIONS; i++)
		yes += answers[i] = shca_fault_drop_packet();
	return yes;
}

static void nothing_is_active_at_first(void)
{
	shca_fault_init();
	CHECK(!shca_faults_are_active());
}

static void same_seed_gives_the_same_answers(void)
{
	static bool before[QUESTIONS];

	CHECK_EQ(0, shca_fault_set("off,seed=7,drop=0.01"));
	CHECK(shca_faults_are_active());
	count_drops();
	memcpy(before, answers, sizeof(before));
	CHECK_EQ(0, shca_fault_set("seed=7"));
	count_drops();
	CHECK_BYTES(before, answers, sizeof(before));
	CHECK_EQ(0, shca_fault_set("seed=8"));
	count_drops();
	CHECK(memcmp(before, answers, sizeof(before)));
}

/* The seeds are fixed, and so are the counts; the bounds are ten standard deviations. */
static void probability_is_kept(void)
{
	int yes;

	CHECK_EQ(0, shca_fault_set("off,seed=1,drop=0.01"));
	yes = count_drops();
	CHECK(yes > 0 && yes < 200);
	CHECK_EQ(0, shca_fault_set("off,seed=1,drop=0.5"));
	yes = count_drops();
	CHECK(yes > 4500 && yes < 5500);
	CHECK_EQ(0, shca_fault_set("drop=1"));
	CHECK_EQ(QUESTIONS, count_drops());
	CHECK_EQ(0, shca_fault_set("drop=1.000"));
	CHECK_EQ(QUESTIONS, count_drops());
	CHECK_EQ(0, shca_fault_set("drop=0,rnr=1"));
	CHECK_EQ(0, count_drops());
	CHECK(shca_fault_receiver_not_ready());
}

static void kinds_do_not_follow_each_other(void)
{
	int same = 0;

	CHECK_EQ(0, shca_fault_set("off,seed=3,drop=0.5,rnr=0.5"));
	for (int i = 0; i < QUESTIONS; i++)
		same += shca_fault_drop_packet() == shca_fault_receiver_not_ready();
	CHECK(same > 4500 && same < 5500);
}

static void fault_hits_the_named_occasion(void)
{
	CHECK_EQ(0, shca_fault_set("off,seed=1,drop@100"));
	CHECK_EQ(1, count_drops());
	CHECK(answers[99]);
	CHECK_EQ(0, shca_fault_set("drop@100+"));
	CHECK_EQ(QUESTIONS - 99, count_drops());
	CHECK(!answers[98]);
	CHECK(answers[99]);
	/* The count starts when the kind is set, not at the first occasion ever. */
	CHECK_EQ(0, shca_fault_set("drop@1"));
	CHECK(shca_fault_drop_packet());
	CHECK(!shca_fault_drop_packet());
}

static void each_kind_answers_for_itself(void)
{
	CHECK_EQ(0, shca_fault_set("off,seed=1,lose@1,register@2,overrun@1,remove@1,message@1,repeat@2,ready@1"));
	CHECK(!shca_fault_drop_packet());
	CHECK(!shca_fault_receiver_not_ready());
	CHECK_EQ(0, shca_fault_delay_ns());
	shca_fault_maybe_kill();
	CHECK(shca_fault_lose_peer());
	CHECK(!shca_fault_refuse_registration());
	CHECK(shca_fault_refuse_registration());
	CHECK(shca_fault_overrun());
	CHECK(shca_fault_remove_device());
	CHECK(shca_fault_drop_message());
	CHECK(!shca_fault_drop_message());
	CHECK(!shca_fault_repeat_message());
	CHECK(shca_fault_repeat_message());
	CHECK_EQ(0, shca_fault_message_delay_ns());
	CHECK(shca_fault_drop_ready());
	CHECK_EQ(0, shca_fault_ready_delay_ns());
}

static void delays_have_durations(void)
{
	CHECK_EQ(0, shca_fault_set("off,seed=1,delay=1:50us"));
	CHECK_EQ(50000, shca_fault_delay_ns());
	CHECK_EQ(0, shca_fault_set("delay@2:3ms"));
	CHECK_EQ(0, shca_fault_delay_ns());
	CHECK_EQ(3000000, shca_fault_delay_ns());
	CHECK_EQ(0, shca_fault_delay_ns());
	CHECK_EQ(0, shca_fault_set("delay=1:17ns"));
	CHECK_EQ(17, shca_fault_delay_ns());
	CHECK_EQ(0, shca_fault_set("delay@1+:4s"));
	CHECK_EQ(4000000000u, shca_fault_delay_ns());
	CHECK_EQ(0, shca_fault_set("late@2:3ms"));
	CHECK_EQ(0, shca_fault_message_delay_ns());
	CHECK_EQ(3000000, shca_fault_message_delay_ns());
	CHECK_EQ(0, shca_fault_set("control=1:2ms"));
	CHECK_EQ(2000000, shca_fault_control_ns());
	CHECK_EQ(0, shca_fault_set("delay=0"));
	CHECK_EQ(0, shca_fault_delay_ns());
	CHECK_EQ(0, shca_fault_set("control=0"));
	CHECK_EQ(0, shca_fault_control_ns());
	CHECK_EQ(0, shca_fault_set("late=0"));
	CHECK(!shca_faults_are_active());
}

static void kinds_that_are_not_named_keep_their_setting(void)
{
	CHECK_EQ(0, shca_fault_set("off,seed=1,drop@3"));
	CHECK(!shca_fault_drop_packet());
	CHECK_EQ(0, shca_fault_set("rnr@1"));
	CHECK(!shca_fault_drop_packet());
	CHECK(shca_fault_drop_packet());
	CHECK(shca_fault_receiver_not_ready());
	CHECK_EQ(0, shca_fault_set("off"));
	CHECK(!shca_faults_are_active());
}

static void nonsense_is_refused_whole(void)
{
	static const char *const nonsense[] = {
		"drp=1", "drop", "drop=", "drop=2", "drop=1.1", "drop=-1", "drop=.5", "drop=0.0000000001", "drop=1e-3",
		"drop@", "drop@0", "drop@-1", "drop@1x", "drop@99999999999999999999", "dropped=1", "drop:1", "seed=",
		"seed=x", "delay=0.1", "delay=0.1:", "delay=0.1:5", "delay=0.1:5h", "delay=0.1:5s", "delay@1",
		"late=0.1", "control=1", "delay@1+", "drop=0.1:50us", "rnr=0.1,", ",rnr=0.1", "rnr=0.1,,rnr=0.2",
		" drop=1", "off=1",
		"dropdropdropdropdropdropdropdropdropdropdropdropdropdropdropdropdrop=1",
	};

	CHECK_EQ(0, shca_fault_set("off,seed=1"));
	for (size_t i = 0; i < sizeof(nonsense) / sizeof(nonsense[0]); i++) {
		char text[128];

		snprintf(text, sizeof(text), "lose=1,%s", nonsense[i]);
		if (shca_fault_set(text) != -EINVAL || shca_faults_are_active())
			T_FAIL("accepted: %s", text);
	}
	CHECK_EQ(0, shca_fault_set(""));
	CHECK(!shca_faults_are_active());
}

static void locale_does_not_matter(void)
{
	setlocale(LC_ALL, "de_DE.UTF-8");
	CHECK_EQ(0, shca_fault_set("off,seed=1,drop=0.5"));
	setlocale(LC_ALL, "C");
}

static void kill_is_sigkill_at_the_nth(void)
{
	int status = 0;
	int pipes[2];
	char asked[16];
	pid_t child;

	CHECK_EQ(0, pipe(pipes));
	child = fork();
	if (!child) {
		shca_fault_set("off,seed=1,kill@3");
		for (;;) {
			if (write(pipes[1], "x", 1) != 1)
				_exit(1);
			shca_fault_maybe_kill();
		}
	}
	close(pipes[1]);
	CHECK_EQ(child, waitpid(child, &status, 0));
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	CHECK_EQ(3, read(pipes[0], asked, sizeof(asked)));
	close(pipes[0]);
}

int main(void)
{
	T_RUN(nothing_is_active_at_first);
	T_RUN(same_seed_gives_the_same_answers);
	T_RUN(probability_is_kept);
	T_RUN(kinds_do_not_follow_each_other);
	T_RUN(fault_hits_the_named_occasion);
	T_RUN(each_kind_answers_for_itself);
	T_RUN(delays_have_durations);
	T_RUN(kinds_that_are_not_named_keep_their_setting);
	T_RUN(nonsense_is_refused_whole);
	T_RUN(locale_does_not_matter);
	T_RUN(kill_is_sigkill_at_the_nth);
	return t_result();
}
