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
package io.nettyrdma.efa;

import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.channel.RdmaDatagramChannel;
import io.nettyrdma.channel.RdmaDatagramChannelConfig;
import io.nettyrdma.datagram.DatagramDevices;
import io.nettyrdma.datagram.DatagramException;
import io.nettyrdma.datagram.DatagramService;
import io.nettyrdma.verbs.QueuePairType;
import io.nettyrdma.verbs.RdmaDeviceInfo;

import java.io.IOException;

/**
 * Datagrams of EFA's transport SRD: each arrives at most once, and in any order, or its promise fails with a {@link
 * DatagramException} that says why; the channel and all others continue. {@link RdmaDatagramChannel} has the pattern of
 * use. A datagram has at most {@link #maxDatagram} bytes, 8,928 on the adapters that there are.
 *
 * <pre>
 *   write(envelope)         an AddressedEnvelope of a ByteBuf, an RdmaWrite or an RdmaRead, and a DatagramAddress
 *   channelRead(envelope)   an AddressedEnvelope of a ByteBuf
 *   userEventTriggered      a DatagramImmediate: a peer's write is complete; if the option IMMEDIATES is set
 * </pre>
 *
 * <p>Peers exchange their addresses with a {@link io.nettyrdma.channel.DatagramExchange}. Without it only datagrams
 * arrive: the peer's device refuses writes and reads of queue pairs for which it has no address handle, and an answer
 * needs the queue key, which no datagram carries.
 *
 * <p>Nothing has an order, not even the bytes of one write: only its own immediate comes after them. An immediate has
 * 32 bits here. Number the datagrams if you need an order.
 *
 * <p>A datagram whose recipient does not read is repeated, and fails with {@link
 * io.nettyrdma.datagram.DatagramFailure#NOT_READY}: see {@link EfaChannelOption#RNR_RETRY_COUNT}. Then one datagram at
 * a time is sent there, until one arrives, and others fail at once. No recipient takes more than half of the entries of
 * the send queue that the others leave free. The first adapters do not name the sender of a datagram, unless this side
 * has an address handle for the sender; otherwise the sender {@link io.nettyrdma.datagram.DatagramAddress#isUnknown}.
 * Thread: as {@link RdmaDatagramChannel}.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class EfaDatagramChannel extends RdmaDatagramChannel {

    @Override
    protected RdmaDatagramChannelConfig newConfig() {
        return new EfaDatagramChannelConfig(this);
    }

    @Override
    public EfaDatagramChannelConfig config() {
        return (EfaDatagramChannelConfig) super.config();
    }

    @Override
    protected RdmaDeviceInfo choose(DatagramDevices devices) throws IOException {
        if (!isReliable()) {
            return super.choose(devices);
        }
        for (RdmaDeviceInfo each : devices.all()) {
            if (each.transport() == RdmaDeviceInfo.Transport.OTHER && devices.capabilities(each).efa() != null) {
                return each;
            }
        }
        throw new IOException("no device here sends datagrams: of " + devices.all() + " none is EFA");
    }

    @Override
    protected DatagramService.Source services() {
        Integer rnrRetryCount = config().wantedRnrRetryCount();
        if (isReliable()) {
            return (device, port) -> ReliableDatagrams.on(device, port, rnrRetryCount);
        }
        return (device, port) -> {
            ReliableDatagrams.uncounted(device, rnrRetryCount);
            return DatagramService.unreliable(device, port);
        };
    }

    private boolean isReliable() {
        return config().getOption(EfaChannelOption.TRANSPORT) == QueuePairType.SRD;
    }
}
