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

#ifndef SHCA_CONTROL_H
#define SHCA_CONTROL_H

#include <stddef.h>

#include "shca_link_socket.h"

/* Carries out a command that came by a socket, and answers. Helper thread. text need not end with a 0. */
void shca_control_carry_out(int fd, const char *text, size_t size);
/* Tells every context that the port is up or down, and refuses or lets pass. shca_device.c */
void shca_device_set_port(bool up);

#endif
