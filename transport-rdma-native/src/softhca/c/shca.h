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
 * The objects behind the verbs handles, and the way from the public struct to ours. Who owns which
 * lock, and in which order they are taken:
 *
 *    link->rx_lock > qp->lock > srq->lock
 *                             > cq->lock > channel->lock
 *                             > link->tx_lock
 *                             > context->events.lock
 *
 * A lock to the right may be taken while one to the left is held, never the reverse. To the left of all is
 * cq->poll_lock: an application holds it from ibv_start_poll to ibv_end_poll, and may post meanwhile.
 */
#ifndef SHCA_H
#define SHCA_H

#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "shca_event_queue.h"
#include "shca_packet.h"

#define shca_container_of(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))
#define SHCA_LIKELY(x)		__builtin_expect(!!(x), 1)
#define SHCA_UNLIKELY(x)	__builtin_expect(!!(x), 0)

#define SHCA_VENDOR_ID		0x5350u		/* "SP": not one that the IEEE gave to a maker of adapters */
#define SHCA_PORT		1

struct shca_link;

/* Slots of a ring that holds so many: cursors that run freely wrap around only in a power of two. */
static inline uint32_t shca_slots_for(uint32_t count)
{
	uint32_t slots = 1;

	while (slots < count)
		slots *= 2;
	return slots;
}

/* ---- what a device can do: shca_personality.c has one of these per personality, and nothing else differs ---- */

struct shca_personality {
	const char *name;
	enum ibv_node_type node_type;
	enum ibv_transport_type transport_type;
	bool immediate;
	bool atomics;
	bool datagrams;
	bool shared_receive_queue;
	bool extended_cq;		/* ibv_create_cq_ex and everything behind it */
	bool extended_qp;		/* ibv_create_qp_ex with send_ops_flags: ibv_wr_* */
	bool negative_errno;		/* the post functions return -errno, as siw's do */
	bool refuses_posts_in_error;	/* ENOTCONN, instead of a flushed completion */
	bool reports_failed_receives;	/* QP_FATAL or QP_ACCESS_ERR, before the completion */
	bool client_speaks_first;	/* the side that accepted may not send before it has received */
	bool read_sink_needs_remote_write;
	bool receive_needs_sge;
	bool connect_by_cm_only;	/* no address vector in modify: queue pairs are connected by rdma_cm */
	uint32_t max_qp;
	uint32_t max_qp_wr;
	uint32_t max_sge;
	uint32_t max_sge_rd;
	uint32_t max_inline;
	uint32_t max_cq;
	uint32_t max_cqe;
	uint32_t max_mr;
	uint32_t max_pd;
	uint32_t max_ah;
	uint32_t max_srq;
	uint32_t max_srq_wr;
	uint32_t max_srq_sge;
	uint32_t max_rd_atomic;		/* per queue pair, as responder and as initiator */
	uint64_t max_mr_size;
	uint32_t max_message;
	uint32_t send_buffer;		/* bytes that complete before the peer has them, or 0 */
	enum ibv_mtu mtu;
};

/* By SOFTHCA_PERSONALITY, asked for the first time. An unknown name: a line on stderr, and "rc". */
const struct shca_personality *shca_personality_choose(void);

extern const struct shca_personality *_Atomic shca_personality_chosen;

static inline const struct shca_personality *shca_personality(void)
{
	const struct shca_personality *chosen = atomic_load_explicit(&shca_personality_chosen, memory_order_relaxed);

	return SHCA_LIKELY(chosen) ? chosen : shca_personality_choose();
}

/* ---- device and context ---- */

struct shca_context {
	struct verbs_context vctx;
	struct shca_event_queue events;		/* of struct shca_async_event */
	_Atomic uint32_t objects;		/* PDs, CQs and channels: close refuses while there are any */
	_Atomic bool removed;			/* the device is gone: posts and new objects give EIO */
	struct shca_context *next;		/* all open ones; under the device's lock */
};

/* What an object of a kind may be counted against: the device's limits are per process. */
enum shca_limited {
	SHCA_LIMITED_PD,
	SHCA_LIMITED_MR,
	SHCA_LIMITED_CQ,
	SHCA_LIMITED_QP,
	SHCA_LIMITED_SRQ,
	SHCA_LIMITED_AH,
	SHCA_LIMITED_KINDS,
};
/* False when the personality's limit is reached. */
bool shca_limit_take(enum shca_limited kind);
void shca_limit_give(enum shca_limited kind);

