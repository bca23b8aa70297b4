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
package io.nettyrdma.support;

import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.util.Random;

/**
 * The source of a test's random numbers. Each test's report contains it; its text is the number that {@code
 * -Dio.nettyrdma.test.seed} takes to repeat it.
 */
public final class Seed implements BeforeEachCallback {

    public static final String PROPERTY = "io.nettyrdma.test.seed";

    /** The same in every run that is given none: a landing does not depend on luck. */
    public static final long VALUE = Long.getLong(PROPERTY, 1);

    @Override
    public void beforeEach(ExtensionContext context) {
        context.publishReportEntry("seed", toString());
    }

    public long value() {
        return VALUE;
    }

    public Random newRandom() {
        return new Random(VALUE);
    }

    @Override
    public String toString() {
        return Long.toString(VALUE);
    }
}
