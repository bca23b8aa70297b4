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
 * What the library exports: the functions of libibverbs, librdmacm and libefa, by their plain names and
 * without versions, so that the loader takes them for every version that a program asks for.
 * Names that verbs.h has macros for are defined in parentheses: SHCA_EXPORT int (ibv_query_port)(...).
 */
#ifndef SHCA_EXPORT_H
#define SHCA_EXPORT_H

#define SHCA_EXPORT __attribute__((visibility("default")))

#endif
