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

/* Functions of the software device beyond the ABI that it implements. */
#ifndef SOFTHCA_H
#define SOFTHCA_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Sends a command to a process that uses the software device, or carries it out in this one (pid 0 or our own): "faults
 * SPECIFICATION" as in SOFTHCA_FAULTS, "remove-device", "insert-device", "port-down", "port-up", "listens PORT
 * [TIMES]". Reaches only processes of the same user. Any thread that holds no lock of the device may call it. Returns
 * 0, or -errno: ESRCH when that process does not use the device, EINVAL for a command that it refused, ENOENT when it
 * does not listen on that port, ETIMEDOUT when it did not react for 10 s (it is stopped), EMSGSIZE beyond 1024 bytes.
 */
int softhca_control(pid_t pid, const char *command);

/*
 * Why the last function of verbs or rdma_cm failed in this thread, in words, where the error number alone does not say
 * it: ENOSPC may be a full directory, or 255 processes. It is what stderr has after "softhca: ". error is the number
 * that the function returned or set. Returns NULL if there is nothing to add. Forgets the text, which stays valid until
 * the next failure.
 */
const char *softhca_reason(int error);

/*
 * Closes the device that connection management keeps open for later ids. Returns whether nothing of this library runs
 * any more: then it may be unloaded. False if the program has left a device open, or ids.
 */
bool softhca_close(void);

#endif
