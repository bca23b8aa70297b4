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
package io.nettyrdma.verbs;

import io.nettyrdma.jni.Errno;

import java.nio.ByteBuffer;

/** Finds out what a device can do: creates one object of each kind and closes it again. */
final class CapabilityProbe {

    /** Bytes; more than any provider grants today. The probe halves this until the device accepts. */
    private static final int MOST_INLINE = 4096;
    private static final int ENTRIES = 16;

    private final RdmaDevice device;
    private boolean events;
    private boolean extendedQueue;
    private boolean singleThreaded;
    private boolean senderGids;
    private boolean relaxed;
    private boolean sharedReceives;
    private QueuePairConfig best;
    private EfaLimits efa;

    private CapabilityProbe(RdmaDevice device) {
        this.device = device;
    }

    static DeviceCapabilities probe(RdmaDevice device) throws VerbsException {
        CapabilityProbe probe = new CapabilityProbe(device);
        probe.run();
        DeviceLimits limits = device.limits();
        QueuePairConfig granted = probe.best;
        RdmaDeviceInfo.Transport transport = device.info().transport();
        return new DeviceCapabilities(probe.extendedQueue, probe.singleThreaded, probe.senderGids,
                granted != null && granted.extended(), probe.sharedReceives, probe.events,
                transport.hasImmediates(), transport.retiresInOrder() && Fallbacks.UNSIGNALED_SENDS.isAllowed(),
                transport.connectsInBackground() && Fallbacks.NON_BLOCKING_CONNECT.isAllowed(),
                transport.confirmsDelivery() && Fallbacks.CONFIRMED_DELIVERY.isAllowed(),
                transport.letsAcceptingSideBegin() && Fallbacks.ACCEPTING_SIDE_FIRST.isAllowed(),
                transport.readsWithoutPeersAccess() && Fallbacks.LOCAL_READS.isAllowed(),
                limits.atomics(), probe.relaxed,
                granted != null && granted.type() == QueuePairType.RC, granted == null ? 0 : granted.maxInline(),
                limits.sge(), limits.sge(), probe.efa);
    }

    private void run() throws VerbsException {
        events = Fallbacks.COMPLETION_EVENTS.isAllowed() && probeEvents();
        efa = EfaLimits.query(device);
        CompletionQueueConfig config = new CompletionQueueConfig(ENTRIES)
                .withSingleThreaded(Fallbacks.SINGLE_THREADED_QUEUE.isAllowed())
                .withSenderGids(efa != null && Fallbacks.SENDER_GIDS.isAllowed());
        try (CompletionQueue queue = device.createCompletionQueue(config);
             ProtectionDomain domain = device.createProtectionDomain()) {
            extendedQueue = queue.isExtended();
            singleThreaded = queue.isSingleThreaded();
            senderGids = queue.hasSenderGids();
            relaxed = Fallbacks.RELAXED_ORDERING.isAllowed() && probeRelaxedOrdering(domain);
            sharedReceives = Fallbacks.SHARED_RECEIVE_QUEUE.isAllowed() && probeSharedReceives(domain);
            best = probeQueuePair(QueuePairType.RC, domain, queue);
            if (best == null && efa != null) {
                best = probeQueuePair(QueuePairType.SRD, domain, queue);
            }
        }
    }

    private boolean probeEvents() throws VerbsException {
        try (CompletionChannel channel = device.createCompletionChannel();
             CompletionQueue queue = device.createCompletionQueue(new CompletionQueueConfig(ENTRIES), channel)) {
            return queue.isOpen();
        } catch (VerbsException e) {
            return absent(e);
        }
    }

    private boolean probeSharedReceives(ProtectionDomain domain) throws VerbsException {
        if (device.limits().sharedReceiveQueues() == 0) {
            return false;
        }
        try (SharedReceiveQueue queue = domain.createSharedReceiveQueue(1, 1)) {
            return queue.isOpen();
        } catch (VerbsException e) {
            return absent(e);
        }
    }

    private static boolean probeRelaxedOrdering(ProtectionDomain domain) {
        try (MemoryRegion region = domain.register(ByteBuffer.allocateDirect(1), MemoryAccess.LOCAL_WRITE,
                MemoryAccess.RELAXED_ORDERING)) {
            return region.isOpen();
        } catch (VerbsException e) {
            // If the cause is something else, registration without this flag reports it.
            return false;
        }
    }

    /** What the device grants a queue pair with the most inline data; {@code null} if it has none of that type. */
    private QueuePairConfig probeQueuePair(QueuePairType type, ProtectionDomain domain, CompletionQueue queue)
            throws VerbsException {
        VerbsException refused = null;
        for (int inline = Fallbacks.INLINE.isAllowed() ? MOST_INLINE : 0; ; inline /= 2) {
            QueuePairConfig config = new QueuePairConfig(type, 1).withInline(inline);
            try (QueuePair pair = domain.createQueuePair(config, queue, queue)) {
                return Fallbacks.INLINE.isAllowed() ? pair.granted() : pair.granted().withInline(0);
            } catch (VerbsException e) {
                refused = e;
            }
            if (inline == 0) {
                absent(refused);
                return null;
            }
        }
    }

    /** Returns false if the error means that the device lacks the feature, and rethrows any other error. */
    private static boolean absent(VerbsException e) throws VerbsException {
        if (e.errno() == Errno.EOPNOTSUPP || e.errno() == Errno.ENOSYS || e.errno() == Errno.EINVAL) {
            return false;
        }
        throw e;
    }
}