/* The GIDs of the port: one per address of the machine, read when asked for. shca_address.c */
int shca_gid_count(void);
/* 0 or -errno. Index 0 is fe80::, made of the GUID. interface may be NULL. */
int shca_gid_at(int index, union ibv_gid *gid, uint32_t *interface);
bool shca_gid_is_local(const union ibv_gid *gid);
__be64 shca_guid(void);

/* Removes the device under everybody: DEVICE_FATAL, flushed queue pairs, DEVICE_REMOVAL. shca_device.c */
void shca_device_remove(void);
/* It is there again, for who opens it from now on: what was open stays without. shca_device.c */
void shca_device_insert(void);
bool shca_device_is_removed(void);

/* ---- asynchronous events: shca_async_event.c ---- */

struct shca_async_event {
	struct ibv_async_event event;
	uint32_t *fetched;	/* of the object, under the queue's lock; NULL: the device's own event */
};

/* An object is destroyed only when its events have been acknowledged. */
void shca_async_qp_event(struct ibv_qp *qp, enum ibv_event_type type);
void shca_async_cq_event(struct ibv_cq *cq, enum ibv_event_type type);
void shca_async_srq_event(struct ibv_srq *srq, enum ibv_event_type type);
void shca_async_port_event(struct ibv_context *context, enum ibv_event_type type);
/* Takes out what nobody fetched, and waits for the acknowledgement of what was. */
void shca_async_forget_qp(struct ibv_qp *qp);
void shca_async_forget_cq(struct ibv_cq *cq);
void shca_async_forget_srq(struct ibv_srq *srq);

/* ---- memory: shca_protection_domain.c, shca_memory.c, shca_region.c ---- */

struct shca_pd {
	struct ibv_pd ibv;
	uint32_t number;		/* not used again for long: what a region and a queue pair are compared by */
	_Atomic uint32_t users;
};

/*
 * A registered range. Regions lie in a table that is never freed: a reader finds the region by the
 * key's index, counts itself in, and looks whether the key is still the same; deregistration takes the
 * key away and waits until nobody is counted in. Key = index << 8 | a tag that changes with each use.
 */
struct shca_region {
	_Atomic uint32_t key;		/* 0: free */
	_Atomic uint32_t users;
	uint32_t pd;
	uint32_t access;		/* enum ibv_access_flags */
	uint64_t start;			/* what work requests call the first byte: iova */
	uint64_t length;
	uint8_t *memory;		/* where it lies in this process */
	uint8_t next_tag;		/* of the key that is made here next */
};

struct shca_mr {
	struct ibv_mr ibv;
	struct shca_region *region;
};

/* NULL, or the region counted in: the key is of this PD, covers the range and grants all of access. */
struct shca_region *shca_region_pin(uint32_t pd, uint32_t key, uint64_t address, uint64_t length, unsigned int access);
void shca_region_unpin(struct shca_region *region);
static inline uint8_t *shca_region_at(const struct shca_region *region, uint64_t address)
{
	return region->memory + (address - region->start);
}

/*
 * Copies between flat memory and the bytes [offset, offset + length) of a scatter list. The list is long
 * enough: callers compare lengths first. IBV_WC_SUCCESS or IBV_WC_LOC_PROT_ERR; a list that is refused
 * may have been copied in part. access is what the regions must grant: 0 to read, IBV_ACCESS_LOCAL_WRITE to write.
 */
enum ibv_wc_status shca_gather(uint32_t pd, const struct ibv_sge *list, uint32_t count, uint32_t offset, void *to,
			       uint32_t length);
enum ibv_wc_status shca_scatter(uint32_t pd, const struct ibv_sge *list, uint32_t count, uint32_t offset,
				const void *from, uint32_t length, unsigned int access);
/* Whether every entry of the list may be used so, empty ones aside. */
enum ibv_wc_status shca_check_list(uint32_t pd, const struct ibv_sge *list, uint32_t count, unsigned int access);
/* Bytes of all entries. */
uint64_t shca_list_length(const struct ibv_sge *list, uint32_t count);

