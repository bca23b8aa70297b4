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
package io.nettyrdma.testsuite.support;

import io.nettyrdma.verbs.VerbsException;

import java.util.List;

/** Completions of a {@link Peer}, in order. Those that were not awaited yet are kept. */
public interface PeerCompletions extends ByReference {

    /** The next {@code count} completions, whatever their status. */
    List<Completed> await(int count) throws VerbsException;

    Completed await() throws VerbsException;

    /** The next {@code count} completions, all of which must be successful. */
    List<Completed> awaitSuccess(int count) throws VerbsException;

    Completed awaitSuccess() throws VerbsException;

    /** Fails if there is a completion that was not awaited. */
    void assertNoMore() throws VerbsException;
}
