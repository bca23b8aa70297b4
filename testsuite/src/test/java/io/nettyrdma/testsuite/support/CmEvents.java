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

import io.nettyrdma.cm.CmEvent;
import io.nettyrdma.cm.CmEventChannel;
import io.nettyrdma.cm.CmEventType;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.cm.CmPortSpace;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An event channel of the connection manager. Waits on its file descriptor and keeps events, in order, that were not
 * awaited yet. Confined to the thread that created it. Closes its ids before itself.
 */
public final class CmEvents implements AutoCloseable {

    private final Closer closer = new Closer();
    private final CmEventChannel channel;
    private final FdWaiter waiter;
    private final List<CmEvent> taken = new ArrayList<>();

    public CmEvents() throws Exception {
        try {
            channel = closer.add(CmEventChannel.open());
            waiter = closer.add(new FdWaiter(channel.fd()));
        } catch (Throwable e) {
            closer.closeAfter(e);
            throw e;
        }
    }

    public CmEventChannel channel() {
        return channel;
    }

    /** Creates an id that is closed with this object. */
    public CmId create(CmPortSpace space) throws VerbsException {
        return own(CmId.create(channel, space));
    }

    /** An id that listens at a port that the connection manager chooses. */
    public CmId listen(InetAddress address, int backlog) throws VerbsException {
        return own(AnyPort.listen(channel, address, backlog));
    }

    /** Takes ownership of an id, to close it with this object. */
    public CmId own(CmId id) {
        return closer.add(id);
    }

    /** Waits for the next event of {@code id}. */
    public CmEvent await(CmId id) throws VerbsException {
        return await(id, Deadline.standard());
    }

    /** Waits for the next event of {@code id} until the deadline. */
    public CmEvent await(CmId id, Deadline deadline) throws VerbsException {
        while (true) {
            for (CmEvent event : taken) {
                if (event.id() == id) {
                    taken.remove(event);
                    return event;
                }
            }
            waiter.await(deadline, "an event of " + id + ", there are " + taken);
            take();
        }
    }

    /** Waits for the next event of {@code id}, which must be of the given type. */
    public CmEvent await(CmId id, CmEventType type) throws VerbsException {
        CmEvent event = await(id);
        assertThat(event.type()).as("%s", event).isEqualTo(type);
        return event;
    }

    /** Waits for the next connection request to {@code listener}. The request's id is closed with this object. */
    public CmEvent awaitRequest(CmId listener) throws VerbsException {
        return awaitRequest(listener, Deadline.standard());
    }

    public CmEvent awaitRequest(CmId listener, Deadline deadline) throws VerbsException {
        CmEvent request = await(listener, deadline);
        assertThat(request.type()).as("%s", request).isEqualTo(CmEventType.CONNECT_REQUEST);
        own(request.newId());
        return request;
    }

    /** Waits until the descriptor is readable, without taking an event. */
    public void awaitReadable() {
        waiter.await(Deadline.standard(), "an event on " + channel);
    }

    public boolean isReadable() {
        return waiter.isReadable();
    }

    /** Fails if there is an event that was not awaited. */
    public void assertNoMore() throws VerbsException {
        take();
        assertThat(taken).as("events of %s that were not expected", channel).isEmpty();
    }

    private void take() throws VerbsException {
        channel.poll(taken::add);
    }

    /** Rejects connection requests that were not awaited. */
    @Override
    public void close() throws IOException {
        for (CmEvent event : taken) {
            if (event.newId() != null) {
                own(event.newId());
            }
        }
        closer.close();
    }

    /**
     * Asserts that an event carries the private data that was sent. RoCE's messages have a fixed length, so the data is
     * padded; the MPA frame of iWARP carries its length, and siw reports exactly that.
     */
    public static void assertArrived(byte[] sent, int most, CmEvent event) {
        byte[] filledUp = Arrays.copyOf(sent, most);
        if (TestDevice.get().connectsByHand()) {
            assertThat(event.privateData()).isEqualTo(filledUp);
        } else {
            assertThat(event.privateData()).isIn(sent, filledUp);
        }
    }
}