/* ---- completion queues: shca_completion_queue.c, shca_completion_channel.c ---- */

struct shca_channel {
	struct ibv_comp_channel ibv;
	struct shca_event_queue queue;	/* of struct shca_cq */
	_Atomic uint32_t users;
};

struct shca_qp;
struct shca_srq;

/* One completion, with what frees the slots of its work request when it is polled. */
struct shca_cqe {
	uint64_t wr_id;
	uint32_t byte_len;
	uint32_t immediate;
	uint32_t qp_num;
	uint32_t src_qp;
	uint32_t wc_flags;		/* enum ibv_wc_flags */
	uint32_t vendor_err;
	uint32_t slots;			/* send: value for sq.freed; receive: 1 slot is given back */
	uint8_t status;			/* enum ibv_wc_status */
	uint8_t opcode;			/* enum ibv_wc_opcode */
	uint8_t sl;
	bool solicited;
	struct shca_qp *qp;		/* its send slots or receive slot; NULL after it was destroyed */
	struct shca_srq *srq;		/* its receive slot instead */
};

enum shca_cq_arm { SHCA_CQ_IDLE, SHCA_CQ_ARMED_SOLICITED, SHCA_CQ_ARMED };

struct shca_cq {
	union {
		struct ibv_cq ibv;
		struct ibv_cq_ex ex;
	};
	pthread_mutex_t poll_lock;	/* held from start_poll to end_poll, unless single_threaded */
	pthread_mutex_t lock;		/* everything else here, for moments */
	struct shca_cqe *ring;
	uint32_t mask;			/* slots of ring - 1; ibv.cqe of them are used at most */
	_Atomic uint32_t head;		/* next to poll */
	_Atomic uint32_t tail;		/* next to be put */
	enum shca_cq_arm arm;
	bool overrun;			/* IBV_EVENT_CQ_ERR was raised; nothing goes in any more */
	bool single_threaded;		/* an extended poll takes no lock */
	_Atomic bool in_use;		/* from start_poll to end_poll, if single_threaded */
	_Atomic uint32_t users;		/* queue pairs; destroy refuses while there are any */
	uint32_t channel_events, async_events;	/* fetched from channel and context; under their queues' locks */
	bool polling;			/* from start_poll to end_poll: current is valid */
	struct shca_cqe current;	/* out of the ring already; its slots are given back when polling goes on */
};

/*
 * Puts a completion, wakes the channel if the queue is armed for it. False when the queue is full or has
 * overrun before: IBV_EVENT_CQ_ERR was raised then, and the caller puts its queue pair into the error state.
 */
bool shca_cq_put(struct shca_cq *cq, const struct shca_cqe *cqe);
/* The completions of a queue pair that goes away vanish. */
void shca_cq_forget(struct shca_cq *cq, struct shca_qp *qp);
/* They stay, and know nothing of it any more. */
void shca_cq_orphan(struct shca_cq *cq, struct shca_qp *qp);

/* ---- shared receive queues: shca_shared_receive_queue.c ---- */

/* A posted receive: a copy of what ibv_post_recv was given. */
struct shca_receive {
	uint64_t wr_id;
	uint32_t num_sge;
	struct ibv_sge *sges;		/* room for max_sge, fixed */
};

/* Receives in posting order. Its user's lock protects it. shca_receive_queue.c */
struct shca_receive_queue {
	struct shca_receive *ring;
	struct ibv_sge *sges;
	uint32_t depth;			/* max_wr as granted */
	uint32_t mask;			/* slots of ring - 1 */
	uint32_t max_sge;
	uint32_t posted;		/* free-running */
	uint32_t taken;			/* by messages or flushes */
	_Atomic uint32_t freed;		/* completions polled; posted - freed <= depth */
};

int shca_receive_queue_init(struct shca_receive_queue *queue, uint32_t depth, uint32_t max_sge);
void shca_receive_queue_destroy(struct shca_receive_queue *queue);
/* 0, ENOMEM when full, EINVAL for a list longer than max_sge: as ibv_post_recv answers. Copies the request. */
int shca_receive_queue_post(struct shca_receive_queue *queue, const struct ibv_recv_wr *wr);
/* The oldest, or NULL. Stays valid until its slot is freed by polling. */
const struct shca_receive *shca_receive_queue_take(struct shca_receive_queue *queue);

