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

#include "queue/shca_completion_queue.h"

#include <errno.h>
#include <stdlib.h>

#include "base/shca_error.h"
#include "base/shca_export.h"
#include "base/shca_handle.h"
#include "base/shca_say.h"
#include "base/shca_upcalls.h"
#include "device/shca_async_event.h"
#include "device/shca_context.h"
#include "device/shca_device.h"
#include "fault/shca_fault.h"
#include "personality/shca_personality.h"
#include "queue/shca_srd_order.h"
#include "wire/shca_link.h"

/* ---- putting ---- */

/* An error also wakes a program that waits for solicited completions only. */
static bool is_awaited(const struct shca_cq *cq, const struct shca_cqe *cqe)
{
	return cq->arm == SHCA_CQ_ARMED ||
	       (cq->arm == SHCA_CQ_ARMED_SOLICITED && (cqe->solicited || cqe->status != IBV_WC_SUCCESS));
}

static void raise_overrun(struct shca_cq *cq)
{
	struct ibv_async_event event = { .element.cq = &cq->ibv, .event_type = IBV_EVENT_CQ_ERR };

	shca_async_raise(cq->ibv.context, event, &cq->async_events);
}

/* An EFA device overwrites completions without notice; the program waits indefinitely. Here one line says why. */
static void report_loss(struct shca_cq *cq)
{
	static _Atomic uint64_t count;

	if (!cq->overrun)
		shca_say_seldom(&count, "a completion queue of %d entries is full, and completions are lost",
				cq->ibv.cqe);
	cq->overrun = true;
}

/*
 * SRD promises no order, so a program must not see one: the new entry is swapped with one of its kind that was not
 * polled yet.
 *
 *    head [ a ][ b ][ c ][ new ] tail  ---->  head [ a ][ new ][ c ][ b ] tail
 */
static void shuffle(struct shca_cq *cq, uint32_t new)
{
	uint32_t back = shca_srd_next_of(new - atomic_load_explicit(&cq->head, memory_order_relaxed) + 1);
	struct shca_cqe *one = &cq->ring[new & cq->mask], *other = &cq->ring[(new - back) & cq->mask];
	struct shca_cqe moved = *other;

	if (!back || !other->in_any_order)
		return;
	*other = *one;
	*one = moved;
	if (cq->sources) {
		union ibv_gid *from = &cq->sources[new & cq->mask], *to = &cq->sources[(new - back) & cq->mask];
		union ibv_gid source = *to;

		*to = *from;
		*from = source;
	}
}

bool shca_cq_put(struct shca_cq *cq, const struct shca_cqe *cqe)
{
	static const union ibv_gid nowhere;

	return shca_cq_put_from(cq, cqe, &nowhere);
}

bool shca_cq_put_from(struct shca_cq *cq, const struct shca_cqe *cqe, const union ibv_gid *source)
{
	uint32_t tail, used;
	bool fits;

	pthread_mutex_lock(&cq->lock);
	tail = atomic_load_explicit(&cq->tail, memory_order_relaxed);
	used = tail - atomic_load_explicit(&cq->head, memory_order_relaxed) + cq->polling;
	fits = !(cq->overrun && !shca_personality()->bare_cq) && used < (uint32_t)cq->ibv.cqe &&
	       !(shca_faults_are_active() && shca_fault_overrun());
	if (SHCA_UNLIKELY(!fits)) {
		if (shca_personality()->bare_cq) {
			report_loss(cq);
			pthread_mutex_unlock(&cq->lock);
			return true;
		}
		if (!cq->overrun)
			raise_overrun(cq);
		cq->overrun = true;
		pthread_mutex_unlock(&cq->lock);
		return false;
	}
	cq->ring[tail & cq->mask] = *cqe;
	if (SHCA_UNLIKELY(cq->sources != NULL))
		cq->sources[tail & cq->mask] = *source;
	if (SHCA_UNLIKELY(cqe->in_any_order))
		shuffle(cq, tail);
	/* Release: a poll checks for completions before it takes the lock. */
	atomic_store_explicit(&cq->tail, tail + 1, memory_order_release);
	if (SHCA_UNLIKELY(cq->arm != SHCA_CQ_IDLE) && is_awaited(cq, cqe)) {
		cq->arm = SHCA_CQ_IDLE;
		shca_event_queue_put(&to_shca_channel(cq->ibv.channel)->queue, cq);
	}
	pthread_mutex_unlock(&cq->lock);
	return true;
}

