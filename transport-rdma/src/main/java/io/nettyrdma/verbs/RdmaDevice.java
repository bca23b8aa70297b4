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

import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.jni.AbiLayout;
import io.nettyrdma.jni.DeviceChoice;
import io.nettyrdma.jni.Errno;
import io.nettyrdma.jni.NativeLibrary;
import io.nettyrdma.jni.NativeMemory;
import io.nettyrdma.jni.VerbsNative;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An open device ({@code struct ibv_context}): the root of all objects that are created on it. Open each device once
 * and share it; some drivers leak when a device is opened repeatedly. Any thread.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class RdmaDevice extends VerbsObject {

    private static final int EXPECTED_DEVICES = 16;

    private final RdmaDeviceInfo info;
    private final DeviceLimits limits;
    private final AsyncEvents asyncEvents;
    private final AtomicLong queuePairCalls = new AtomicLong();
    private DeviceCapabilities capabilities;

    private RdmaDevice(RdmaDeviceInfo info) throws VerbsException {
        this.info = info;
        created(VerbsNative.openDevice(info.name()), "ibv_open_device", info.name());
        NativeMemory record = new NativeMemory(AbiLayout.DeviceAttributes.SIZE);
        int result = VerbsNative.queryDevice(handle(), record.address());
        if (result < 0) {
            close();
            throw new VerbsException("ibv_query_device", this, result);
        }
        limits = DeviceLimits.read(record);
        asyncEvents = new AsyncEvents(this);
    }

    /**
     * {@return the devices that libibverbs lists now; empty if there are none} If the system property {@code
     * io.nettyrdma.device} names a device, the list has no other.
     *
     * @throws VerbsException if the device cannot be asked, with the reason.
     */
    public static List<RdmaDeviceInfo> list() throws VerbsException {
        DeviceChoice choice = NativeLibrary.deviceChoice();
        return listAll().stream().filter(info -> choice.admits(info.name())).toList();
    }

    /**
     * {@return what {@link #list} says of the device with this name; {@code null} if there is none, or no name}
     *
     * @param name of a device; may be {@code null}.
     * @throws VerbsException if the call fails, with the reason.
     */
    public static RdmaDeviceInfo info(String name) throws VerbsException {
        return list().stream().filter(info -> info.name().equals(name)).findFirst().orElse(null);
    }

    private static List<RdmaDeviceInfo> listAll() throws VerbsException {
        NativeLibrary.ensureVerbs();
        int room = EXPECTED_DEVICES;
        while (true) {
            NativeMemory records = new NativeMemory(room * AbiLayout.DeviceInfo.SIZE);
            int count = VerbsNative.listDevices(records.address(), room);
            VerbsException.check(count, "ibv_get_device_list", "this machine");
            if (count <= room) {
                return read(records, count);
            }
            room = count;
        }
    }

    /**
     * Opens a device by its name in {@link #list}.
     *
     * @param name of a device.
     * @return the caller's to close, after all of its objects.
     * @throws VerbsException if no device has that name, or if this process may not use it; the message lists the
     *         devices that exist.
     */
    public static RdmaDevice open(String name) throws VerbsException {
        List<RdmaDeviceInfo> devices = listAll();
        DeviceChoice choice = NativeLibrary.deviceChoice();
        for (RdmaDeviceInfo info : devices) {
            if (info.name().equals(name) && choice.admits(name)) {
                return new RdmaDevice(info);
            }
        }
        String here = "no device is called " + name + ": the devices here are "
                + devices.stream().map(RdmaDeviceInfo::name).toList();
        throw VerbsException.withText("ibv_open_device", Errno.ENODEV, choice.name() == null ? here
                : here + ", and -D" + DeviceChoice.PROPERTY + '=' + choice.name() + " excludes all others");
    }

    /** {@return what {@link #list} says of the device} */
    public RdmaDeviceInfo info() {
        return info;
    }

    /** {@return the name of the device} */
    public String name() {
        return info.name();
    }

    /** {@return the limits of the device, as they were when it was opened} */
    public DeviceLimits limits() {
        return limits;
    }

    /**
     * Queries the current state of a port. Ports are numbered from 1.
     *
     * @param port from 1.
     * @return a snapshot.
     * @throws VerbsException if the device cannot be asked, with the reason.
     */
    public PortAttributes port(int port) throws VerbsException {
        checkPort(port);
        NativeMemory record = new NativeMemory(AbiLayout.PortAttributes.SIZE);
        int result = VerbsNative.queryPort(handle(), port, record.address());
        VerbsException.check(result, "ibv_query_port", this + " port " + port);
        return PortAttributes.read(record);
    }

    /**
     * {@return one entry of a port's GID table; its GID is zero if the entry is empty}
     *
     * @param port from 1.
     * @param index from 0.
     * @throws VerbsException if the device cannot be asked, with the reason.
     */
    public GidEntry gid(int port, int index) throws VerbsException {
        checkPort(port);
        if (index < 0) {
            throw new IllegalArgumentException("GID index " + index + " is negative");
        }
        NativeMemory record = new NativeMemory(AbiLayout.Gid.SIZE);
        int result = VerbsNative.queryGid(handle(), port, index, record.address());
        // libibverbs returns ENODATA for an empty entry; the record is zero then.
        if (result != -Errno.ENODATA) {
            VerbsException.check(result, "ibv_query_gid", this + " port " + port + " index " + index);
        }
        return new GidEntry(index, new Gid(record.bytes(AbiLayout.Gid.RAW, Gid.LENGTH)),
                Gid.Type.of(record.u32(AbiLayout.Gid.TYPE)), record.u32(AbiLayout.Gid.NDEV_IFINDEX));
    }

    /**
     * {@return the entries of a port's GID table that are in use}
     *
     * @param port from 1.
     * @throws VerbsException if the device cannot be asked, with the reason.
     */
    public List<GidEntry> gids(int port) throws VerbsException {
        List<GidEntry> entries = new ArrayList<>();
        int length = port(port).gidTableLength();
        for (int index = 0; index < length; index++) {
            GidEntry entry = gid(port, index);
            if (!entry.gid().isZero()) {
                entries.add(entry);
            }
        }
        return entries;
    }

    /**
     * {@return what the device can do} The first call probes the device, later calls return the cached result.
     *
     * @throws VerbsException if the device cannot be asked, with the reason.
     */
    public synchronized DeviceCapabilities capabilities() throws VerbsException {
        if (capabilities == null) {
            capabilities = CapabilityProbe.probe(this);
        }
        return capabilities;
    }

    /** {@return the asynchronous events of the device: errors and state changes} */
    public AsyncEvents asyncEvents() {
        return asyncEvents;
    }

    /**
     * {@return the number of calls so far that created, modified or destroyed a queue pair} Each blocks its caller, on
     * adapters for a millisecond or two. Safe from any thread.
     */
    public long queuePairCalls() {
        return queuePairCalls.get();
    }

    void queuePairCalled() {
        queuePairCalls.incrementAndGet();
    }

    /**
     * Creates a protection domain.
     *
     * @return the caller's to close, before the device.
     * @throws VerbsException if it is refused, with the reason.
     */
    public ProtectionDomain createProtectionDomain() throws VerbsException {
        return new ProtectionDomain(this);
    }

    /**
     * Creates a channel for events of completion queues.
     *
     * @return the caller's to close, before the device.
     * @throws VerbsException if it is refused, with the reason.
     */
    public CompletionChannel createCompletionChannel() throws VerbsException {
        return new CompletionChannel(this);
    }

    /**
     * Creates a completion queue without events, for polling only.
     *
     * @param config what is wanted.
     * @return the caller's to close, before the device.
     * @throws VerbsException if it is refused, with the reason.
     */
    public CompletionQueue createCompletionQueue(CompletionQueueConfig config) throws VerbsException {
        return new CompletionQueue(this, null, config);
    }

    /**
     * Creates a completion queue whose events arrive at {@code channel}.
     *
     * @param config what is wanted.
     * @param channel gets the events.
     * @return the caller's to close, before the channel and the device.
     * @throws VerbsException if it is refused, with the reason.
     */
    public CompletionQueue createCompletionQueue(CompletionQueueConfig config, CompletionChannel channel)
            throws VerbsException {
        return new CompletionQueue(this, channel, config);
    }

    @Override
    protected int destroy(long handle) {
        return VerbsNative.closeDevice(handle);
    }

    @Override
    protected String destroyCall() {
        return "ibv_close_device";
    }

    @Override
    public String toString() {
        return "device " + info.name();
    }

    private void checkPort(int port) {
        if (port < 1 || port > limits.ports()) {
            throw new IllegalArgumentException(this + " has ports 1 to " + limits.ports() + ", not " + port);
        }
    }

    private static List<RdmaDeviceInfo> read(NativeMemory records, int count) {
        List<RdmaDeviceInfo> devices = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int base = i * AbiLayout.DeviceInfo.SIZE;
            devices.add(new RdmaDeviceInfo(records.string(base + AbiLayout.DeviceInfo.NAME, 64),
                    records.u64(base + AbiLayout.DeviceInfo.GUID),
                    RdmaDeviceInfo.Transport.of(records.u32(base + AbiLayout.DeviceInfo.TRANSPORT_TYPE)),
                    NativeLibrary.isSoftware() ? RdmaDeviceInfo.Kind.SOFTWARE : RdmaDeviceInfo.Kind.SYSTEM));
        }
        return devices;
    }
}