struct shca_srq {
	struct ibv_srq ibv;
	pthread_mutex_t lock;
	struct shca_receive_queue receives;
	uint32_t limit;			/* armed when not 0 */
	uint32_t pd;
	_Atomic uint32_t users;
	uint32_t async_events;		/* fetched; under the queue's lock */
};

/* Copies the oldest receive out (its sges into room for max_sge) and raises the limit event. False when empty. */
bool shca_srq_take(struct shca_srq *srq, struct shca_receive *into);

/* ---- address handles: shca_address_handle.c ---- */

struct shca_ah {
	struct ibv_ah ibv;
	struct ibv_ah_attr attr;
	union ibv_gid local_gid;	/* of sgid_index, when it was made: posting looks nothing up */
};

/* ---- queue pairs: shca_queue_pair.c, _state.c; posting: shca_post.c, shca_work_request.c ---- */

/* One posted send. */
struct shca_send {
	uint64_t wr_id;
	uint64_t remote_address;
	uint64_t operands[2];		/* compare or add, swap */
	uint32_t length;
	uint32_t rkey;
	uint32_t immediate;		/* network order */
	uint8_t opcode;			/* enum ibv_wr_opcode */
	uint8_t flags;			/* enum ibv_send_flags; SIGNALED set where sq_sig_all says so */
	uint8_t num_sge;		/* of the slot's list; 0 with INLINE: the bytes are in the slot */
	bool answered;			/* a read or an atomic whose answer is complete */
	uint32_t received;		/* bytes of a read's answer that have come */
	uint8_t *kept;			/* its bytes, complete but not acknowledged: shca_send_buffer.c */
	/* of a datagram */
	uint32_t remote_qpn;
	uint32_t remote_qkey;
	union ibv_gid remote_gid;
	union ibv_gid local_gid;
};

/* The send queue: cursors run freely, slot = cursor & mask. freed <= completed <= posted; acked <= completed, next. */
struct shca_send_queue {
	struct shca_send *ring;
	struct ibv_sge *sges;		/* max_sge per slot */
	uint8_t *inline_data;		/* max_inline per slot */
	uint32_t depth;			/* max_send_wr as granted */
	uint32_t mask;			/* slots of ring - 1: a power of two, or cursors could not wrap around */
	uint32_t max_sge;
	uint32_t max_inline;
	uint32_t posted;
	uint32_t next;			/* to be sent */
	uint32_t next_offset;		/* bytes of it that were sent */
	uint32_t acked;			/* oldest that the peer has not got, as far as is known */
	uint32_t completed;		/* oldest that is not complete */
	uint32_t kept;			/* bytes of all from acked to completed */
	_Atomic uint32_t freed;		/* by polling: posted - freed <= depth */
	uint32_t reads;			/* reads and atomics sent and not answered */
	bool drain_told;		/* of SQD: IBV_EVENT_SQ_DRAINED was raised */
};

static inline struct shca_send *shca_send_at(struct shca_send_queue *sq, uint32_t cursor)
{
	return &sq->ring[cursor & sq->mask];
}

static inline struct ibv_sge *shca_send_sges(struct shca_send_queue *sq, uint32_t cursor)
{
	return &sq->sges[(size_t)(cursor & sq->mask) * sq->max_sge];
}

static inline uint8_t *shca_send_inline(struct shca_send_queue *sq, uint32_t cursor)
{
	return &sq->inline_data[(size_t)(cursor & sq->mask) * sq->max_inline];
}

/* A read or an atomic that the responder answers, or has answered and may have to answer again. */
struct shca_response {
	uint32_t psn;
	uint8_t type;			/* SHCA_READ, SHCA_COMPARE_SWAP, SHCA_FETCH_ADD */
	bool sent;
	uint32_t key;
	uint64_t address;
	uint32_t length;
	uint32_t offset;		/* bytes sent so far */
	uint64_t old;			/* of an atomic, big as the memory had it */
};

