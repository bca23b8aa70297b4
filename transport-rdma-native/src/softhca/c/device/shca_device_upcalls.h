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
 * What the device's removal calls in the folders above it: it declares these functions, and they define them. Any
 * thread, without locks.
 */
#ifndef SHCA_DEVICE_UPCALLS_H
#define SHCA_DEVICE_UPCALLS_H

/* Puts every queue pair of the process into the error state, except those in RESET. queue_pair/shca_queue_pair_number.c */
void shca_qp_fail_all(void);
/* Reports DEVICE_REMOVAL to every id that is bound to the device. cm/shca_cm_receive.c */
void shca_cm_device_removed(void);

#endif
