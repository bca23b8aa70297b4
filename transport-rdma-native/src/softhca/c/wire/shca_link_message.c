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
#include <stdlib.h>
#include <string.h>

#include "base/shca_clock.h"
#include "wire/shca_link_internal.h"
#include "wire/shca_link_socket.h"
#include "wire/shca_wakeup.h"

/* Delay before a retry when a socket had no room. */
#define AGAIN_NS	1000000u

/* Messages keep their order: none overtakes those that wait. */
static int queue_message(struct shca_link *link, const void *bytes, size_t size)
{
	struct shca_link_message **end = &link->messages;
	struct shca_link_message *message;

	if (link->message_count == SHCA_LINK_QUEUE)
		return -ENOBUFS;
	message = malloc(sizeof(*message) + size);
	if (!message)
		return -ENOMEM;
	message->next = NULL;
	message->size = size;
	memcpy(message->bytes, bytes, size);
	while (*end)
		end = &(*end)->next;
	*end = message;
	link->message_count++;
	atomic_store(&link->has_messages, true);
	return 0;
}

int shca_link_send_message(struct shca_link *link, const void *message, size_t size)
{
	bool waits = false;
	int result = -EPIPE;

	if (size > SHCA_LINK_MESSAGE)
		return -EMSGSIZE;
	if (!shca_links_have_carrier())
		return 0;
	pthread_mutex_lock(&link->tx_lock);
	if (shca_link_is_up(link)) {
		result = link->messages ? -EAGAIN : shca_socket_send_message(link->tx_socket, message, size);
		if (result == -EAGAIN) {
			result = queue_message(link, message, size);
			waits = !result;
		}
	}
	pthread_mutex_unlock(&link->tx_lock);
	if (waits)
		shca_wakeup_at(shca_now() + AGAIN_NS);
	return result;
}

void shca_link_send_waiting(struct shca_link *link)
{
	struct shca_link_message *message;

	pthread_mutex_lock(&link->tx_lock);
	while (shca_link_is_up(link) && (message = link->messages)) {
		if (shca_socket_send_message(link->tx_socket, message->bytes, message->size) == -EAGAIN)
			break;
		link->messages = message->next;
		link->message_count--;
		free(message);
	}
	atomic_store(&link->has_messages, link->messages != NULL);
	pthread_mutex_unlock(&link->tx_lock);
	if (atomic_load(&link->has_messages))
		shca_wakeup_at(shca_now() + AGAIN_NS);
}

void shca_link_drop_messages(struct shca_link *link)
{
	struct shca_link_message *message;

	while ((message = link->messages)) {
		link->messages = message->next;
		free(message);
	}
	link->message_count = 0;
	atomic_store(&link->has_messages, false);
}