/* Removes a completion of a queue pair that goes away. Only the slot of a shared receive must still be freed. */
static void drop(const struct shca_cqe *cqe)
{
	if (cqe->is_shared)
		atomic_fetch_add_explicit(cqe->freed, 1, memory_order_release);
}

static void detach(struct shca_cqe *cqe)
{
	drop(cqe);
	cqe->qp = NULL;
	cqe->freed = NULL;
	cqe->is_shared = false;
}

void shca_cq_orphan(struct shca_cq *cq, struct shca_qp *qp)
{
	uint32_t tail;

	pthread_mutex_lock(&cq->lock);
	tail = atomic_load_explicit(&cq->tail, memory_order_relaxed);
	for (uint32_t i = atomic_load_explicit(&cq->head, memory_order_relaxed); i != tail; i++) {
		struct shca_cqe *cqe = &cq->ring[i & cq->mask];

		if (cqe->qp == qp)
			detach(cqe);
	}
	pthread_mutex_unlock(&cq->lock);
}

void shca_cq_forget(struct shca_cq *cq, struct shca_qp *qp)
{
	uint32_t kept, tail, i;

	pthread_mutex_lock(&cq->lock);
	kept = atomic_load_explicit(&cq->head, memory_order_relaxed);
	tail = atomic_load_explicit(&cq->tail, memory_order_relaxed);
	for (i = kept; i != tail; i++) {
		const struct shca_cqe *cqe = &cq->ring[i & cq->mask];

		if (cqe->qp == qp) {
			drop(cqe);
			continue;
		}
		if (cq->sources)
			cq->sources[kept & cq->mask] = cq->sources[i & cq->mask];
		cq->ring[kept++ & cq->mask] = *cqe;
	}
	atomic_store_explicit(&cq->tail, kept, memory_order_release);
	/* The program may be reading the current entry, so it stays; only its slots are detached. */
	if (cq->polling && cq->current.qp == qp)
		detach(&cq->current);
	pthread_mutex_unlock(&cq->lock);
}

/* ---- polling ---- */

bool shca_cq_find(struct shca_cq *cq)
{
	shca_links_note_poll(cq->links);
	if (!shca_cq_is_empty(cq))
		return true;
	shca_engine_progress(cq->links);
	return !shca_cq_is_empty(cq);
}

/* Frees the slots of the completed work request for further posts. */
static void free_slots(const struct shca_cqe *cqe)
{
	if (!cqe->freed)
		return;
	if (cqe->opcode & IBV_WC_RECV || cqe->in_any_order)
		atomic_fetch_add_explicit(cqe->freed, 1, memory_order_release);
	/* ibv_poll_cq may have overtaken an extended poll, and freed more. */
	else if ((int32_t)(cqe->slots - atomic_load_explicit(cqe->freed, memory_order_relaxed)) > 0)
		atomic_store_explicit(cqe->freed, cqe->slots, memory_order_release);
}

/* Takes the oldest entry. It stays in place while the lock is held. NULL: there is none. */
static const struct shca_cqe *take(struct shca_cq *cq)
{
	uint32_t head = atomic_load_explicit(&cq->head, memory_order_relaxed);

	if (head == atomic_load_explicit(&cq->tail, memory_order_relaxed))
		return NULL;
	atomic_store_explicit(&cq->head, head + 1, memory_order_relaxed);
	return &cq->ring[head & cq->mask];
}

/* In an unsuccessful completion no other field is valid: it is 0, so that no program comes to rely on it. */
static void fill(struct ibv_wc *wc, const struct shca_cqe *cqe)
{
	*wc = (struct ibv_wc){
		.wr_id = cqe->wr_id, .status = cqe->status, .vendor_err = cqe->vendor_err, .qp_num = cqe->qp_num,
	};
	if (cqe->status != IBV_WC_SUCCESS)
		return;
	wc->opcode = cqe->opcode;
	wc->byte_len = cqe->byte_len;
	wc->imm_data = cqe->immediate;
	wc->src_qp = cqe->src_qp;
	wc->wc_flags = cqe->wc_flags;
	wc->sl = cqe->sl;
	wc->slid = cqe->slid;
}

/* Whether its queue pair is gone, on EFA. Lock held: a queue pair may go at any time. */
static bool is_orphan(const struct shca_cqe *cqe)
{
	return !cqe->qp && shca_personality()->bare_cq;
}

