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
package io.nettyrdma.jni;

import java.util.Map;

/** Error numbers that verbs and rdma_cm return, and their names. The numbers are for Linux on x86-64 and aarch64. */
public final class Errno {

    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int EAGAIN = 11;
    public static final int ENOMEM = 12;
    public static final int EACCES = 13;
    public static final int EBUSY = 16;
    public static final int ENODEV = 19;
    public static final int ENOTDIR = 20;
    public static final int EINVAL = 22;
    public static final int ENFILE = 23;
    public static final int EMFILE = 24;
    public static final int ENOSPC = 28;
    public static final int EROFS = 30;
    public static final int ENOSYS = 38;
    public static final int ENODATA = 61;
    public static final int EOPNOTSUPP = 95;
    public static final int EADDRINUSE = 98;
    public static final int EADDRNOTAVAIL = 99;
    public static final int ENETUNREACH = 101;
    public static final int ECONNRESET = 104;
    public static final int ENOTCONN = 107;
    public static final int ETIMEDOUT = 110;
    public static final int ECONNREFUSED = 111;
    public static final int EHOSTUNREACH = 113;

    private static final Map<Integer, String> NAMES = Map.ofEntries(
            Map.entry(EPERM, "EPERM"), Map.entry(ENOENT, "ENOENT"), Map.entry(4, "EINTR"), Map.entry(5, "EIO"),
            Map.entry(6, "ENXIO"), Map.entry(9, "EBADF"), Map.entry(EAGAIN, "EAGAIN"), Map.entry(ENOMEM, "ENOMEM"),
            Map.entry(EACCES, "EACCES"), Map.entry(14, "EFAULT"), Map.entry(EBUSY, "EBUSY"),
            Map.entry(17, "EEXIST"), Map.entry(ENODEV, "ENODEV"), Map.entry(ENOTDIR, "ENOTDIR"),
            Map.entry(EINVAL, "EINVAL"), Map.entry(ENFILE, "ENFILE"), Map.entry(EMFILE, "EMFILE"),
            Map.entry(ENOSPC, "ENOSPC"), Map.entry(EROFS, "EROFS"),
            Map.entry(ENOSYS, "ENOSYS"), Map.entry(ENODATA, "ENODATA"), Map.entry(71, "EPROTO"),
            Map.entry(EOPNOTSUPP, "EOPNOTSUPP"), Map.entry(93, "EPROTONOSUPPORT"), Map.entry(97, "EAFNOSUPPORT"),
            Map.entry(EADDRINUSE, "EADDRINUSE"), Map.entry(EADDRNOTAVAIL, "EADDRNOTAVAIL"),
            Map.entry(100, "ENETDOWN"), Map.entry(ENETUNREACH, "ENETUNREACH"), Map.entry(ECONNRESET, "ECONNRESET"),
            Map.entry(105, "ENOBUFS"), Map.entry(106, "EISCONN"), Map.entry(107, "ENOTCONN"),
            Map.entry(ETIMEDOUT, "ETIMEDOUT"), Map.entry(ECONNREFUSED, "ECONNREFUSED"),
            Map.entry(EHOSTUNREACH, "EHOSTUNREACH"), Map.entry(114, "EALREADY"), Map.entry(115, "EINPROGRESS"));

    private Errno() {
    }

    /** The name and number, such as {@code "ENOMEM (12)"}, or {@code "errno N"} without a name. Accepts either sign. */
    public static String name(int errno) {
        int positive = Math.abs(errno);
        String name = NAMES.get(positive);
        return name == null ? "errno " + positive : name + " (" + positive + ')';
    }
}
