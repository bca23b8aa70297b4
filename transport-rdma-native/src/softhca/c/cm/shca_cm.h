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
 * The internal interface of connection management. The rdma_* functions are split as the real ones are: librdmacm's
 * part (ids, events, queue pairs created with ids) and the kernel's (states, addresses, messages).
 *
 *    rdma_* functions          shca_cm_id.c _event.c _queue_pair.c, and those of abi/
 *    "kernel", under the lock  shca_cm_listen.c _connect.c _receive.c _datagram.c _attributes.c _send.c
 *    without state             shca_cm_address.c _message.c _device.c
 *
 * One lock, shca_cm_lock, protects the state of all ids: this is the control path. Order:
 *
 *    shca_cm_lock > event queue's lock
 *                 > fabric's lock, link table's lock > link->tx_lock
 *                 > link->rx_lock > qp->lock
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

/* ---- the device of the ids: shca_cm_device.c ---- */

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

/* Opens the device at the first call. Returns 0, or -errno after a line on stderr. */
int shca_cm_device_open(void);
/* Gives the device to an id whose address belongs to it. Returns 0 or -errno. */
struct shca_cm_id;
int shca_cm_device_take(struct shca_cm_id *id);
void shca_cm_device_give(struct shca_cm_device *device);
/* Closes the device if nobody uses it. The exit of the process, and the end of the library, call this. */
void shca_cm_device_close(void);
/* NULL before shca_cm_device_open. */
struct ibv_context *shca_cm_device_verbs(void);

/* ---- ids ---- */

struct shca_link;

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

	/* ours, under shca_cm_lock */
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
	struct shca_link *link;			/* to the peer's process; NULL when that is gone */
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
	uint64_t held_until;			/* by a message that nobody stops: see shca_cm_notify */
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

/* ---- shca_cm_id.c; with the lock ---- */

/* Returns NULL when there is no memory. */
struct shca_cm_id *shca_cm_id_new(enum rdma_port_space ps, enum ibv_qp_type qp_type);
void shca_cm_id_insert(struct shca_cm_id *id);
void shca_cm_id_remove(struct shca_cm_id *id);
struct shca_cm_id *shca_cm_id_find(uint32_t number);
/* The id that has this peer on this link. */
struct shca_cm_id *shca_cm_id_find_peer(const struct shca_link *link, uint32_t peer);
/* Sets the peer's number; 0 clears it. The id must be in the table. */
void shca_cm_id_know_peer(struct shca_cm_id *id, uint32_t peer);
void shca_cm_id_for_each(void (*visit)(struct shca_cm_id *id, void *argument), void *argument);
/* Refuses and frees a request that the application has not seen. */
void shca_cm_id_discard(struct shca_cm_id *id);
/* rdma_create_id with a type of queue pair. Called without the lock. */
int shca_cm_id_create(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context,
		      enum rdma_port_space ps, enum ibv_qp_type qp_type);

/* ---- events: shca_cm_event.c ---- */

struct shca_cm_event {
	struct rdma_cm_event event;
	uint8_t data[SHCA_CM_DATA];
	struct shca_cm_id *id;		/* the id that the event is for; for CONNECT_REQUEST the listener */
	struct shca_cm_event *next;	/* used while events are moved */
};

/*
 * With the lock: creates an event of the id, for its channel. The private data of message, if there is one, is copied
 * and padded with zeros to room, as in InfiniBand: an application that trusts private_data_len finds its mistake here.
 * Event and status are set; the caller may set more before shca_cm_event_put and before it releases the lock. Returns
 * NULL if there is no memory, or if the request has not been accepted yet (the kernel drops these events, too: "the
 * accept will just fail later").
 */
struct shca_cm_event *shca_cm_event_new(struct shca_cm_id *id, enum rdma_cm_event_type type, int status,
					const struct shca_cm_message *message, uint8_t room);
void shca_cm_event_put(struct shca_cm_event *event);
/* Both in one call, for events without parameters. */
void shca_cm_raise(struct shca_cm_id *id, enum rdma_cm_event_type type, int status);
/* With the lock: removes the id's events that were not fetched, and refuses the requests among them. */
void shca_cm_events_forget(struct shca_cm_id *id);
/* With the lock: moves the id's events. Returns 0, or -ENOMEM with nothing moved. fetched: events fetched so far. */
int shca_cm_events_move(struct shca_cm_id *id, struct shca_cm_channel *to, int *fetched);
/* Without the lock: waits until that many events of the id are acknowledged. */
void shca_cm_events_await(struct shca_cm_id *id, int fetched);
/* In synchronous mode, waits for the id's event. Returns what rdma_* functions return. */
int shca_cm_complete(struct shca_cm_id *id);

/* ---- binding and listening: shca_cm_listen.c; with the lock ---- */

int shca_cm_bind(struct shca_cm_id *id, const union shca_cm_address *address);
int shca_cm_resolve(struct shca_cm_id *id, const union shca_cm_address *source,
		    const union shca_cm_address *destination, int timeout_ms);
int shca_cm_listen(struct shca_cm_id *id, int backlog);
/* Handles a REQ or SIDR_REQ that does not repeat a known one. */
void shca_cm_requested(struct shca_link *link, const struct shca_cm_message *request);

