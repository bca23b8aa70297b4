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
package io.nettyrdma.channel;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannelConfig;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.link.LinkConfig;
import io.nettyrdma.stream.StreamConfig;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Options of an {@link RdmaChannel}. Every option of TCP can be set and read, so that code written for TCP works:
 *
 * <table>
 * <caption>Meaning of the socket options</caption>
 * <tr><td>ALLOW_HALF_CLOSURE, AUTO_READ, AUTO_CLOSE</td><td>as in other transports</td></tr>
 * <tr><td>CONNECT_TIMEOUT_MILLIS</td><td>as usual; for a server's child, how long its peer may take to confirm the
 * connection</td></tr>
 * <tr><td>WRITE_BUFFER_WATER_MARK</td><td>as usual; 128 and 256 KiB by default, because data that the device reads
 * in place counts until it is sent, and no socket buffer follows</td></tr>
 * <tr><td>ALLOCATOR</td><td>as usual; the device reads and writes buffers of the default one in place, and those of
 * others are copied</td></tr>
 * <tr><td>MAX_MESSAGES_PER_READ, MESSAGE_SIZE_ESTIMATOR, SINGLE_EVENTEXECUTOR_PER_GROUP</td><td>as in other
 * transports</td></tr>
 * <tr><td>RECVBUF_ALLOCATOR</td><td>by default a read brings a whole frame in the buffer that received it; another
 * allocator with smaller guesses cuts frames into slices</td></tr>
 * <tr><td>MAX_MESSAGES_PER_WRITE</td><td>stored and returned, without effect</td></tr>
 * <tr><td>WRITE_SPIN_COUNT</td><td>how often a flush is repeated at once because listeners of its promises flushed
 * again; then the loop's other work comes first</td></tr>
 * <tr><td>SO_LINGER</td><td>0: close() aborts, and the peer sees a reset. Above 0: the seconds for which the promise of
 * close() waits until the peer has everything; then the connection continues without it, as TCP's kernel does</td></tr>
 * <tr><td>IP_TOS</td><td>type of service of this side's packets; set it before connecting, for a child as childOption;
 * with 0 a child uses that of the connecting side</td></tr>
 * <tr><td>SO_REUSEADDR</td><td>of the local address; set it before binding</td></tr>
 * <tr><td>SO_KEEPALIVE</td><td>false disables {@link RdmaChannelOption#KEEPALIVE_MILLIS}; true by default</td></tr>
 * <tr><td>SO_RCVBUF</td><td>unread bytes that are still taken in when the receives are used up; 0: none, and the peer
 * waits; {@value #RECEIVE_BUFFER} by default. Can be set at any time. See docs/memory.md</td></tr>
 * <tr><td>SO_SNDBUF</td><td>bytes of flushed messages beyond the peer's receives that are still sent after a close() or
 * shutdownOutput(); the messages behind them fail. {@value #SEND_BUFFER} by default. Can be set at any time before
 * that. Otherwise written data waits in the channel</td></tr>
 * <tr><td>TCP_NODELAY, TCP_FASTOPEN_CONNECT</td><td>stored and returned, without effect: a flush is never delayed, and
 * data never travels with the request</td></tr>
 * </table>
 *
 * Any thread.
 *
 * @since 0.1.0
 */
public final class RdmaChannelConfig extends DefaultChannelConfig implements SocketChannelConfig {

    private static final int NO_LINGER = -1;
    private static final int KIB = 1 << 10;

    /**
     * With Netty's default of 64 KiB, a channel that sends without copying spends a fourth of the time waiting to
     * become writable; with 256 KiB it is as fast as one that copies. See docs/benchmarks.md.
     */
    private static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(128 * KIB, 256 * KIB);

    /** The size that Linux lets a receive buffer of TCP grow to: the third number of tcp_rmem in tcp(7). */
    static final int RECEIVE_BUFFER = 4 * KIB * KIB;
    /** The same for a send buffer: the third number of tcp_wmem there. */
    static final int SEND_BUFFER = 4 * KIB * KIB;

    /** The default and the range of an option of {@link RdmaChannelOption}. The default may be outside of the range. */
    private record Range(int initial, int min, int max) {

        void check(ChannelOption<?> option, int value) {
            if (initial >= min) {
                OptionTable.inRange(option, value, min, max);
            } else if (value != initial && (value < min || value > max)) {
                throw new IllegalArgumentException(option + " is " + value + ", not within " + min + " to " + max
                        + ", nor " + initial);
            }
        }
    }

    private static final Map<ChannelOption<Integer>, Range> RANGES = new LinkedHashMap<>();
    /** Options that do not affect the queue pair. */
    private static final Set<ChannelOption<Integer>> AT_ANY_TIME =
            Set.of(RdmaChannelOption.SPIN_MICROS, RdmaChannelOption.CLOSE_TIMEOUT_MILLIS);

    static {
        RANGES.put(RdmaChannelOption.RECEIVE_BUFFER_SIZE, new Range(LinkConfig.FOLLOWS_TRAFFIC, 64, 16 * KIB * KIB));
        RANGES.put(RdmaChannelOption.MAX_RECEIVE_BUFFER_SIZE, new Range(StreamConfig.DEFAULT_MAX_RECEIVE_BUFFER,
                StreamConfig.DEFAULT_RECEIVE_BUFFER, 16 * KIB * KIB));
        RANGES.put(RdmaChannelOption.INITIAL_WINDOW,
                new Range(StreamConfig.DEFAULT_INITIAL_WINDOW, StreamConfig.MIN_WINDOW, 64 * KIB));
        RANGES.put(RdmaChannelOption.MAX_WINDOW,
                new Range(StreamConfig.DEFAULT_MAX_WINDOW, StreamConfig.MIN_WINDOW, 64 * KIB));
        RANGES.put(RdmaChannelOption.SEND_QUEUE_DEPTH,
                new Range(StreamConfig.DEFAULT_SEND_QUEUE, 4, 32 * KIB));
        RANGES.put(RdmaChannelOption.ZERO_COPY_THRESHOLD,
                new Range(StreamConfig.DEFAULT_ZERO_COPY_THRESHOLD, 1, Integer.MAX_VALUE));
        RANGES.put(RdmaChannelOption.SPIN_MICROS, new Range(-1, -1, Integer.MAX_VALUE));
        RANGES.put(RdmaChannelOption.KEEPALIVE_MILLIS, new Range(30_000, 0, Integer.MAX_VALUE));
        RANGES.put(RdmaChannelOption.CLOSE_TIMEOUT_MILLIS, new Range(60_000, 1, Integer.MAX_VALUE));
        RANGES.put(RdmaChannelOption.ACK_TIMEOUT_EXPONENT, new Range(0, 0, 31));
        RANGES.put(RdmaChannelOption.RETRY_COUNT, new Range(7, 0, 7));
        RANGES.put(RdmaChannelOption.RNR_RETRY_COUNT, new Range(7, 0, 7));
    }

    private static final Map<ChannelOption<?>, Integer> INITIAL_VALUES = RANGES.entrySet().stream()
            .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, entry -> entry.getValue().initial()));

    private static final OptionTable<RdmaChannelConfig> OPTIONS = new OptionTable<RdmaChannelConfig>()
            .with(ChannelOption.ALLOW_HALF_CLOSURE, RdmaChannelConfig::isAllowHalfClosure,
                    RdmaChannelConfig::setAllowHalfClosure)
            .with(ChannelOption.SO_LINGER, RdmaChannelConfig::getSoLinger, RdmaChannelConfig::setSoLinger)
            .with(ChannelOption.IP_TOS, RdmaChannelConfig::getTrafficClass, RdmaChannelConfig::setTrafficClass)
            .with(ChannelOption.SO_REUSEADDR, RdmaChannelConfig::isReuseAddress, RdmaChannelConfig::setReuseAddress)
            .with(ChannelOption.SO_KEEPALIVE, RdmaChannelConfig::isKeepAlive, RdmaChannelConfig::setKeepAlive)
            .with(ChannelOption.TCP_NODELAY, RdmaChannelConfig::isTcpNoDelay, RdmaChannelConfig::setTcpNoDelay)
            .with(ChannelOption.TCP_FASTOPEN_CONNECT, config -> config.fastOpen,
                    (config, fastOpen) -> config.fastOpen = fastOpen)
            .with(ChannelOption.SO_SNDBUF, RdmaChannelConfig::getSendBufferSize, RdmaChannelConfig::setSendBufferSize)
            .with(ChannelOption.SO_RCVBUF, RdmaChannelConfig::getReceiveBufferSize,
                    RdmaChannelConfig::setReceiveBufferSize)
            .with(RdmaChannelOption.REMOTE_ACCESS, RdmaChannelConfig::allowsRemoteAccess,
                    RdmaChannelConfig::setRemoteAccess);

    static {
        RANGES.keySet().forEach(option ->
                OPTIONS.with(option, config -> config.rdma(option), (config, value) -> config.setRdma(option, value)));
    }

    private final RdmaChannel channel;
    /** Replaced as a whole: the loop reads it, any thread writes it. */
    private volatile Map<ChannelOption<?>, Integer> rdma = INITIAL_VALUES;

    private volatile boolean allowHalfClosure;
    private volatile int soLinger = NO_LINGER;
    private volatile int trafficClass;
    private volatile boolean reuseAddress;
    private volatile boolean keepAlive = true;
    private volatile boolean tcpNoDelay = true;
    private volatile boolean fastOpen;
    private volatile boolean remoteAccess;
    private volatile int sendBufferSize = SEND_BUFFER;
    private volatile int receiveBufferSize = RECEIVE_BUFFER;

    RdmaChannelConfig(RdmaChannel channel) {
        super(channel, new WholeFrames());
        this.channel = channel;
        setAllocator(RdmaByteBufAllocator.DEFAULT);
        setWriteBufferWaterMark(WATER_MARK);
        setMessageSizeEstimator(OperationSizes.INSTANCE);
        if (channel.listener() != null) {
            receiveBufferSize = channel.listener().config().getReceiveBufferSize();
        }
    }

    /** The channel and its options. */
    @Override
    public String toString() {
        return "options of " + channel + ": " + getOptions();
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(super.getOptions(), OPTIONS.options());
    }

    @Override
    public <T> T getOption(ChannelOption<T> option) {
        return OPTIONS.has(option) ? OPTIONS.get(this, option) : super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        return OPTIONS.has(option) ? OPTIONS.set(this, option, value) : super.setOption(option, value);
    }

    /** The value of an option of {@link RdmaChannelOption}. */
    int rdma(ChannelOption<Integer> option) {
        return rdma.get(option);
    }

    /** The options of a connection as they are now. */
    LinkConfig link() {
        return new LinkConfig(getAllocator(), trafficClass, reuseAddress, remoteAccess,
                rdma(RdmaChannelOption.ACK_TIMEOUT_EXPONENT), rdma(RdmaChannelOption.RETRY_COUNT),
                rdma(RdmaChannelOption.RNR_RETRY_COUNT), rdma(RdmaChannelOption.RECEIVE_BUFFER_SIZE),
                rdma(RdmaChannelOption.MAX_RECEIVE_BUFFER_SIZE),
                rdma(RdmaChannelOption.INITIAL_WINDOW), rdma(RdmaChannelOption.MAX_WINDOW),
                rdma(RdmaChannelOption.SEND_QUEUE_DEPTH), rdma(RdmaChannelOption.ZERO_COPY_THRESHOLD));
    }

    private void setRdma(ChannelOption<Integer> option, int value) {
        Range range = RANGES.get(option);
        range.check(option, value);
        if (!AT_ANY_TIME.contains(option)) {
            checkNotFixed(option);
        }
        put(option, value);
        channel.spinAsConfigured();
    }

    private synchronized void put(ChannelOption<Integer> option, int value) {
        Map<ChannelOption<?>, Integer> changed = new LinkedHashMap<>(rdma);
        changed.put(option, value);
        rdma = Map.copyOf(changed);
    }

    private void checkNotFixed(ChannelOption<?> option) {
        if (channel.hasQueuePair()) {
            throw new IllegalStateException(option + " of " + channel
                    + " is fixed since its queue pair exists: set it before connecting, or as a child option");
        }
    }

    /** The value of {@link RdmaChannelOption#REMOTE_ACCESS}. */
    boolean allowsRemoteAccess() {
        return remoteAccess;
    }

    private void setRemoteAccess(boolean allows) {
        checkNotFixed(RdmaChannelOption.REMOTE_ACCESS);
        remoteAccess = allows;
    }

    @Override
    public boolean isAllowHalfClosure() {
        return allowHalfClosure;
    }

    @Override
    public RdmaChannelConfig setAllowHalfClosure(boolean allow) {
        allowHalfClosure = allow;
        return this;
    }

    @Override
    public int getSoLinger() {
        return soLinger;
    }

    @Override
    public RdmaChannelConfig setSoLinger(int seconds) {
        soLinger = seconds < 0 ? NO_LINGER : seconds;
        return this;
    }

    boolean aborts() {
        return soLinger == 0;
    }

    /** For how long a close waits for the acknowledgement of what was flushed before it. */
    int lingerSeconds() {
        return Math.max(0, soLinger);
    }

    @Override
    public int getTrafficClass() {
        return trafficClass;
    }

    @Override
    public RdmaChannelConfig setTrafficClass(int value) {
        if (value < 0 || value > 255) {
            throw new ChannelException(new IllegalArgumentException("IP_TOS is " + value + ", not within 0 to 255"));
        }
        trafficClass = value;
        return this;
    }

    @Override
    public boolean isReuseAddress() {
        return reuseAddress;
    }

    @Override
    public RdmaChannelConfig setReuseAddress(boolean reuse) {
        reuseAddress = reuse;
        return this;
    }

    @Override
    public boolean isKeepAlive() {
        return keepAlive;
    }

    @Override
    public RdmaChannelConfig setKeepAlive(boolean keep) {
        keepAlive = keep;
        return this;
    }

    /** 0 disables the keepalive. */
    int keepAliveMillis() {
        return keepAlive ? rdma(RdmaChannelOption.KEEPALIVE_MILLIS) : 0;
    }

    @Override
    public boolean isTcpNoDelay() {
        return tcpNoDelay;
    }

    @Override
    public RdmaChannelConfig setTcpNoDelay(boolean noDelay) {
        tcpNoDelay = noDelay;
        return this;
    }

    @Override
    public int getSendBufferSize() {
        return sendBufferSize;
    }

    @Override
    public RdmaChannelConfig setSendBufferSize(int bytes) {
        sendBufferSize = OptionTable.inRange(ChannelOption.SO_SNDBUF, bytes, 0, Integer.MAX_VALUE);
        return this;
    }

    @Override
    public int getReceiveBufferSize() {
        return receiveBufferSize;
    }

    @Override
    public RdmaChannelConfig setReceiveBufferSize(int bytes) {
        receiveBufferSize = OptionTable.inRange(ChannelOption.SO_RCVBUF, bytes, 0, Integer.MAX_VALUE);
        return this;
    }

    @Override
    public RdmaChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this;
    }

    @Override
    public RdmaChannelConfig setConnectTimeoutMillis(int millis) {
        super.setConnectTimeoutMillis(millis);
        return this;
    }

    @Override
    @Deprecated
    public RdmaChannelConfig setMaxMessagesPerRead(int messages) {
        super.setMaxMessagesPerRead(messages);
        return this;
    }

    @Override
    public RdmaChannelConfig setWriteSpinCount(int count) {
        super.setWriteSpinCount(count);
        return this;
    }

    @Override
    public RdmaChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public RdmaChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public RdmaChannelConfig setAutoRead(boolean autoRead) {
        super.setAutoRead(autoRead);
        return this;
    }

    /** Takes back a pending read. */
    @Override
    protected void autoReadCleared() {
        channel.clearReadPending();
    }

    @Override
    public RdmaChannelConfig setAutoClose(boolean autoClose) {
        super.setAutoClose(autoClose);
        return this;
    }

    @Override
    public RdmaChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark mark) {
        super.setWriteBufferWaterMark(mark);
        return this;
    }

    @Override
    public RdmaChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }
}
