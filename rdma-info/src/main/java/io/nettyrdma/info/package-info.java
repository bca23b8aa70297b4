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
/**
 * The output of {@code bin/rdma-info}: the devices, their capabilities and limits, and what is missing if there are no
 * devices. The facts are collected first; text and JSON are then written from the same records, so they cannot differ.
 *
 * <p>Imports the whole binding ({@code jni}, {@code verbs}, {@code cm} and {@link io.nettyrdma.Rdma}), but no channels.
 * Single-threaded.
 */
package io.nettyrdma.info;
