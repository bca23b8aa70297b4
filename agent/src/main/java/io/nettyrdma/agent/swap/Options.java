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
package io.nettyrdma.agent.swap;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What follows the jar's name on the command line: {@code name=value,name=value}. See docs/agent.md. */
final class Options {

    static final String POLICY = "io.nettyrdma.policy";
    static final String DEVICE = "io.nettyrdma.device";

    private static final String REQUIRED = "required";

    /** Options that are system properties of the transport. */
    private static final Map<String, String> PROPERTIES = Map.of("policy", POLICY, "device", DEVICE,
            "headStartMillis", "io.nettyrdma.headStartMillis", "rdmaPortOffset", "io.nettyrdma.rdmaPortOffset");

    private final Map<String, String> properties = new LinkedHashMap<>();
    private final List<String> allowedClasses = new ArrayList<>();
    private final List<String> deniedClasses = new ArrayList<>();
    private final List<String> addressRules = new ArrayList<>();
    private boolean isLogged = true;
    private boolean isSummaryWanted;
    private Path summaryFile;

    private Options() {
    }

    /** @param text {@code null} without options. */
    static Options parse(String text) {
        Options options = new Options();
        if (text != null) {
            for (String each : text.split(",")) {
                if (!each.isBlank()) {
                    options.read(each.trim());
                }
            }
        }
        options.check();
        return options;
    }

    private void read(String option) {
        int equals = option.indexOf('=');
        String name = equals < 0 ? option : option.substring(0, equals);
        String value = equals < 0 ? "" : option.substring(equals + 1).trim();
        if (value.isEmpty()) {
            throw new IllegalArgumentException("the option " + name + " has no value: write " + name + "=value");
        }
        switch (name) {
        case "policy", "device", "headStartMillis", "rdmaPortOffset" -> properties.put(PROPERTIES.get(name), value);
        case "allowClass" -> allowedClasses.add(value);
        case "denyClass" -> deniedClasses.add(value);
        case "allowAddress" -> addressRules.add('+' + value);
        case "denyAddress" -> addressRules.add('-' + value);
        case "log" -> isLogged = isOn(name, value);
        case "summary" -> readSummary(value);
        default -> throw new IllegalArgumentException("there is no option " + name + ": use policy, device, "
                + "headStartMillis, rdmaPortOffset, allowClass, denyClass, allowAddress, denyAddress, log or summary");
        }
    }

    private void readSummary(String value) {
        boolean isFile = value.startsWith("/");
        if (!isFile && !List.of("on", "off").contains(value)) {
            throw new IllegalArgumentException("summary=" + value
                    + " is none of on, off and the absolute path of a file");
        }
        isSummaryWanted = !value.equals("off");
        summaryFile = isFile ? Path.of(value) : null;
    }

    private static boolean isOn(String name, String value) {
        if (value.equals("on") || value.equals("off")) {
            return value.equals("on");
        }
        throw new IllegalArgumentException(name + '=' + value + " is neither on nor off");
    }

    /** The transport would report these when the program creates its first channel. */
    private void check() {
        String policy = property(POLICY, "preferred");
        if (!List.of(REQUIRED, "preferred", "tcp").contains(policy)) {
            throw new IllegalArgumentException("policy=" + policy + " is none of required, preferred and tcp");
        }
        checkNumber("headStartMillis", 1, 60_000);
        checkNumber("rdmaPortOffset", -65_535, 65_535);
        if (!addressRules.isEmpty()) {
            AddressSyntax.check(addressRules);
        }
    }

    private void checkNumber(String name, int min, int max) {
        String value = property(PROPERTIES.get(name), null);
        try {
            if (value == null || Integer.parseInt(value) >= min && Integer.parseInt(value) <= max) {
                return;
            }
        } catch (NumberFormatException e) {
            // As one that is out of the range.
        }
        throw new IllegalArgumentException(name + '=' + value + " is no number from " + min + " to " + max);
    }

    /** A property of the JVM comes before an option: it is of one program, where the option may be of many. */
    String property(String name, String otherwise) {
        return System.getProperty(name, properties.getOrDefault(name, otherwise));
    }

    /** The transport reads them. */
    void setProperties() {
        for (Map.Entry<String, String> each : properties.entrySet()) {
            if (System.getProperty(each.getKey()) == null) {
                System.setProperty(each.getKey(), each.getValue());
            }
        }
    }

    boolean isRdmaRequired() {
        return property(POLICY, "").equals(REQUIRED);
    }

    boolean isTcpMeant() {
        return property(POLICY, "").equals("tcp");
    }

    boolean isLogged() {
        return isLogged;
    }

    boolean isSummaryWanted() {
        return isSummaryWanted;
    }

    /** Gets the summary; {@code null} for standard error. */
    Path summaryFile() {
        return summaryFile;
    }

    ClassRules classRules() {
        return new ClassRules(allowedClasses, deniedClasses);
    }

    /** Each begins with {@code +} if it allows, with {@code -} if it denies. */
    List<String> addressRules() {
        return addressRules;
    }
}
