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

import io.nettyrdma.jni.Errno;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

class VerbsExceptionTest {

    @Test
    void messageNamesCallObjectAndCode() {
        VerbsException e = new VerbsException("ibv_create_cq", "16 entries on device rxe0", -Errno.EBUSY);
        assertThat(e).hasMessage("ibv_create_cq failed for 16 entries on device rxe0: EBUSY (16)");
        assertThat(e.call()).isEqualTo("ibv_create_cq");
        assertThat(e.errno()).isEqualTo(Errno.EBUSY);
        assertThat(new VerbsException("a", "b", Errno.EBUSY).errno()).isEqualTo(Errno.EBUSY);
    }

    @Test
    void messageEndsWithTheCure() {
        assertThat(new VerbsException("ibv_open_device", "it", -Errno.EMFILE)).hasMessage("ibv_open_device failed for "
                + "it: EMFILE (24); " + Cures.ofSystem("ibv_open_device", Errno.EMFILE, true));
    }

    @Test
    void onlyANegativeResultIsAFailure() {
        assertThatNoException().isThrownBy(() -> VerbsException.check(0, "call", "object"));
        assertThatNoException().isThrownBy(() -> VerbsException.check(7, "call", "object"));
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(() -> VerbsException.check(-Errno.ETIMEDOUT, "call", "object"))
                .withMessage("call failed for object: ETIMEDOUT (110)");
    }

    /** The natives return the number posted in the low half and the errno in the high half. */
    @Test
    void partlyPostedBatchReportsTheNumberOfPostedRequests() {
        assertThat(PostException.of((long) Errno.ENOMEM << 32 | 3, 4, "ibv_post_send", "queue pair"))
                .hasMessage("ibv_post_send failed for queue pair: ENOMEM (12); the queue is full: poll completions "
                        + "first, or create a deeper queue; 3 of 4 work requests were posted")
                .satisfies(e -> assertThat(e.posted()).isEqualTo(3))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ENOMEM));
        assertThat(PostException.of((long) Errno.EINVAL << 32, 1, "ibv_post_recv", "queue pair").posted()).isZero();
    }
}
