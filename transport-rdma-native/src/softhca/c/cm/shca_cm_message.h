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
 * The messages of connection management between processes of one machine. Their meaning is that of InfiniBand's
 * messages, their bytes are not: only this device reads them. Numbers are big-endian.
 *
 *       0       1       2       3
 *   +-------+-------+-------+-------+
 *   |  'S'  |  'C'  |version| type  |   0
 *   +-------+-------+-------+-------+
 *   | from: the sender's id         |   4
 *   | to: the receiver's id, or 0   |   8    REQ and SIDR_REQ: the listener's
 *   | queue pair                    |  12
 *   | first PSN to use, or Q_Key    |  16
 *   +-------+-------+-------+-------+
 *   | port space    | status| tos   |  20    status: the reason, in REJ and SIDR_REP
 *   |serves | wants | retry |  rnr  |  24    responder resources, initiator depth; retry, rnr: counts
 *   | flow  |  srq  |timeout| size  |  28    timeout: of acknowledgements, in REQ; size: bytes of private data
 *   +-------+-------+-------+-------+
 *   | family        | port          |  32    source address; family: 4 or 6
 *   | scope                         |  36
 *   | address, 16 bytes             |  40
 *   +-------+-------+-------+-------+
 *   | destination address, 24 bytes |  56
 *   +-------+-------+-------+-------+
 *   | private data                  |  80
 *   +-------+-------+-------+-------+
 */
#ifndef SHCA_CM_MESSAGE_H
#define SHCA_CM_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cm/shca_cm_address.h"

#define SHCA_CM_HEADER		80u
#define SHCA_CM_DATA		196u	/* a REP has the most */
#define SHCA_CM_BYTES		(SHCA_CM_HEADER + SHCA_CM_DATA)

enum shca_cm_type {
	SHCA_CM_REQ = 1,
	SHCA_CM_MRA,		/* message received, the answer takes a while */
	SHCA_CM_REJ,
	SHCA_CM_REP,
	SHCA_CM_RTU,
	SHCA_CM_DREQ,
	SHCA_CM_DREP,
	SHCA_CM_SIDR_REQ,
	SHCA_CM_SIDR_REP,
};

/* Why a request was refused: the status of REJ. */
enum shca_cm_reason {
	SHCA_CM_REASON_TIMEOUT = 4,
	SHCA_CM_REASON_INVALID_ID = 6,
	SHCA_CM_REASON_NO_SERVICE = 8,
	SHCA_CM_REASON_CONSUMER = 28,
	SHCA_CM_REASON_VENDOR_OPTION = 35,
};

/* The status of SIDR_REP. */
enum shca_cm_sidr_status {
	SHCA_CM_SIDR_SUCCESS,
	SHCA_CM_SIDR_NO_SERVICE,
	SHCA_CM_SIDR_REJECTED,
};

struct shca_cm_message {
	enum shca_cm_type type;
	uint32_t from;
	uint32_t to;
	uint32_t qpn;
	uint32_t psn;			/* the Q_Key of SIDR_REP */
	uint16_t port_space;
	uint8_t status;
	uint8_t tos;
	uint8_t responder_resources;	/* from the sender's point of view */
	uint8_t initiator_depth;
	uint8_t retry_count;
	uint8_t rnr_retry_count;
	uint8_t flow_control;
	uint8_t srq;
	uint8_t ack_timeout;		/* 4.096 us * 2^this; the sender's value, for both sides */
	uint8_t data_size;
	union shca_cm_address source;
	union shca_cm_address destination;
	uint8_t data[SHCA_CM_DATA];
};

/* Returns the number of bytes written, at most SHCA_CM_BYTES. */
size_t shca_cm_message_write(const struct shca_cm_message *message, uint8_t *bytes);
/* Returns false if the bytes are no such message. */
bool shca_cm_message_read(struct shca_cm_message *message, const uint8_t *bytes, size_t size);

#endif