/* ---- sending messages, timers: shca_cm_send.c; with the lock ---- */

/* Fills the fields that all messages of the id have, and sends the message. */
void shca_cm_send(struct shca_cm_id *id, enum shca_cm_type type);
/* The same for id->last, which is repeated until the timer is stopped. */
void shca_cm_send_repeatedly(struct shca_cm_id *id);
/*
 * The same for id->last, the request of an id that connects. Returns 0, or -errno when this process has no memory or
 * descriptors to reach the peer's; the program may try again then.
 */
int shca_cm_request(struct shca_cm_id *id);
/* Whether somebody listens at the peer's address now. */
bool shca_cm_is_listened(const struct shca_cm_id *id);
void shca_cm_send_again(struct shca_cm_id *id);
/* Answers a message to an id that does not exist here any more. */
void shca_cm_answer(struct shca_link *link, const struct shca_cm_message *to, enum shca_cm_type type, uint8_t status);
/* The peer has got the message, but needs more time. */
void shca_cm_wait_longer(struct shca_cm_id *id);
void shca_cm_stop_timer(struct shca_cm_id *id);
void shca_cm_enter_timewait(struct shca_cm_id *id);
/* Sets the deadline, in ms from now; a negative value clears it. */
void shca_cm_set_deadline(struct shca_cm_id *id, int64_t ms);
/* When the repetition of a message that is sent now ends. */
uint64_t shca_cm_end_of_tries(void);
/* Repeats DREQ until it is answered, after the id itself is gone. */
void shca_cm_send_farewell(struct shca_cm_id *id);
void shca_cm_farewell_answered(const struct shca_link *link, uint32_t number);
void shca_cm_farewells_forget(const struct shca_link *link);
uint64_t shca_cm_farewells_tick(uint64_t now);

/* ---- messages that faults repeat or delay: shca_cm_late.c; with the lock ---- */

/* Sends at once; or, by faults, twice or later. */
void shca_cm_deliver(struct shca_link *link, enum shca_cm_type type, const uint8_t *bytes, size_t size);
void shca_cm_late_forget(const struct shca_link *link);
uint64_t shca_cm_late_tick(uint64_t now);

/* ---- connections: shca_cm_connect.c; with the lock; 0 or -errno ---- */

int shca_cm_connect(struct shca_cm_id *id, const struct rdma_conn_param *param);
/* A request has arrived, but nobody listens on its port. */
void shca_cm_nobody_listens(struct shca_cm_id *id);
int shca_cm_accept(struct shca_cm_id *id, const struct rdma_conn_param *param);
int shca_cm_establish(struct shca_cm_id *id);
int shca_cm_reject(struct shca_cm_id *id, uint8_t reason, const void *data, uint8_t size);
int shca_cm_disconnect(struct shca_cm_id *id);
int shca_cm_notify(struct shca_cm_id *id, enum ibv_event_type type);
/* Raises the ESTABLISHED that rdma_notify has left to a worker. */
void shca_cm_report_notified(struct shca_cm_id *id);
/* The id is about to go: notifies its peer. */
void shca_cm_leave(struct shca_cm_id *id);
/* The id will not be connected: raises REJECTED. message: the one that said so, or NULL. */
void shca_cm_refused(struct shca_cm_id *id, uint8_t reason, const struct shca_cm_message *message);
/* The id is not connected any more, by the peer's will or death. */
void shca_cm_hung_up(struct shca_cm_id *id, int status);
/* iWARP: the device itself connects the queue pair, and ends it. */
int shca_cm_join_queue_pair(struct shca_cm_id *id, bool accepted);
void shca_cm_fail_queue_pair(struct shca_cm_id *id);
/* Ends the connection of a queue pair that has failed by itself. */
void shca_cm_drop_if_failed(struct shca_cm_id *id);

/* ---- datagrams: shca_cm_datagram.c; with the lock; 0 or -errno ---- */

int shca_cm_datagram_connect(struct shca_cm_id *id, const struct rdma_conn_param *param);
int shca_cm_datagram_accept(struct shca_cm_id *id, const struct rdma_conn_param *param);
int shca_cm_datagram_reject(struct shca_cm_id *id, uint8_t status, const void *data, uint8_t size);
void shca_cm_datagram_replied(struct shca_cm_id *id, const struct shca_cm_message *reply);

/* ---- queue pairs: shca_cm_attributes.c, shca_cm_queue_pair.c ---- */

/* The work of rdma_init_qp_attr; with the lock. */
int shca_cm_init_qp_attr(struct shca_cm_id *id, struct ibv_qp_attr *attr, int *mask);
void shca_cm_init_ah_attr(struct shca_cm_id *id, struct ibv_ah_attr *ah);
/* Modify the queue pair created with the id, if there is one; without the lock. Return what rdma_* functions return. */
int shca_cm_modify_rtr(struct shca_cm_id *id, uint8_t responder_resources);
int shca_cm_modify_rts(struct shca_cm_id *id, uint8_t initiator_depth);
int shca_cm_modify_err(struct shca_cm_id *id);

/* Copy the addresses and paths of the "kernel" into the public struct. Return 0 or -errno; without the lock. */
int shca_cm_id_publish(struct shca_cm_id *id);
int shca_cm_id_publish_path(struct shca_cm_id *id);

#endif
