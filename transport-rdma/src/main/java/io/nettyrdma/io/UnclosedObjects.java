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
package io.nettyrdma.io;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.annotation.UnstableApi;

/**
 * Logs objects of a device that could not be closed. A device that has failed may refuse all of them: a line for each
 * of thousands of connections would hide everything else. Any thread. For use within this project only.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class UnclosedObjects {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(UnclosedObjects.class);
    private static final LogLimit LIMIT = new LogLimit(System::nanoTime);

    private UnclosedObjects() {
    }

    /**
     * @param object stays open, with all that it uses.
     * @param cause of the call that failed.
     */
    public static void log(Object object, Exception cause) {
        if (LIMIT.allows()) {
            LOGGER.warn("{} was not closed; those that follow within 10 s are logged at level debug", object, cause);
        } else {
            LOGGER.debug("{} was not closed", object, cause);
        }
    }
}
