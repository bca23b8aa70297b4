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
 * The objects of connection management. The rdma_* functions are split as the real ones are: librdmacm's part (ids,
 * events, queue pairs created with ids; shca_cm_library.h) and the kernel's (states, addresses, messages;
 * shca_cm_kernel.h).
 *
 *    rdma_* functions          shca_cm_id.c _event.c _queue_pair.c, and those of cm/api/
 *    "kernel", under the lock  shca_cm_listen.c _connect.c _receive.c _datagram.c _attributes.c _send.c _window.c
 *    without state             shca_cm_address.c _message.c _device.c
 *
 * One lock, shca_cm_lock, protects the state of all ids: this is the control path. Order:
 *
 *    shca_cm_lock > event queue's lock
 *                 > fabric's lock, the table's lock of processes and links > link->tx_lock > process->lock
 *                 > the table's lock of queue pairs > link->rx_lock > qp->lock
 *
 * No folder below calls connection management with a lock held. The device is opened and closed without shca_cm_lock:
 * closing waits for the helper thread, which takes that lock.
 *
 * States of an id:
 *
 *    IDLE --> BOUND --> LISTENING
 *      |        |
 *      +--------+--> RESOLVING --> RESOLVED --> ROUTED --> REQUESTING     REQUESTED
 *                       (BOUND if it fails)                    |  REP, REJ    | accept, reject
 *                                                              v              v
 *                                                          RESPONDED      ACCEPTING
 *                                                              |  establish   | RTU
 *                                                              v              v
 *                                 disconnect <-------------- CONNECTED <------+
 *                                     |                        | DREQ
 *                                     v                        v
 *                                DISCONNECTING           DISCONNECTED
 *                                     | DREP, DREQ             | disconnect: DREP
 *                                     +-----> TIMEWAIT <-------+
 *                                                 | time
 *                                                 v
 *       REJ, no answer, rejected ------------> CLOSED            any but IDLE: device removed --> REMOVED
 *
 * Datagrams go REQUESTING --> CONNECTED and REQUESTED --> CONNECTED, or CLOSED.
 */
#ifndef SHCA_CM_H
#define SHCA_CM_H

#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/shca_event_queue.h"
#include "cm/shca_cm_message.h"
#include "personality/shca_personality.h"

/* Maximum bytes of private data, as in InfiniBand, less what rdma_cm takes for addresses. */
#define SHCA_CM_REQ_DATA	56u
#define SHCA_CM_REP_DATA	196u
#define SHCA_CM_REJ_DATA	148u
#define SHCA_CM_SIDR_REQ_DATA	180u
#define SHCA_CM_SIDR_REP_DATA	136u

enum shca_cm_state {
	SHCA_CM_IDLE,
	SHCA_CM_BOUND,
	SHCA_CM_LISTENING,
	SHCA_CM_RESOLVING,
	SHCA_CM_RESOLVED,
	SHCA_CM_ROUTED,
	SHCA_CM_REQUESTING,	/* from here on it has a peer */
	SHCA_CM_RESPONDED,
	SHCA_CM_REQUESTED,
	SHCA_CM_ACCEPTING,
	SHCA_CM_NOTIFIED,	/* connected by rdma_notify, and ESTABLISHED not raised yet */
	SHCA_CM_CONNECTED,
	SHCA_CM_DISCONNECTING,
	SHCA_CM_DISCONNECTED,
	SHCA_CM_TIMEWAIT,
	SHCA_CM_CLOSED,
	SHCA_CM_REMOVED,
};

/* Whether the last message asks for an answer, and has room to be sent: see shca_cm_window.c. */
enum shca_cm_window {
	SHCA_CM_OUTSIDE,
	SHCA_CM_QUEUED,
	SHCA_CM_OUTSTANDING,
};

/* ---- the device of the ids ---- */

/* struct cma_port of librdmacm: see struct shca_cm_id. */
struct shca_cm_port {
	uint8_t link_layer;
};

/* struct cma_device of librdmacm: see struct shca_cm_id. */
struct shca_cm_device {
	struct ibv_device *ibv;
	void *list[2];
	struct ibv_context *verbs;	/* opened when first needed, and kept; a new one after a removal */
	struct ibv_pd *pd;		/* for ids without a PD of their own; kept as long as there are ids */
	struct ibv_xrcd *xrcd;
	struct shca_cm_port *port;
	__be64 guid;
	int port_count;
	int users;
	int max_qp_wr;
	uint8_t max_initiator_depth;
	uint8_t max_responder_resources;
	int index;
	uint8_t is_dead : 1;
};

/* ---- ids ---- */

struct shca_process;

struct shca_cm_channel {
	struct rdma_event_channel channel;
	struct shca_event_queue queue;	/* of struct shca_cm_event */
};

/*
 * The part before state has the layout of librdmacm's struct cma_id_private, and struct shca_cm_device that of its
 * struct cma_device. Preloading this library runs rsockets, which are part of librdmacm, on our ids, and they read
 * behind the public struct (ucma_complete: sync; ucma_max_qpsize: cma_dev->max_qpsize). Compared with all releases from
 * v28 to v64: the device's list entry came with v30 (v28 and v29 have max_qpsize elsewhere), ECE with v31, the last two
 * members here with v60.
 */
