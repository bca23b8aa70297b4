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
 * A device works at its own pace. If it executes and completes a request within the call that posts it, it hides what
 * programs do too early: enter the error state, destroy the queue pair, or overwrite memory. So these faults take time;
 * none of them breaks a rule:
 *
 *    begin        post ------------> later: read from memory, sent         an error before: flushed, undelivered
 *    acknowledge  sent, at the peer ------> later: completes               an error before: flushed, delivered
 *    read         post, complete, the next one completes ------> later: read from memory, sent   on iWARP, as siw
 *
 * Called with the queue pair's lock held.
 */
#include "base/shca_clock.h"
#include "fault/shca_fault.h"
#include "transport/rc/shca_rc.h"
#include "wire/shca_wakeup.h"
#include "wire/shca_watch.h"

/* siw copies smaller data: siw_try_1seg and siw_tx_hdt, siw_qp_tx.c. */
#define PAGE	4096u

static void tick_at(struct shca_qp *qp, uint64_t at)
{
	shca_watch_add(&qp->wire);
	shca_wakeup_at(at);
}

static void send_later(struct shca_qp *qp, uint32_t ns)
{
	struct shca_rc *rc = shca_rc_of(qp);

	if (!ns || rc->begin_at)
		return;
	rc->begin_at = shca_now() + ns;
	tick_at(qp, rc->begin_at);
}

void shca_rc_begin_late(struct shca_qp *qp)
{
	send_later(qp, shca_fault_begin_ns());
}

bool shca_rc_reads_late(struct shca_qp *qp, const struct shca_send *send)
{
	uint32_t ns;

	if (send->flags & (IBV_SEND_SIGNALED | IBV_SEND_INLINE) || send->length < PAGE)
		return false;
	ns = shca_fault_read_ns();
	send_later(qp, ns);
	return ns;
}

bool shca_rc_acknowledges_late(struct shca_qp *qp, uint32_t psn)
{
	struct shca_rc *rc = shca_rc_of(qp);
	uint32_t ns = shca_fault_acknowledge_ns();

	if (!ns) {
		/* It covers the acknowledgement that was delayed. */
		rc->ack_at = 0;
		return false;
	}
	rc->late_psn = psn;
	if (!rc->ack_at) {
		rc->ack_at = shca_now() + ns;
		tick_at(qp, rc->ack_at);
	}
	return true;
}

uint64_t shca_rc_late_tick(struct shca_qp *qp, uint64_t now)
{
	struct shca_rc *rc = shca_rc_of(qp);

	if (rc->ack_at && now >= rc->ack_at) {
		rc->ack_at = 0;
		shca_rc_acknowledged(qp, rc->late_psn);
	}
	if (rc->begin_at && now >= rc->begin_at)
		rc->begin_at = 0;
	/* Also sends what waited for the acknowledgement: a fence, a read, room in the buffer of iwarp. */
	shca_rc_transmit(qp);
	return shca_sooner(rc->ack_at, rc->begin_at);
}