int shca_poll_cq(struct ibv_cq *ibv, int count, struct ibv_wc *wc)
{
	struct shca_cq *cq = to_shca_cq(ibv);
	const struct shca_cqe *cqe;
	int n = 0;

	if (count <= 0 || !shca_cq_find(cq))
		return 0;
	pthread_mutex_lock(&cq->lock);
	while (n < count && (cqe = take(cq))) {
		/* As with libefa it ends the call, and is reported only if nothing was polled before it. */
		if (SHCA_UNLIKELY(is_orphan(cqe))) {
			n = n ? n : -EINVAL;
			break;
		}
		fill(&wc[n++], cqe);
		free_slots(cqe);
	}
	pthread_mutex_unlock(&cq->lock);
	return n;
}

static void release_current(struct shca_cq *cq)
{
	if (cq->polling)
		free_slots(&cq->current);
	cq->polling = false;
}

int shca_cq_advance(struct shca_cq *cq)
{
	const struct shca_cqe *cqe;
	int err = ENOENT;

	pthread_mutex_lock(&cq->lock);
	cqe = take(cq);
	if (cqe) {
		release_current(cq);
		cq->current = *cqe;
		if (SHCA_UNLIKELY(cq->sources != NULL))
			cq->current_source = cq->sources[cqe - cq->ring];
		cq->polling = true;
		err = SHCA_UNLIKELY(is_orphan(cqe)) ? EINVAL : 0;
	}
	pthread_mutex_unlock(&cq->lock);
	return err;
}

void shca_cq_release_current(struct shca_cq *cq)
{
	pthread_mutex_lock(&cq->lock);
	release_current(cq);
	pthread_mutex_unlock(&cq->lock);
}

/* libefa writes to a doorbell that such a queue does not have, and the program ends by SIGSEGV. */
static void abort_without_doorbell(void)
{
	shca_say("a completion queue without a channel was armed: on EFA that is a crash");
	abort();
}

/* Reserves room for the event here, so that a completion never lacks it. */
int shca_req_notify_cq(struct ibv_cq *ibv, int solicited_only)
{
	struct shca_cq *cq = to_shca_cq(ibv);
	enum shca_cq_arm arm = solicited_only ? SHCA_CQ_ARMED_SOLICITED : SHCA_CQ_ARMED;
	int ret = 0;

	if (!shca_handle_is_valid(ibv))
		return EINVAL;
	if (shca_personality()->bare_cq && solicited_only)
		return EOPNOTSUPP;
	if (!ibv->channel) {
		if (shca_personality()->bare_cq)
			abort_without_doorbell();
		return 0;
	}
	pthread_mutex_lock(&cq->lock);
	if (cq->arm == SHCA_CQ_IDLE)
		ret = -shca_event_queue_reserve(&to_shca_channel(ibv->channel)->queue);
	if (!ret && arm > cq->arm)
		cq->arm = arm;
	pthread_mutex_unlock(&cq->lock);
	if (!ret)
		shca_engine_arm(cq->links, shca_cq_waker(cq));
	return ret;
}

/* ---- creating ---- */

static int allocate_ring(struct shca_cq *cq, uint32_t cqe)
{
	size_t slots = shca_slots_for(cqe);

	/* The content is undefined: a completion fills an entry. So a page of a long queue is used when needed. */
	cq->ring = malloc(slots * sizeof(*cq->ring));
	if (!cq->ring)
		return ENOMEM;
	cq->mask = (uint32_t)slots - 1;
	cq->ibv.cqe = (int)cqe;
	return 0;
}

static int check(struct ibv_context *context, int64_t cqe, const struct ibv_comp_channel *channel, int64_t vector)
{
	if (atomic_load(&to_shca_context(context)->removed))
		return EIO;
	if (channel && !shca_personality()->completion_channel)
		return EOPNOTSUPP;
	if (cqe < 1 || cqe > shca_personality()->max_cqe || vector < 0 || vector >= context->num_comp_vectors ||
	    (channel && channel->context != context))
		return EINVAL;
	return shca_limit_acquire(SHCA_LIMITED_CQ) ? 0 : ENOMEM;
}

struct shca_cq *shca_cq_new(struct ibv_context *context, int64_t cqe, void *cq_context,
			    struct ibv_comp_channel *channel, int64_t vector)
{
	int ret = check(context, cqe, channel, vector);
	struct shca_cq *cq;