/* Reliable connection, both roles. Only shca_rc*.c looks inside. */
struct shca_rc {
	/* requester */
	struct shca_link *link;		/* to the peer's process; NULL until dialled */
	uint32_t link_life;
	uint64_t wait_until;		/* RNR: nothing is sent before; 0: not waiting */
	uint64_t begin_at;		/* this and the next two: by faults, see shca_rc_late.c */
	uint64_t ack_at;		/* the acknowledgement of late_psn counts then; 0: there is none */
	uint32_t late_psn;
	uint64_t stalled_since;		/* for the ack timer; only shca_qp_tick reads the clock */
	uint32_t acked_at_tick;
	uint8_t retries;		/* left */
	uint8_t rnr_retries;		/* left; 7 is for ever */
	/* responder */
	uint32_t expected_psn;
	uint32_t message_offset;	/* bytes of the current message that have come */
	bool in_message;
	bool nak_sent;			/* the sequence error was told: not again until it mends */
	bool heard;			/* a message has come: see client_speaks_first */
	bool accepted;			/* the side that accepted */
	bool receiving;			/* receive holds what the current message consumes */
	struct shca_receive receive;
	struct ibv_sge *receive_sges;
	struct shca_response *responses;	/* ring of response_mask + 1: a power of two, as cursors wrap around */
	uint32_t response_mask;
	uint32_t response_count;		/* max_dest_rd_atomic: of so many at a time */
	uint32_t responses_first;	/* oldest that is not sent, or is to be sent again */
	uint32_t responses_next;	/* free-running */
	/* what the responder owes, besides responses: both say expected_psn when they are sent */
	bool ack_owed;
	bool nak_owed;
	uint8_t nak_syndrome;
	struct shca_link *ack_link;	/* by which the last request came */
	struct shca_qp *next_ack;	/* link->acks; under that link's rx_lock */
	bool is_on_acks;
};

struct shca_qp_type_ops;

struct shca_qp {
	union {
		struct ibv_qp ibv;
		struct ibv_qp_ex ex;
	};
	const struct shca_qp_type_ops *ops;
	pthread_mutex_t lock;
	uint32_t pd;			/* number of its protection domain */
	bool sq_sig_all;
	bool extended;
	struct ibv_qp_cap cap;
	uint64_t send_ops_flags;
	struct ibv_qp_attr attr;	/* what modify has set so far; attr.qp_state is not used: ibv.state is */
	struct shca_send_queue sq;
	struct shca_receive_queue rq;	/* depth 0 with a shared one */
	struct shca_srq *srq;
	struct shca_cq *send_cq;
	struct shca_cq *recv_cq;
	struct shca_rc rc;
	/* the ibv_wr_* session: shca_work_request.c */
	uint32_t session_posted;
	int session_error;
	uint32_t async_events;		/* fetched; under the context's event queue's lock */
	/* lists it may be on */
	struct shca_qp *next_blocked;	/* link->blocked; under that link's tx_lock */
	_Atomic bool is_blocked;
	struct shca_qp *next_watched;	/* the engine's */
	_Atomic bool is_watched;
	uint64_t idle_since;		/* the helper thread's: nothing has been outstanding for so long */
};

/* What differs between the types of queue pairs. A new type is one file with one of these. */
struct shca_qp_type_ops {
	enum ibv_qp_type type;
	uint64_t send_ops;		/* enum ibv_qp_create_send_ops_flags that it has */
	/* Called on entering a state, with the lock held. */
	void (*entered)(struct shca_qp *qp, enum ibv_qp_state from, enum ibv_qp_state to);
	/* Sends what was posted as far as it goes; with the lock held. */
	void (*transmit)(struct shca_qp *qp);
	/* A packet for it has come; with the lock held. payload is packet->payload bytes. */
	void (*receive)(struct shca_qp *qp, struct shca_link *link, const struct shca_packet *packet,
			const void *payload);
	/* Sends the acknowledgement that it owes; with the lock held. False if the ring is full. */
	bool (*acknowledge)(struct shca_qp *qp);
	/* Minds the timers; returns the next deadline, 0 when there is nothing outstanding. Lock held. */
	uint64_t (*tick)(struct shca_qp *qp, uint64_t now);
};

extern const struct shca_qp_type_ops shca_rc_ops;
extern const struct shca_qp_type_ops shca_ud_ops;
/* NULL: this device has no such type. */
const struct shca_qp_type_ops *shca_qp_type_ops(enum ibv_qp_type type);

