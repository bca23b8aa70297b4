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

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.VerbsObject;

import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** The queue pairs of a loop on one device, and to which registration and completion queue each belongs. */
final class DeviceMembers {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(DeviceMembers.class);

    /** A queue pair's owner, its entries in a completion queue, and whether another thread closes it. */
    private record Member(RdmaIoRegistration owner, LoopQueue queue, int completions, boolean isLent) {
    }

    private final Map<QueuePair, Member> members = new IdentityHashMap<>();
    /** Owners of queue pairs by queue pair number. */
    private final IntObjectMap<RdmaIoRegistration> byNumber = new IntObjectHashMap<>();

    /** @param completions entries of the completion queue that are reserved for the queue pair. */
    void add(QueuePair queuePair, RdmaIoRegistration owner, LoopQueue queue, int completions) {
        queue.reserve(completions);
        members.put(queuePair, new Member(owner, queue, completions, false));
        byNumber.put(queuePair.number(), owner);
    }

    /** Another thread closes the queue pair, so that its handle may be gone at any time. */
    void setClosing(QueuePair queuePair) {
        members.computeIfPresent(queuePair,
                (key, member) -> new Member(member.owner, member.queue, member.completions, true));
    }

    /**
     * The queue pair is closed: releases its entries.
     *
     * @return its completion queue; {@code null} if it was removed before.
     */
    LoopQueue remove(QueuePair queuePair) {
        Member member = members.remove(queuePair);
        if (member == null) {
            return null;
        }
        // A queue pair that another thread closes may have been destroyed earlier, and a new one may have its number.
        if (byNumber.get(queuePair.number()) == member.owner) {
            byNumber.remove(queuePair.number());
        }
        member.queue.release(member.completions);
        return member.queue;
    }

    int size() {
        return members.size();
    }

    /** The owner of the queue pair with this number; {@code null} if it is closed. A device may reuse the number. */
    RdmaIoRegistration owner(int queuePairNumber) {
        return byNumber.get(queuePairNumber);
    }

    /** The completion queue of a queue pair; {@code null} if this is no queue pair, or not one of these. */
    LoopQueue queueOf(VerbsObject source) {
        Member member = source instanceof QueuePair ? members.get(source) : null;
        return member == null ? null : member.queue;
    }

    /** The owner of a queue pair; {@code null} if it is not one of these. */
    RdmaIoRegistration ownerOf(QueuePair queuePair) {
        Member member = members.get(queuePair);
        return member == null ? null : member.owner;
    }

    /** All owners. A copy, because a handle may close queue pairs. */
    Set<RdmaIoRegistration> owners() {
        Set<RdmaIoRegistration> owners = new LinkedHashSet<>();
        members.values().forEach(member -> owners.add(member.owner));
        return owners;
    }

    /** The owners of the queue pairs that complete in this queue. A search through all: such an event ends them. */
    Set<RdmaIoRegistration> ownersOf(LoopQueue queue) {
        Set<RdmaIoRegistration> owners = new LinkedHashSet<>();
        for (Member member : members.values()) {
            if (member.queue == queue) {
                owners.add(member.owner);
            }
        }
        return owners;
    }

    /** Moves all queue pairs to the error state, which flushes all posted work requests. */
    void flush() {
        members.forEach((queuePair, member) -> {
            if (!member.isLent) {
                flush(queuePair);
            }
        });
    }

    private static void flush(QueuePair queuePair) {
        try {
            queuePair.toError();
        } catch (VerbsException | IllegalStateException e) {
            LOGGER.debug("{} could not be flushed", queuePair, e);
        }
    }

    /** Closes the queue pairs that their handles have left open. */
    void close() {
        Closer closer = new Closer();
        members.forEach((queuePair, member) -> {
            LOGGER.warn("{} was not closed by {}", queuePair, member.owner);
            closer.add(queuePair);
        });
        closer.close();
        members.clear();
        byNumber.clear();
    }
}
