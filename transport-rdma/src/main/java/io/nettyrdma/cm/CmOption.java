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
package io.nettyrdma.cm;

/** Options of an id ({@code RDMA_OPTION_ID_*}, in the same order). */
enum CmOption {

    TYPE_OF_SERVICE("typeOfService", 255, CmCall.SET_BEFORE_ROUTE),
    REUSE_ADDRESS("reuseAddress", 1, CmCall.SET_BEFORE_BIND),
    ADDRESS_FAMILY_ONLY("addressFamilyOnly", 1, CmCall.SET_BEFORE_BIND),
    ACK_TIMEOUT("ackTimeout", 31, CmCall.SET_BEFORE_CONNECT);

    private final String method;
    private final int most;
    private final CmCall call;

    CmOption(String method, int most, CmCall call) {
        this.method = method;
        this.most = most;
        this.call = call;
    }

    CmCall call() {
        return call;
    }

    void check(int value) {
        if (value < 0 || value > most) {
            throw new IllegalArgumentException(method + " is " + value + ", not within 0 to " + most);
        }
    }

    /** The method of {@link CmId}. */
    @Override
    public String toString() {
        return method;
    }
}
