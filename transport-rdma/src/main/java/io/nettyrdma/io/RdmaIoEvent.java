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
package io.nettyrdma.io;

import io.netty.channel.IoEvent;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.cm.CmEvent;
import io.nettyrdma.verbs.AsyncEvent;
import io.nettyrdma.verbs.WorkCompletion;

/**
 * An event for a handle. A loop has one object for all its events: it is valid while {@link RdmaIoHandle#handle} runs,
 * and so is the completion. The CM event and the asynchronous event are immutable and may be kept.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class RdmaIoEvent implements IoEvent {

    /** Which of the fields is set. */
    public enum Kind {
        /** A work request of the handle has completed: {@link #completion}. */
        COMPLETION,
        /**
         * All completions of a batch have been handed out: the time to post, to flush and to notify the pipeline. Once
         * for each handle that got some.
         */
        COMPLETIONS_DONE,
        /** An event of an id that is attached to the handle: {@link #cmEvent}. */
        CM_EVENT,
        /** An asynchronous event of the device, or of a queue of the handle: {@link #asyncEvent}. */
        ASYNC_EVENT
    }

    private Kind kind;
    private WorkCompletion completion;
    private CmEvent cmEvent;
    private AsyncEvent asyncEvent;

    RdmaIoEvent() {
    }

    /** {@return what has happened} */
    public Kind kind() {
        return kind;
    }

    /** {@return the completion, set in {@link Kind#COMPLETION}} Valid until the handle returns. */
    public WorkCompletion completion() {
        return completion;
    }

    /**
     * {@return the event, set in {@link Kind#CM_EVENT}} The handle must accept, reject or close the new id of a
     * CONNECT_REQUEST.
     */
    public CmEvent cmEvent() {
        return cmEvent;
    }

    /** {@return the event, set in {@link Kind#ASYNC_EVENT}} */
    public AsyncEvent asyncEvent() {
        return asyncEvent;
    }

    RdmaIoEvent ofCompletion(WorkCompletion newCompletion) {
        kind = Kind.COMPLETION;
        completion = newCompletion;
        return this;
    }

    RdmaIoEvent ofCompletionsDone() {
        kind = Kind.COMPLETIONS_DONE;
        completion = null;
        return this;
    }

    RdmaIoEvent ofCm(CmEvent event) {
        kind = Kind.CM_EVENT;
        cmEvent = event;
        return this;
    }

    RdmaIoEvent ofAsync(AsyncEvent event) {
        kind = Kind.ASYNC_EVENT;
        asyncEvent = event;
        return this;
    }

    /** Drops references that only one handle needed. */
    void clear() {
        completion = null;
        cmEvent = null;
        asyncEvent = null;
    }

    @Override
    public String toString() {
        if (kind == null) {
            return "no event";
        }
        return switch (kind) {
        case COMPLETION -> "completion of " + completion;
        case COMPLETIONS_DONE -> "end of completions";
        case CM_EVENT -> cmEvent.toString();
        case ASYNC_EVENT -> asyncEvent.toString();
        };
    }
}
