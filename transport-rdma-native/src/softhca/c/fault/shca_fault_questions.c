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

/* The questions of the device: each is an occasion of one kind. */
#include "fault/shca_fault.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "fault/shca_fault_chance.h"

bool shca_fault_drop_packet(void)
{
	return shca_fault_happens(SHCA_FAULT_DROP);
}

bool shca_fault_drop_message(void)
{
	return shca_fault_happens(SHCA_FAULT_MESSAGE);
}

bool shca_fault_repeat_message(void)
{
	return shca_fault_happens(SHCA_FAULT_REPEAT);
}

uint32_t shca_fault_message_delay_ns(void)
{
	return shca_fault_duration(SHCA_FAULT_LATE);
}

bool shca_fault_drop_ready(void)
{
	return shca_fault_happens(SHCA_FAULT_READY);
}

uint32_t shca_fault_ready_delay_ns(void)
{
	return shca_fault_duration(SHCA_FAULT_READY_LATE);
}

uint32_t shca_fault_delay_ns(void)
{
	return shca_fault_duration(SHCA_FAULT_DELAY);
}

bool shca_fault_receiver_not_ready(void)
{
	return shca_fault_happens(SHCA_FAULT_RNR);
}

bool shca_fault_lose_peer(void)
{
	return shca_fault_happens(SHCA_FAULT_LOSE);
}

bool shca_fault_refuse_registration(void)
{
	return shca_fault_happens(SHCA_FAULT_REGISTER);
}

bool shca_fault_overrun(void)
{
	return shca_fault_happens(SHCA_FAULT_OVERRUN);
}

void shca_fault_maybe_kill(void)
{
	if (shca_fault_happens(SHCA_FAULT_KILL))
		kill(getpid(), SIGKILL);
}

bool shca_fault_remove_device(void)
{
	return shca_fault_happens(SHCA_FAULT_REMOVE);
}

uint32_t shca_fault_control_ns(void)
{
	return shca_fault_duration(SHCA_FAULT_CONTROL);
}

static void sleep_ns(uint32_t ns)
{
	struct timespec left = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

void shca_fault_sleep_in_control(void)
{
	sleep_ns(shca_fault_control_ns());
}

void shca_fault_sleep_in_connect(void)
{
	sleep_ns(shca_fault_duration(SHCA_FAULT_CONNECT));
}

void shca_fault_sleep_in_destroy(void)
{
	sleep_ns(shca_fault_duration(SHCA_FAULT_DESTROY));
}

uint32_t shca_fault_begin_ns(void)
{
	return shca_fault_duration(SHCA_FAULT_BEGIN);
}

uint32_t shca_fault_acknowledge_ns(void)
{
	return shca_fault_duration(SHCA_FAULT_ACKNOWLEDGE);
}

uint32_t shca_fault_read_ns(void)
{
	return shca_fault_duration(SHCA_FAULT_READ);
}

bool shca_fault_scribble(void)
{
	return shca_fault_happens(SHCA_FAULT_SCRIBBLE);
}

bool shca_fault_swallow_post(void)
{
	return shca_fault_happens(SHCA_FAULT_SWALLOW);
}

bool shca_fault_port(void)
{
	return shca_fault_happens(SHCA_FAULT_PORT);
}

bool shca_fault_flush_refused(void)
{
	return shca_fault_happens(SHCA_FAULT_FLUSH);
}

bool shca_fault_linger(void)
{
	return shca_fault_happens(SHCA_FAULT_LINGER);
}

bool shca_fault_reset(void)
{
	return shca_fault_happens(SHCA_FAULT_RESET);
}

bool shca_fault_refuse_handle(void)
{
	return shca_fault_happens(SHCA_FAULT_HANDLE);
}

bool shca_fault_unresponsive(void)
{
	return shca_fault_happens(SHCA_FAULT_UNRESPONSIVE);
}

bool shca_fault_silent_host(void)
{
	return shca_fault_happens(SHCA_FAULT_SILENT);
}

bool shca_fault_refuse_post(void)
{
	return shca_fault_happens(SHCA_FAULT_POST);
}

bool shca_fault_refuse_post_receive(void)
{
	return shca_fault_happens(SHCA_FAULT_POST_RECEIVE);
}
