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
package io.nettyrdma.datagram;

import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.remote.RemoteOperation;
import io.nettyrdma.verbs.WorkCompletion;
import io.nettyrdma.verbs.WorkCompletionStatus;

import java.io.IOException;

/**
 * A datagram, write or read has failed. The channel and its other datagrams continue.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class DatagramException extends IOException {

    private static final long serialVersionUID = 1L;

    /** Why it failed. */
    private final DatagramFailure failure;
    /** Of the completion; {@code null} if there was none. */
    private final WorkCompletionStatus status;
    /** Of the completion. */
    private final int vendorError;
    /** Of the datagram, write or read. */
    private final DatagramAddress recipient;

    DatagramException(OutgoingDatagram datagram, DatagramFailure failure, WorkCompletion completion) {
        super(datagram + " failed: " + failure.meaning() + "; " + completion);
        this.failure = failure;
        recipient = datagram.recipient();
        status = completion.status();
        vendorError = completion.vendorError();
    }

    /** The device did not get it, or does not complete it any more. */
    DatagramException(OutgoingDatagram datagram, DatagramFailure failure, String reason, Throwable cause) {
        this(datagram.toString(), datagram.recipient(), failure, reason, cause);
    }

    /** It cannot be sent. */
    DatagramException(RemoteOperation operation, DatagramAddress recipient, DatagramFailure failure, String reason) {
        this(operation + " to " + recipient, recipient, failure, reason, null);
    }

    /** Nothing can be sent to the recipient. */
    DatagramException(DatagramAddress recipient, String reason, Throwable cause) {
        this("the way to " + recipient, recipient, DatagramFailure.NOT_POSTED, reason, cause);
    }

    private DatagramException(String what, DatagramAddress recipient, DatagramFailure failure, String reason,
                              Throwable cause) {
        super(what + " failed: " + reason, cause);
        this.failure = failure;
        this.recipient = recipient;
        status = null;
        vendorError = 0;
    }

    /** {@return why it failed} */
    public DatagramFailure failure() {
        return failure;
    }

    /** {@return what the device says; {@code null} if it did not get the datagram} */
    public WorkCompletionStatus status() {
        return status;
    }

    /** {@return the device's own code of the failure; 0 if it has none} */
    public int vendorError() {
        return vendorError;
    }

    /** {@return where it was to be sent} */
    public DatagramAddress recipient() {
        return recipient;
    }
}
