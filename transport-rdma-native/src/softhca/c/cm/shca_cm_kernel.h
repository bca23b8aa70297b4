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

/* The kernel's part of connection management. All of it with shca_cm_lock held. */
#ifndef SHCA_CM_KERNEL_H
#define SHCA_CM_KERNEL_H

#include "cm/shca_cm.h"

/* ---- the table of ids: shca_cm_id.c ---- */

/* Returns NULL when there is no memory. */
struct shca_cm_id *shca_cm_id_new(enum rdma_port_space ps, enum ibv_qp_type qp_type);
void shca_cm_id_insert(struct shca_cm_id *id);
void shca_cm_id_remove(struct shca_cm_id *id);
struct shca_cm_id *shca_cm_id_find(uint32_t number);
/* The id that has this peer in this process. */
struct shca_cm_id *shca_cm_id_find_peer(const struct shca_process *process, uint32_t peer);
/* Sets the peer's number; 0 clears it. The id must be in the table. */
void shca_cm_id_set_peer(struct shca_cm_id *id, uint32_t peer);
void shca_cm_id_for_each(void (*visit)(struct shca_cm_id *id, void *argument), void *argument);
/* Refuses and frees a request that the application has not seen. */
void shca_cm_id_discard(struct shca_cm_id *id);

/* ---- events: shca_cm_event.c ---- */

/*
 * Creates an event of the id, for its channel. The private data of message, if there is one, is copied and padded with
 * zeros to room, as in InfiniBand: an application that trusts private_data_len finds its mistake here. Event and status
 * are set; the caller may set more before shca_cm_event_put and before it releases the lock. Returns NULL if there is
 * no memory, or if the request has not been accepted yet (the kernel drops these events, too: "the accept will just
 * fail later").
 */
struct shca_cm_event *shca_cm_event_new(struct shca_cm_id *id, enum rdma_cm_event_type type, int status,
					const struct shca_cm_message *message, uint8_t room);
void shca_cm_event_put(struct shca_cm_event *event);
/* Both in one call, for events without parameters. */
void shca_cm_raise(struct shca_cm_id *id, enum rdma_cm_event_type type, int status);
/* Removes the id's events that were not fetched, and refuses the requests among them. */
void shca_cm_events_forget(struct shca_cm_id *id);
/* Moves the id's events. Returns 0, or -ENOMEM with nothing moved. fetched: events fetched so far. */
int shca_cm_events_move(struct shca_cm_id *id, struct shca_cm_channel *to, int *fetched);

/* ---- binding and listening: shca_cm_listen.c ---- */

int shca_cm_bind(struct shca_cm_id *id, const union shca_cm_address *address);
int shca_cm_resolve(struct shca_cm_id *id, const union shca_cm_address *source,
		    const union shca_cm_address *destination, int timeout_ms);
int shca_cm_listen(struct shca_cm_id *id, int backlog);
/* Handles a REQ or SIDR_REQ that does not repeat a known one. */
void shca_cm_requested(struct shca_process *process, const struct shca_cm_message *request);

/* ---- sending messages, timers: shca_cm_send.c ---- */

/* Fills the fields that all messages of the id have, and sends the message. */
void shca_cm_send(struct shca_cm_id *id, enum shca_cm_type type);
/* The same for id->last, which is repeated until the timer is stopped. */
void shca_cm_send_repeatedly(struct shca_cm_id *id);
/*
 * The same for id->last, the request of an id that connects. Returns 0, or -errno when it is sent now, and this process
 * has no memory or descriptors to reach the peer's; the program may try again then.
 */
int shca_cm_request(struct shca_cm_id *id);
/* Whether the peer's address has a listener now. */
bool shca_cm_is_listened(const struct shca_cm_id *id);
void shca_cm_send_again(struct shca_cm_id *id);
/* Answers a message to an id that does not exist here any more. */
void shca_cm_answer(struct shca_process *process, const struct shca_cm_message *to, enum shca_cm_type type,
		    uint8_t status);
