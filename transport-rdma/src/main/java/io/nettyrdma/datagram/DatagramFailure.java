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
import io.nettyrdma.verbs.WorkCompletionStatus;

/**
 * Why a datagram, a write or a read has failed. Reliable datagrams have all of these, unreliable ones the local.
 *
 * @since 0.1.0
 */
@UnstableApi
public enum DatagramFailure {

    /** The device did not get it: the exception's message and cause say why. */
    NOT_POSTED("it never reached the device"),
    /** The queue pair is gone or has failed, or has another queue key. */
    NO_SUCH_QUEUE_PAIR("the recipient's queue pair is gone, or has another queue key: exchange addresses again"),
    /** The recipient had no receive posted, as often as it, or the one before it, was tried: it does not read. */
    NOT_READY("the recipient's program does not read: send less, or again after a pause"),
    /** The recipient has answered before, and does not any more. */
    UNRESPONSIVE("the recipient does not answer any more: its program or machine is gone"),
    /** The recipient has never answered: a wrong address, or a firewall or security group between. */
    UNREACHABLE("the recipient has never answered: check the address, and the security group"),
    /** The recipient has no address handle for this side, which writes and reads need: see {@link
     * io.nettyrdma.channel.DatagramExchange}. */
    NO_HANDLE_AT_PEER("the recipient has no address handle for this side: let both prepare for each other"),
    /** The recipient's memory has been withdrawn, is too small, or forbids this. */
    ACCESS("the recipient's memory is withdrawn, too small, or forbids this"),
    /** The recipient's device could not use the memory of its receive. */
    ABORTED("the recipient's device could not store it"),
    /** The recipient's device has answered what this one does not understand. */
    PROTOCOL("the devices do not understand each other"),
    /** Longer than the recipient's receive. */
    TOO_LONG_FOR_PEER("it is longer than the recipient takes"),
    /** The recipient's queue pair lacks what this operation needs. */
    FEATURES("the recipient's queue pair lacks a feature that this needs"),
    /** The queue pair or the address handle ended before it was sent; or, if unreliable, another datagram failed. */
    CLOSED("its queue pair or its address handle has ended, or stopped because another datagram failed"),
    /** This side's device refused it. */
    LOCAL("this side's device refuses it");

    private final String meaning;

    DatagramFailure(String meaning) {
        this.meaning = meaning;
    }

    /** For messages; with the cure if there is one. */
    String meaning() {
        return meaning;
    }

    /**
     * {@return what a status means by itself} A provider's own code may say more: {@link #UNREACHABLE} and {@link
     * #FEATURES} are known by such codes alone.
     *
     * @param status of a failed completion.
     */
    public static DatagramFailure of(WorkCompletionStatus status) {
        return switch (status) {
        case REMOTE_INVALID_RD_REQUEST -> NO_SUCH_QUEUE_PAIR;
        case RNR_RETRY_EXCEEDED -> NOT_READY;
        case RESPONSE_TIMEOUT, TRANSPORT_RETRY_EXCEEDED -> UNRESPONSIVE;
        case REMOTE_OPERATION_ERROR -> NO_HANDLE_AT_PEER;
        case REMOTE_ACCESS_ERROR -> ACCESS;
        case REMOTE_ABORTED -> ABORTED;
        case BAD_RESPONSE -> PROTOCOL;
        case REMOTE_INVALID_REQUEST -> TOO_LONG_FOR_PEER;
        case FLUSHED -> CLOSED;
        default -> LOCAL;
        };
    }
}