	if (shca_personality()->rounds_depths && !ret)
		cqe = shca_slots_for((uint32_t)cqe);
	if (ret)
		return shca_null(ret);
	cq = calloc(1, sizeof(*cq));
	if (!cq || allocate_ring(cq, (uint32_t)cqe)) {
		free(cq);
		shca_limit_release(SHCA_LIMITED_CQ);
		errno = ENOMEM;
		return NULL;
	}
	cq->ibv.context = context;
	cq->links = to_shca_context(context)->links;
	cq->ibv.channel = channel;
	cq->ibv.cq_context = cq_context;
	shca_handle_set(&cq->ibv);
	pthread_mutex_init(&cq->ibv.mutex, NULL);
	pthread_cond_init(&cq->ibv.cond, NULL);
	pthread_mutex_init(&cq->poll_lock, NULL);
	pthread_mutex_init(&cq->lock, NULL);
	atomic_fetch_add(&to_shca_context(context)->objects, 1);
	if (channel)
		atomic_fetch_add(&to_shca_channel(channel)->users, 1);
	return cq;
}

SHCA_EXPORT struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context,
					 struct ibv_comp_channel *channel, int comp_vector)
{
	struct shca_cq *cq = shca_cq_new(context, cqe, cq_context, channel, comp_vector);

	return cq ? &cq->ibv : NULL;
}

SHCA_EXPORT int ibv_resize_cq(struct ibv_cq *ibv, int cqe)
{
	struct shca_cq *cq = to_shca_cq(ibv);
	struct shca_cqe *old;
	uint32_t old_mask, head, tail, i;
	int old_cqe, ret = 0;

	if (shca_personality()->bare_cq)
		return shca_error(EOPNOTSUPP);
	if (!shca_handle_is_valid(ibv) || cqe < 1 || (uint32_t)cqe > shca_personality()->max_cqe)
		return shca_error(EINVAL);
	pthread_mutex_lock(&cq->lock);
	head = atomic_load_explicit(&cq->head, memory_order_relaxed);
	tail = atomic_load_explicit(&cq->tail, memory_order_relaxed);
	old_mask = cq->mask;
	old_cqe = ibv->cqe;
	old = cq->ring;
	if (tail - head + cq->polling > (uint32_t)cqe)
		ret = EINVAL;
	else
		ret = allocate_ring(cq, (uint32_t)cqe);
	if (!ret) {
		for (i = head; i != tail; i++)
			cq->ring[i & cq->mask] = old[i & old_mask];
		free(old);
	} else {
		cq->ring = old;
		ibv->cqe = old_cqe;
	}
	pthread_mutex_unlock(&cq->lock);
	return shca_error(ret);
}

/* ---- destroying ---- */

static bool is_about(void *event, void *cq)
{
	return event == cq;
}

/* Events still in the channel are removed; fetched ones must be acknowledged first. */
static void forget_channel(struct shca_cq *cq)
{
	struct shca_event_queue *queue = &to_shca_channel(cq->ibv.channel)->queue;
	uint32_t count;

	if (cq->arm != SHCA_CQ_IDLE)
		shca_event_queue_unreserve(queue);
	shca_event_queue_remove(queue, is_about, cq, NULL);
	pthread_mutex_lock(&queue->lock);
	count = cq->channel_events;
	pthread_mutex_unlock(&queue->lock);
	pthread_mutex_lock(&cq->ibv.mutex);
	while (cq->ibv.comp_events_completed != count)
		pthread_cond_wait(&cq->ibv.cond, &cq->ibv.mutex);
	pthread_mutex_unlock(&cq->ibv.mutex);
	atomic_fetch_sub(&to_shca_channel(cq->ibv.channel)->users, 1);
}

SHCA_EXPORT int ibv_destroy_cq(struct ibv_cq *ibv)
{
	struct shca_cq *cq = to_shca_cq(ibv);

	if (!shca_handle_is_valid(ibv))
		return shca_error(ENOENT);
	if (atomic_load(&cq->users))
		return shca_error(EBUSY);
	if (ibv->channel)
		forget_channel(cq);
	shca_async_forget(ibv->context, &cq->async_events, &ibv->mutex, &ibv->cond,
			  &ibv->async_events_completed);
	atomic_fetch_sub(&to_shca_context(ibv->context)->objects, 1);
	pthread_mutex_destroy(&cq->lock);
	pthread_mutex_destroy(&cq->poll_lock);
	pthread_cond_destroy(&ibv->cond);
	pthread_mutex_destroy(&ibv->mutex);
	free(cq->sources);
	free(cq->ring);
	free(cq);
	shca_limit_release(SHCA_LIMITED_CQ);
	return 0;
}