/* The table of this process's queue pairs, by number. Without a lock; see shca_links_quiesce for why that is safe. */
struct shca_qp *shca_qp_find(uint32_t number);
/* Entry points of link and engine; each takes the lock. */
void shca_qp_receive(struct shca_link *link, const struct shca_packet *packet, const void *payload);
void shca_qp_unblock(struct shca_qp *qp);
uint64_t shca_qp_tick(struct shca_qp *qp, uint64_t now);
/* After a batch of packets: sends what the queue pairs of link->acks owe. Under rx_lock. */
void shca_qp_acknowledge_all(struct shca_link *link);
/* Every queue pair of the process, in turn, with its lock held. */
void shca_qp_for_each(void (*visit)(struct shca_qp *qp, void *argument), void *argument);

/*
 * Into the error state, with the lock held: what is in the queues is flushed, in order. event: what the
 * application is told asynchronously, or -1. Nothing happens when it is there already.
 */
void shca_qp_fail(struct shca_qp *qp, int event);
/* Completes the oldest work requests as flushed, all of them; state ERR, lock held. */
void shca_qp_flush(struct shca_qp *qp);
/* Puts a send's completion: cursor's slot, and all before it, are free once it is polled. Lock held. */
void shca_qp_complete_send(struct shca_qp *qp, uint32_t cursor, enum ibv_wc_status status);
/* Fills what receive completions have in common (wr_id, qp_num, slots, owner). */
void shca_qp_start_receive_cqe(struct shca_qp *qp, const struct shca_receive *receive, struct shca_cqe *cqe);
/* Of a message that came whole, with its last packet: what the completion says of it. */
void shca_cqe_set_received(struct shca_cqe *cqe, const struct shca_packet *packet);
/* SQD: raises the event, once, when nothing is outstanding any more. Lock held. */
void shca_qp_tell_drained(struct shca_qp *qp);
/* Puts a completion into one of its queues; fails the queue pair when the queue has overrun. Lock held. */
void shca_qp_put(struct shca_qp *qp, struct shca_cq *cq, const struct shca_cqe *cqe);
/* The next receive, from its own queue or the shared one, into room of the caller. False: none posted. */
bool shca_qp_take_receive(struct shca_qp *qp, struct shca_receive *into);

/* After posting, without locks: sends, and does the peer's part too when the peer is this process. */
void shca_qp_kick(struct shca_qp *qp);

/* As ibv_modify_qp; also what rdma_cm uses. */
int shca_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask);
/*
 * From INIT to RTS in one step, where queue pairs are connected by rdma_cm only (iWARP). 0 or an errno.
 * accepted: this side was asked, and speaks second where the personality says client_speaks_first.
 */
int shca_qp_connect(struct shca_qp *qp, uint32_t remote_qpn, const union ibv_gid *remote_gid, uint32_t sq_psn,
		    uint32_t rq_psn, uint8_t initiator_depth, uint8_t responder_resources, bool accepted);

/* ---- conversions ---- */

static inline struct shca_context *to_shca_context(struct ibv_context *context)
{
	return shca_container_of(context, struct shca_context, vctx.context);
}

static inline struct shca_pd *to_shca_pd(struct ibv_pd *pd)
{
	return shca_container_of(pd, struct shca_pd, ibv);
}

static inline struct shca_mr *to_shca_mr(struct ibv_mr *mr)
{
	return shca_container_of(mr, struct shca_mr, ibv);
}

static inline struct shca_channel *to_shca_channel(struct ibv_comp_channel *channel)
{
	return shca_container_of(channel, struct shca_channel, ibv);
}

static inline struct shca_cq *to_shca_cq(struct ibv_cq *cq)
{
	return shca_container_of(cq, struct shca_cq, ibv);
}

static inline struct shca_srq *to_shca_srq(struct ibv_srq *srq)
{
	return shca_container_of(srq, struct shca_srq, ibv);
}

static inline struct shca_ah *to_shca_ah(struct ibv_ah *ah)
{
	return shca_container_of(ah, struct shca_ah, ibv);
}

static inline struct shca_qp *to_shca_qp(struct ibv_qp *qp)
{
	return shca_container_of(qp, struct shca_qp, ibv);
}

/* What a post function of this device returns for an error: some devices negate. */
static inline int shca_post_error(int error)
{
	return shca_personality()->negative_errno ? -error : error;
}

#endif
