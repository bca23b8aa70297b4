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

import io.netty.util.internal.PlatformDependent;
import io.nettyrdma.jni.NativeLibrary;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Injects faults into processes that use the software device, by the commands in docs/softhca.md. */
public final class SoftHca {

    private static final String TOOL = "softhca-control";

    private SoftHca() {
    }

    public static void assumeItIsTheDevice() {
        assumeTrue(NativeLibrary.isSoftware(), "only the software device has faults on request");
    }

    /**
     * Skips the test if the device overwrites posted receive memory, which it may. The lanes of a slow device do that.
     */
    public static void assumeItLeavesPostedMemoryAlone() {
        assumeTrue(!isAlways("scribble"), "the device writes over what is posted");
    }

    /** Whether the fault is active during the whole run. */
    static boolean isAlways(String fault) {
        return NativeLibrary.isSoftware() && System.getenv().getOrDefault("SOFTHCA_ALWAYS", "").contains(fault);
    }

    /** For this process. Clears all previous faults. */
    public static void faults(long seed, String faults) throws IOException, InterruptedException {
        control("faults off,seed=" + seed + (faults.isEmpty() ? "" : "," + faults));
    }

    /** For tests of behaviour that other devices show by themselves or not at all. */
    public static void faultsWhereItIsTheDevice(long seed, String faults) throws IOException, InterruptedException {
        if (NativeLibrary.isSoftware()) {
            faults(seed, faults);
        }
    }

    /** Also called where no fault was set, because the test that set it may have been skipped. */
    public static void noFaults() throws IOException, InterruptedException {
        if (NativeLibrary.isSoftware()) {
            control("faults off");
        }
    }

    /** For this process, which is known to the device as soon as it has opened it. */
    public static void control(String command) throws IOException, InterruptedException {
        TestDevice.get();
        control(ProcessHandle.current().pid(), command);
    }

    public static void control(long pid, String command) throws IOException, InterruptedException {
        Path build = ProjectTree.directory("transport-rdma-native/target/cmake");
        String platform = PlatformDependent.normalizedOs() + '-' + PlatformDependent.normalizedArch();
        Process process = new ProcessBuilder(build.resolve(platform).resolve(TOOL).toString(), Long.toString(pid),
                command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(TOOL + " " + pid + " \"" + command + "\": " + said);
        }
    }
}
