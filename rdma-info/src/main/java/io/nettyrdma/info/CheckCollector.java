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
package io.nettyrdma.info;

import io.netty.channel.epoll.Epoll;
import io.nettyrdma.buffer.HugePages;
import io.nettyrdma.info.Facts.Device;
import io.nettyrdma.info.Facts.GidFact;
import io.nettyrdma.info.Facts.Library;
import io.nettyrdma.info.Facts.Port;
import io.nettyrdma.info.check.LibrariesCheck;
import io.nettyrdma.info.check.Machine;
import io.nettyrdma.info.check.MachineCheck;
import io.nettyrdma.info.check.MtuCheck.RocePort;
import io.nettyrdma.info.check.SystemFiles;
import io.nettyrdma.jni.LoadFailure;
import io.nettyrdma.jni.NativeLibrary;
import io.nettyrdma.verbs.LockedMemory;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;

/** Facts of libraries and of the JVM, for the checks of this machine. */
final class CheckCollector {

    private static final String ALLOCATOR = "io.nettyrdma.allocator.";
    private static final String NETTY_VERSIONS = "META-INF/io.netty.versions.properties";
    private static final String VERSION = ".version";

    private CheckCollector() {
    }

    static CheckReport collect(Facts facts) {
        Machine machine = Machine.of(SystemFiles.ofThisMachine(), System.getenv(), NativeLibrary.isSoftware());
        long heap = Runtime.getRuntime().maxMemory();
        boolean explicit = HugePages.EXPLICIT.name()
                .equalsIgnoreCase(System.getProperty(ALLOCATOR + "hugePages", "").trim());
        return new CheckReport(MachineCheck.findings(machine, new MachineCheck.Facts(LockedMemory.limitBytes(),
                LockedMemory.isLimited(), ports(facts), nettyVersions(), libraries(facts), explicit,
                heap + Long.getLong(ALLOCATOR + "maxRegisteredBytes", heap), facts.missing())));
    }

    private static List<RocePort> ports(Facts facts) {
        List<RocePort> ports = new ArrayList<>();
        for (Device device : facts.devices()) {
            if ("INFINIBAND".equals(device.transport()) && device.ports() != null) {
                device.ports().stream().filter(port -> "ETHERNET".equals(port.linkLayer()))
                        .forEach(port -> rocePort(device, port, ports));
            }
        }
        return ports;
    }

    private static void rocePort(Device device, Port port, List<RocePort> ports) {
        port.gids().stream().map(GidFact::networkInterface).filter(Objects::nonNull).findFirst()
                .ifPresent(name -> ports.add(new RocePort(device.name(), port.number(), port.activeMtu(),
                        port.maxMtu(), name)));
    }

    /** Behind the class path of an application the Netty in our own jar does not count. */
    private static Map<String, String> nettyVersions() {
        String self = CheckCollector.class.getProtectionDomain().getCodeSource().getLocation().toString();
        Map<String, String> own = new HashMap<>();
        Map<String, String> others = new HashMap<>();
        try {
            for (URL file : Collections.list(CheckCollector.class.getClassLoader().getResources(NETTY_VERSIONS))) {
                read(file, file.toString().contains(self) ? own : others);
            }
        } catch (IOException e) {
            // The check reports that there is no version.
            return Map.of();
        }
        return others.isEmpty() ? own : others;
    }

    private static void read(URL file, Map<String, String> versions) throws IOException {
        Properties properties = new Properties();
        try (InputStream in = file.openStream()) {
            properties.load(in);
        }
        for (String name : properties.stringPropertyNames()) {
            // tcnative has versions of its own.
            if (name.endsWith(VERSION) && !name.startsWith("netty-tcnative")) {
                versions.put(name.substring(0, name.length() - VERSION.length()), properties.getProperty(name));
            }
        }
    }

    /** libefa is for its own devices alone, and the program says by itself if it lacks it there. */
    private static List<LibrariesCheck.Library> libraries(Facts facts) {
        boolean hasEfa = facts.devices().stream().anyMatch(device -> "OTHER".equals(device.transport()));
        List<LibrariesCheck.Library> libraries = new ArrayList<>();
        libraries.add(new LibrariesCheck.Library("native library", true, shimProblem()));
        libraries.add(new LibrariesCheck.Library("Netty's epoll", true, epollProblem()));
        for (Library library : facts.libraries()) {
            boolean required = !"libefa".equals(library.name()) || hasEfa;
            libraries.add(new LibrariesCheck.Library(library.name(), required, library.problem()));
        }
        return libraries;
    }

    private static String shimProblem() {
        try {
            NativeLibrary.ensureShim();
            return null;
        } catch (UnsatisfiedLinkError e) {
            return e.getMessage();
        }
    }

    private static String epollProblem() {
        Throwable cause = Epoll.unavailabilityCause();
        return cause == null ? null : cause.getMessage() + LoadFailure.cureOfEpoll(cause, Epoll.class.getModule());
    }
}
