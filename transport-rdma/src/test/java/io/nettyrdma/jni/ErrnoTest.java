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

import org.junit.jupiter.api.Test;

import java.lang.reflect.Field;

import static org.assertj.core.api.Assertions.assertThat;

class ErrnoTest {

    @Test
    void textHasNameAndNumber() {
        assertThat(Errno.name(Errno.ENOMEM)).isEqualTo("ENOMEM (12)");
        assertThat(Errno.name(Errno.EHOSTUNREACH)).isEqualTo("EHOSTUNREACH (113)");
    }

    @Test
    void negativeAndPositiveNumbersAreEqual() {
        assertThat(Errno.name(-110)).isEqualTo("ETIMEDOUT (110)");
    }

    @Test
    void unknownErrnoHasItsNumberOnly() {
        assertThat(Errno.name(4095)).isEqualTo("errno 4095");
        assertThat(Errno.name(0)).isEqualTo("errno 0");
    }

    /** The numbers of asm-generic/errno-base.h and errno.h. */
    @Test
    void constantsAreNamedAsInTheKernel() throws IllegalAccessException {
        assertThat(Errno.EPERM).isEqualTo(1);
        assertThat(Errno.ENOENT).isEqualTo(2);
        assertThat(Errno.EAGAIN).isEqualTo(11);
        assertThat(Errno.EACCES).isEqualTo(13);
        assertThat(Errno.EBUSY).isEqualTo(16);
        assertThat(Errno.ENODEV).isEqualTo(19);
        assertThat(Errno.EINVAL).isEqualTo(22);
        assertThat(Errno.ENFILE).isEqualTo(23);
        assertThat(Errno.EMFILE).isEqualTo(24);
        assertThat(Errno.ENOSYS).isEqualTo(38);
        assertThat(Errno.ENODATA).isEqualTo(61);
        assertThat(Errno.EOPNOTSUPP).isEqualTo(95);
        assertThat(Errno.EADDRINUSE).isEqualTo(98);
        assertThat(Errno.EADDRNOTAVAIL).isEqualTo(99);
        assertThat(Errno.ENETUNREACH).isEqualTo(101);
        assertThat(Errno.ECONNRESET).isEqualTo(104);
        assertThat(Errno.ECONNREFUSED).isEqualTo(111);
        for (Field field : Errno.class.getFields()) {
            int number = field.getInt(null);
            assertThat(Errno.name(number)).isEqualTo(field.getName() + " (" + number + ')');
        }
    }
}
