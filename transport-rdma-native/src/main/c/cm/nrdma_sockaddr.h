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

/* Converts IP addresses between the shared records and the socket API. Safe from any thread. */
#ifndef NRDMA_SOCKADDR_H
#define NRDMA_SOCKADDR_H

#include <sys/socket.h>

#include "abi/nrdma_abi.h"

/* Returns 0, or -EAFNOSUPPORT if the record is neither IPv4 nor IPv6. */
int nrdma_sockaddr_to_os(const struct nrdma_sockaddr *from, struct sockaddr_storage *to);

/* A NULL address, or one of another family, becomes family 0. */
void nrdma_sockaddr_from_os(const struct sockaddr *from, struct nrdma_sockaddr *to);

#endif
