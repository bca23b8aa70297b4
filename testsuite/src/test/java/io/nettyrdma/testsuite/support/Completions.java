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

import io.nettyrdma.verbs.CompletionQueue;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.WorkCompletionStatus;

import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Polls a completion queue and keeps completions, in order, that were not awaited yet. Not thread-safe. */
public final class Completions implements PeerCompletions {

    private final CompletionQueue queue;
    private final List<Completed> taken = new ArrayList<>();

    public Completions(CompletionQueue queue) {
        this.queue = queue;
    }

    public CompletionQueue queue() {
        return queue;
    }

    @Override
    public List<Completed> await(int count) throws VerbsException {
        Deadline deadline = Deadline.standard();
        while (taken.size() < count) {
            if (!take()) {
                deadline.pause(() -> count + " completions of " + queue + ", there are " + taken);
            }
        }
        List<Completed> next = taken.subList(0, count);
        List<Completed> result = List.copyOf(next);
        next.clear();
        return result;
    }

    @Override
    public Completed await() throws VerbsException {
        return await(1).get(0);
    }

    @Override
    public List<Completed> awaitSuccess(int count) throws VerbsException {
        List<Completed> completed = await(count);
        assertThat(completed).allMatch(each -> each.status() == WorkCompletionStatus.SUCCESS);
        return completed;
    }

    @Override
    public Completed awaitSuccess() throws VerbsException {
        return awaitSuccess(1).get(0);
    }

    @Override
    public void assertNoMore() throws VerbsException {
        take();
        assertThat(taken).as("completions of %s that were not expected", queue).isEmpty();
    }

    /** All that there are now. */
    public List<Completed> all() throws VerbsException {
        while (take()) {
            continue;
        }
        List<Completed> all = List.copyOf(taken);
        taken.clear();
        return all;
    }

    private boolean take() throws VerbsException {
        int count = queue.poll();
        for (int i = 0; i < count; i++) {
            taken.add(Completed.of(queue.completion(i)));
        }
        return count > 0;
    }
}
