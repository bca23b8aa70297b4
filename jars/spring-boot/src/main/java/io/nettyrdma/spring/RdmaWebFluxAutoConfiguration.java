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
package io.nettyrdma.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.netty.resources.LoopResources;

import java.time.Duration;

/**
 * The loops and channels of Reactor Netty's servers and clients in a program of Spring Boot. Spring Boot has a bean for
 * them, which a program may replace, and so does this, before Spring Boot. Immutable.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@AutoConfigureOrder(Ordered.HIGHEST_PRECEDENCE)
@ConditionalOnClass(value = {ReactorResourceFactory.class, LoopResources.class},
        name = "io.netty.channel.IoHandlerFactory")
public final class RdmaWebFluxAutoConfiguration {

    private static final String QUIET_PERIOD = "spring.reactor.netty.shutdown-quiet-period";

    /** {@return the bean, with the loops of this program alone} It ends them with the program's context. */
    @Bean
    @ConditionalOnMissingBean
    ReactorResourceFactory reactorResourceFactory(Environment environment) {
        ReactorResourceFactory resources = new ReactorResourceFactory();
        resources.setUseGlobalResources(false);
        resources.setLoopResourcesSupplier(RdmaLoopResources::new);
        Duration quietPeriod = environment.getProperty(QUIET_PERIOD, Duration.class);
        if (quietPeriod != null) {
            resources.setShutdownQuietPeriod(quietPeriod);
        }
        return resources;
    }
}
