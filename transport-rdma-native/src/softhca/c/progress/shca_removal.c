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

/* The removal of the device while it is in use, and its return. */
#include "progress/shca_removal.h"

#include <pthread.h>

#include "base/shca_upcalls.h"
#include "cm/shca_cm_progress.h"
#include "device/shca_device.h"
#include "queue_pair/shca_queue_pair_progress.h"

static pthread_mutex_t removal_lock = PTHREAD_MUTEX_INITIALIZER;

void shca_device_remove(void)
{
	pthread_mutex_lock(&removal_lock);
	if (shca_device_mark_removed()) {
		shca_qp_fail_all();
		shca_device_raise(IBV_EVENT_DEVICE_FATAL);
		shca_cm_device_removed();
	}
	pthread_mutex_unlock(&removal_lock);
}

/* Waits until a removal in progress has ended, so that its end does not affect the new device. */
void shca_device_insert(void)
{
	pthread_mutex_lock(&removal_lock);
	shca_device_mark_inserted();
	pthread_mutex_unlock(&removal_lock);
}
