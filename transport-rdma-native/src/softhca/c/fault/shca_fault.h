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
 * Faults, from SOFTHCA_FAULTS or the control command "faults" (docs/softhca.md): keywords, separated by commas.
 *
 *    seed=7			restarts all counts; without it a seed is chosen; it is printed either way
 *    drop=0.01			the fault happens with this probability, at most nine digits behind the point
 *    drop@100			it happens at the 100th occasion, counted from when this was set, and at no other
 *    drop@100+			it happens from the 100th occasion on
 *    delay=0.1:50us		the same three forms, with a duration in ns, us, ms or s
 *    reorder=0.5:16		the same forms, with a window instead of a duration: 16 if it is not named
 *    off				clears everything that was set before, except what SOFTHCA_ALWAYS says
 *
 * Kinds: drop delay rnr lose register overrun kill remove message repeat late control post post-receive connect destroy
 * begin acknowledge read scribble swallow port flush linger reset handle unresponsive silent ready ready-late reorder.
 * Whether the n-th occasion of a kind is hit depends on seed, kind and n alone, so a run can be repeated. All calls
 * are behind shca_faults_active, which is false in a program without faults; but reorder is no fault, and always on.
 *
 *    shca_fault_specification.c	the syntax
 *    shca_fault_chance.c		which occasions are hit
 *    shca_fault_questions.c	the questions below
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
/*
 * Returns 0. For a syntax error it prints the wrong keyword on stderr, changes nothing and returns -EINVAL. A kind that
 * is not named keeps its setting.
 */
int shca_fault_set(const char *specification);

/* Each call counts one occasion. Call only when shca_faults_are_active(). */
bool shca_fault_drop_packet(void);		/* the packet is lost */
bool shca_fault_drop_message(void);		/* the CM message is lost */
bool shca_fault_repeat_message(void);		/* the CM message arrives twice */
uint32_t shca_fault_message_delay_ns(void);	/* it arrives this much later, after messages that were sent later */
bool shca_fault_drop_ready(void);		/* the RTU is lost; asked for no other message */
uint32_t shca_fault_ready_delay_ns(void);	/* the RTU arrives this much later */
uint32_t shca_fault_delay_ns(void);		/* the packet and all packets behind it arrive this much later */
bool shca_fault_receiver_not_ready(void);	/* as if no receive were posted */
bool shca_fault_lose_peer(void);		/* nothing reaches that process any more: see shca_link_end */
bool shca_fault_refuse_registration(void);	/* ENOMEM, as when the memlock limit is reached */
bool shca_fault_overrun(void);			/* the completion queue counts as full, whatever it holds */
void shca_fault_maybe_kill(void);		/* kills this process by SIGKILL, at its n-th packet */
bool shca_fault_remove_device(void);		/* the device is removed, at its n-th post */
uint32_t shca_fault_control_ns(void);		/* a call that creates, changes or destroys takes this much longer */
void shca_fault_sleep_in_control(void);		/* sleeps that long in the calling thread. Hold no lock */
void shca_fault_sleep_in_connect(void);		/* rdma_connect takes this much longer. Hold no lock */
void shca_fault_sleep_in_destroy(void);		/* the same for rdma_destroy_id */
uint32_t shca_fault_begin_ns(void);		/* posted requests are sent this much later */
uint32_t shca_fault_acknowledge_ns(void);	/* acknowledged requests complete this much later */
uint32_t shca_fault_read_ns(void);		/* a completed request is read from memory this much later */
bool shca_fault_scribble(void);			/* the device overwrites memory that belongs to it */
bool shca_fault_swallow_post(void);		/* a post in the error state is accepted and never completes */
bool shca_fault_port(void);			/* EADDRINUSE on iwarp for rdma_connect, rdma_listen */
bool shca_fault_flush_refused(void);		/* sends refused in the error state complete nevertheless */
bool shca_fault_linger(void);			/* a destroyed queue pair leaves its completions */
bool shca_fault_reset(void);			/* a send on iwarp finds its connection reset */
bool shca_fault_refuse_handle(void);		/* ENOMEM for ibv_create_ah, as when the table is full */
bool shca_fault_unresponsive(void);		/* a request of SRD is executed, and its answers are lost */
bool shca_fault_silent_host(void);		/* an address of another machine is one that no host answers for */
bool shca_fault_refuse_post(void);		/* ENOMEM for a call that posts sends; it posts none */
bool shca_fault_refuse_post_receive(void);	/* the same for a call that posts receives */

/* Called first by functions that create, change or destroy an object; of address handles, last. */
static inline void shca_fault_control(void)
{
	if (shca_faults_are_active())
		shca_fault_sleep_in_control();
}

#endif