/* The peer has got the message, but needs more time. */
void shca_cm_wait_longer(struct shca_cm_id *id);
void shca_cm_stop_timer(struct shca_cm_id *id);
void shca_cm_enter_timewait(struct shca_cm_id *id);
/* Sets the deadline, in ms from now; a negative value clears it. */
void shca_cm_set_deadline(struct shca_cm_id *id, int64_t ms);
/* When the repetition of a message that is sent now ends. */
uint64_t shca_cm_end_of_tries(void);
/* Repeats DREQ until it is answered, after the id itself is gone. As in the kernel, it is not counted. */
void shca_cm_send_orphan_dreq(struct shca_cm_id *id);
void shca_cm_orphan_dreq_answered(const struct shca_process *process, uint32_t number);
void shca_cm_orphan_dreqs_forget(const struct shca_process *process);
uint64_t shca_cm_orphan_dreqs_tick(uint64_t now);

/* ---- how many messages wait for an answer: shca_cm_window.c ---- */

/*
 * A try of id->last is about to begin, the first or a later one. Returns whether it may be sent now; otherwise
 * shca_cm_window_next returns the id in its turn, on the helper thread.
 */
bool shca_cm_window_enter(struct shca_cm_id *id);
/* No answer is expected any more. */
void shca_cm_window_leave(struct shca_cm_id *id);
/* The next id that may send its message, or NULL. */
struct shca_cm_id *shca_cm_window_next(void);

/* ---- messages that faults repeat or delay: shca_cm_late.c ---- */

/* Sends at once; or, by faults, twice or later. */
void shca_cm_deliver(struct shca_process *process, enum shca_cm_type type, const uint8_t *bytes, size_t size);
void shca_cm_late_forget(const struct shca_process *process);
uint64_t shca_cm_late_tick(uint64_t now);

/* ---- connections: shca_cm_connect.c; 0 or -errno ---- */

int shca_cm_connect(struct shca_cm_id *id, const struct rdma_conn_param *param);
/* A request has arrived, but its port has no listener. */
void shca_cm_no_listener(struct shca_cm_id *id);
int shca_cm_accept(struct shca_cm_id *id, const struct rdma_conn_param *param);
int shca_cm_establish(struct shca_cm_id *id);
int shca_cm_reject(struct shca_cm_id *id, uint8_t reason, const void *data, uint8_t size);
int shca_cm_disconnect(struct shca_cm_id *id);
int shca_cm_notify(struct shca_cm_id *id, enum ibv_event_type type);
/* Raises the ESTABLISHED that rdma_notify has left to a worker. */
void shca_cm_report_notified(struct shca_cm_id *id);
/* The id is about to go: notifies its peer. */
void shca_cm_prepare_destroy(struct shca_cm_id *id);
/* The id will not be connected: raises REJECTED. message: the one that said so, or NULL. */
void shca_cm_refused(struct shca_cm_id *id, uint8_t reason, const struct shca_cm_message *message);
/* The id is not connected any more, by the peer's will or death. */
void shca_cm_disconnected(struct shca_cm_id *id, int status);
/* iWARP: the device itself connects the queue pair, and ends it. */
int shca_cm_join_queue_pair(struct shca_cm_id *id, bool accepted);
void shca_cm_fail_queue_pair(struct shca_cm_id *id);
/* Ends the connection of a queue pair that has failed by itself. */
void shca_cm_drop_if_failed(struct shca_cm_id *id);

/* ---- datagrams: shca_cm_datagram.c; 0 or -errno ---- */

int shca_cm_datagram_connect(struct shca_cm_id *id, const struct rdma_conn_param *param);
int shca_cm_datagram_accept(struct shca_cm_id *id, const struct rdma_conn_param *param);
int shca_cm_datagram_reject(struct shca_cm_id *id, uint8_t status, const void *data, uint8_t size);
void shca_cm_datagram_replied(struct shca_cm_id *id, const struct shca_cm_message *reply);

/* ---- attributes of queue pairs: shca_cm_attributes.c ---- */

/* The work of rdma_init_qp_attr. */
int shca_cm_init_qp_attr(struct shca_cm_id *id, struct ibv_qp_attr *attr, int *mask);
void shca_cm_init_ah_attr(struct shca_cm_id *id, struct ibv_ah_attr *ah);

#endif
