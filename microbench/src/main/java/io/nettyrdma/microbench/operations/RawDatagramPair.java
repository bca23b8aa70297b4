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
package io.nettyrdma.microbench.operations;

import java.io.IOException;

/**
 * Two queue pairs of datagrams of the binding, without channels. One thread has both ends and polls both completion
 * queues, as one loop has two channels; the second end sends everything back.
 */
final class RawDatagramPair implements AutoCloseable {

    private final RawDatagramEnd asker;
    private final RawDatagramEnd answerer;
    private final Patience patience = new Patience();

    /** @param size bytes of the longest datagram. */
    RawDatagramPair(LocalPort port, int size) throws IOException {
        asker = new RawDatagramEnd(port, size);
        answerer = new RawDatagramEnd(port, size);
    }

    /** As {@link DatagramPair#micros}. */
    double micros(int size, int window, long nanos) throws IOException {
        int slice = window == 1 ? 1 : 2 * window;
        Slices slices = new Slices(nanos);
        int count = 0;
        boolean ending = false;
        int inFlight = window;
        for (int i = 0; i < window; i++) {
            asker.send(size, answerer);
        }
        while (inFlight > 0) {
            int asked = answerer.poll();
            for (int i = 0; i < asked; i++) {
                answerer.send(size, asker);
            }
            int answered = asker.poll();
            for (int i = 0; i < answered; i++) {
                inFlight--;
                count++;
                if (!ending && count % slice == 0) {
                    ending = !slices.next();
                }
                if (!ending) {
                    inFlight++;
                    asker.send(size, answerer);
                }
            }
            patience.note(asked + answered);
        }
        return slices.micros() / slice;
    }

    @Override
    public void close() throws IOException {
        asker.close();
        answerer.close();
    }
}
