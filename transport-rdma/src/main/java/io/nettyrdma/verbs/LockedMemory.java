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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The limit of memory that this process may lock, and thus register.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class LockedMemory {

    /** No limit. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    /** The system does not report the limit. */
    public static final long UNKNOWN = -1;

    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final String ROW = "Max locked memory";
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String CAPABILITIES = "CapEff:";
    private static final int CAP_IPC_LOCK = 14;

    private LockedMemory() {
    }

    /** {@return the soft limit RLIMIT_MEMLOCK in bytes, {@link #UNLIMITED} or {@link #UNKNOWN}} */
    public static long limitBytes() {
        try {
            for (String line : Files.readAllLines(LIMITS)) {
                if (line.startsWith(ROW)) {
                    String soft = line.substring(ROW.length()).trim().split("\\s+")[0];
                    return "unlimited".equals(soft) ? UNLIMITED : Long.parseLong(soft);
                }
            }
        } catch (IOException | NumberFormatException e) {
            return UNKNOWN;
        }
        return UNKNOWN;
    }

    /** {@return whether the limit bounds this process: there is one, and no capability (CAP_IPC_LOCK) to exceed it} */
    public static boolean isLimited() {
        return limitBytes() != UNLIMITED && !mayExceedLimit();
    }

    private static boolean mayExceedLimit() {
        try {
            for (String line : Files.readAllLines(STATUS)) {
                if (line.startsWith(CAPABILITIES)) {
                    String set = line.substring(CAPABILITIES.length()).trim();
                    return (Long.parseUnsignedLong(set, 16) >>> CAP_IPC_LOCK & 1) == 1;
                }
            }
        } catch (IOException | NumberFormatException e) {
            return false;
        }
        return false;
    }

    /** {@return the limit as text for messages: in KiB, "unlimited" or "unknown"} */
    public static String describeLimit() {
        long limit = limitBytes();
        if (limit == UNLIMITED) {
            return "unlimited";
        }
        return limit == UNKNOWN ? "unknown" : (limit >> 10) + " KiB";
    }
}