struct shca_cm_id {
	struct rdma_cm_id id;
	struct shca_cm_device *device;
	void *connect_data;		/* of rdma_addrinfo; precedes the private data of rdma_connect */
	size_t connect_size;
	int events_completed;		/* acknowledged; under mutex */
	int connect_error;
	int sync;			/* its calls wait for their event; it owns its channel */
	pthread_cond_t cond;
	pthread_mutex_t mutex;
	uint32_t number;		/* identifies the id in messages; not reused */
	void *multicasts;
	struct ibv_qp_init_attr *qp_init_attr;	/* for the queue pairs that rdma_get_request creates */
	uint8_t initiator_depth;
	uint8_t responder_resources;
	struct ibv_ece local_ece;
	struct ibv_ece remote_ece;
	bool resolving_ai;
	struct rdma_addrinfo *resolved_ai;

	/* of this library alone, under shca_cm_lock */
	enum shca_cm_state state;
	struct shca_cm_id *next;		/* list of all ids */
	struct shca_cm_id *previous;
	struct shca_cm_id *next_by_number;
	struct shca_cm_id *next_by_peer;
	_Atomic int events_fetched;		/* fetched from a channel */
	_Atomic int backlog;			/* how many more requests may wait */
	bool is_silent;				/* a request has no events before it is accepted: see shca_cm_raise */
	bool has_device;			/* its address belongs to the device */
	union shca_cm_address local;
	union shca_cm_address remote;
	bool has_port;
	uint32_t port_record;
	bool reuse;
	bool afonly;
	uint8_t tos;
	bool timeout_set;
	uint8_t timeout;
	/* the connection */
	struct shca_process *process;		/* the peer's; NULL when it is gone */
	uint32_t peer;				/* number of the peer's id; 0: not known yet */
	uint32_t local_qpn;
	uint32_t remote_qpn;
	uint32_t rq_psn;
	uint32_t sq_psn;
	uint8_t cm_initiator_depth;
	uint8_t cm_responder_resources;
	uint8_t retry_count;
	uint8_t rnr_retry_count;
	uint8_t traffic_class;
	uint8_t packet_life_time;		/* of the path, one way, as an exponent; in a request, the peer's */
	struct shca_cm_message last;		/* the last message, for sending it again */
	unsigned int tries;			/* left */
	uint64_t deadline;			/* 0: no timer runs */
	enum shca_cm_window window;
	struct shca_cm_id *next_queued;
	struct shca_cm_id *previous_queued;
	uint64_t held_until;			/* by a message that is not stopped: see shca_cm_notify */
};

_Static_assert(offsetof(struct shca_cm_id, id) == 0, "rdma_cm_id comes first");
#ifdef __LP64__
_Static_assert(offsetof(struct shca_cm_id, device) == sizeof(struct rdma_cm_id), "cma_dev");
_Static_assert(offsetof(struct shca_cm_id, events_completed) == sizeof(struct rdma_cm_id) + 24, "events_completed");
_Static_assert(offsetof(struct shca_cm_id, sync) == sizeof(struct rdma_cm_id) + 32, "sync");
_Static_assert(offsetof(struct shca_cm_id, cond) == sizeof(struct rdma_cm_id) + 40, "cond");
_Static_assert(offsetof(struct shca_cm_id, number) ==
	       sizeof(struct rdma_cm_id) + 40 + sizeof(pthread_cond_t) + sizeof(pthread_mutex_t), "handle");
_Static_assert(offsetof(struct shca_cm_device, verbs) == 24, "verbs");
_Static_assert(offsetof(struct shca_cm_device, port) == 48, "port");
_Static_assert(offsetof(struct shca_cm_device, max_qp_wr) == 72, "max_qpsize");
#endif

static inline struct shca_cm_id *to_shca_cm_id(struct rdma_cm_id *id)
{
	return shca_container_of(id, struct shca_cm_id, id);
}

static inline struct shca_cm_channel *to_shca_cm_channel(struct rdma_event_channel *channel)
{
	return shca_container_of(channel, struct shca_cm_channel, channel);
}

static inline bool shca_cm_is_datagram(const struct shca_cm_id *id)
{
	return id->id.qp_type == IBV_QPT_UD;
}

static inline bool shca_cm_is_iwarp(void)
{
	return shca_personality()->connect_by_cm_only;
}

/* Converts 0 or -errno to the result of an rdma_* function. */
int shca_cm_result(int result);

extern pthread_mutex_t shca_cm_lock;

/* ---- events ---- */

struct shca_cm_event {
	struct rdma_cm_event event;
	uint8_t data[SHCA_CM_DATA];
	struct shca_cm_id *id;		/* the id that the event is for; for CONNECT_REQUEST the listener */
	struct shca_cm_event *next;	/* used while events are moved */
};

#endif
