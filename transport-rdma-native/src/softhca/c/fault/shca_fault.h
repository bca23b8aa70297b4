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
 * Faults, from SOFTHCA_FAULTS or the control command "faults" (docs/softhca.md): words with commas between.
 *
 *    seed=7			all counts start afresh; without it one is chosen; printed either way
 *    drop=0.01			yes to every question with this probability, at most nine digits behind the point
 *    drop@100			yes to the 100th question, counted from when this was set, and to no other
 *    drop@100+			yes from the 100th on
 *    delay=0.1:50us		the same three, with a duration in ns, us, ms or s
 *    off			nothing that was set before is left, but for what SOFTHCA_ALWAYS says
 *
 * Kinds: drop delay rnr lose register overrun kill remove message repeat late control post post-receive connect
 * destroy begin acknowledge read scribble swallow port flush linger reset. Whether the n-th question of a kind says
 * yes depends on seed, kind and n alone, so a run can be had again. All questions are behind shca_faults_active, which
 * is false in a program without faults.
 */
#ifndef SHCA_FAULT_H
#define SHCA_FAULT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

extern _Atomic bool shca_faults_active;

static inline bool shca_faults_are_active(void)
{
	return __builtin_expect(atomic_load_explicit(&shca_faults_active, memory_order_relaxed), 0);
}

/* Reads the environment once; later calls do nothing. */
void shca_fault_init(void);
/* 0; or -EINVAL with the offending word on stderr, and nothing is changed. Kinds that are not named go on. */
int shca_fault_set(const char *specification);

/* Each asks once, and counts. Ask only when shca_faults_are_active(). */
bool shca_fault_drop_packet(void);		/* the packet is lost on its way */
bool shca_fault_drop_message(void);		/* the message of connection management is lost on its way */
bool shca_fault_repeat_message(void);		/* the message of connection management comes twice */
uint32_t shca_fault_message_delay_ns(void);	/* it comes this much later, behind those that follow it */
uint32_t shca_fault_delay_ns(void);		/* the packet, and all behind it, come this much later */
bool shca_fault_receiver_not_ready(void);	/* as if no receive were posted */
bool shca_fault_lose_peer(void);		/* from now on nothing reaches that process: see shca_link_end */
bool shca_fault_refuse_registration(void);	/* ENOMEM, as when memlock is exhausted */
bool shca_fault_overrun(void);			/* the completion queue is full, whatever it holds */
void shca_fault_maybe_kill(void);		/* SIGKILL of this very process, at its n-th packet */
bool shca_fault_remove_device(void);		/* the device goes, at its n-th post */
uint32_t shca_fault_control_ns(void);		/* a call that makes, changes or destroys takes this much longer */
void shca_fault_sleep_in_control(void);		/* it does: the calling thread sleeps. Hold no lock */
void shca_fault_sleep_in_connect(void);		/* rdma_connect takes this much longer. Hold no lock */
void shca_fault_sleep_in_destroy(void);		/* the same for rdma_destroy_id */
uint32_t shca_fault_begin_ns(void);		/* what is posted is sent this much later */
uint32_t shca_fault_acknowledge_ns(void);	/* what the peer acknowledges completes this much later */
uint32_t shca_fault_read_ns(void);		/* what has completed is read from memory this much later */
bool shca_fault_scribble(void);			/* the device writes to memory that is its own */
bool shca_fault_swallow_post(void);		/* a post in the error state is taken, and forgotten */
bool shca_fault_port(void);			/* EADDRINUSE for rdma_connect on iwarp */
bool shca_fault_flush_refused(void);		/* sends that are refused in the error state complete all the same */
bool shca_fault_linger(void);			/* a queue pair that is destroyed leaves completions */
bool shca_fault_reset(void);			/* a send of iwarp finds that its connection is gone */
bool shca_fault_refuse_post(void);		/* ENOMEM for a call that posts sends; it posts none */
bool shca_fault_refuse_post_receive(void);	/* the same for one that posts receives */

/* At the beginning of such a call. */
static inline void shca_fault_control(void)
{
	if (shca_faults_are_active())
		shca_fault_sleep_in_control();
}

#endif
