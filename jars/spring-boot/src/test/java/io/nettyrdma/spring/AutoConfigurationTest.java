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

import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.netty.http.HttpResources;

import java.time.Duration;

import static org.assertj.core.api.Assertions.assertThat;

/** Which resources a program of Spring Boot has. */
class AutoConfigurationTest {

    private static ConfigurableApplicationContext run(Class<?> program) {
        return SpringApplication.run(program, "--server.port=0", "--spring.reactor.netty.shutdown-quiet-period=3s");
    }

    @Test
    void loopsAreThoseOfTheJar() {
        ReactorResourceFactory resources;
        try (ConfigurableApplicationContext context = run(Program.class)) {
            resources = context.getBean(ReactorResourceFactory.class);
            assertThat(resources.getLoopResources()).isInstanceOf(RdmaLoopResources.class);
            assertThat(resources).hasFieldOrPropertyWithValue("shutdownQuietPeriod", Duration.ofSeconds(3));
            resources.setShutdownQuietPeriod(Duration.ZERO);
        }
        assertThat(resources.isRunning()).isFalse();
    }

    @Test
    void beanOfTheProgramIsKept() {
        try (ConfigurableApplicationContext context = run(OwnResources.class)) {
            assertThat(context.getBean(ReactorResourceFactory.class).getLoopResources())
                    .isInstanceOf(HttpResources.class);
        }
    }

    /** Without anything of its own. */
    @EnableAutoConfiguration
    static class Program {
    }

    /** With the resources that Reactor Netty has for all. */
    @EnableAutoConfiguration
    static class OwnResources {

        @Bean
        ReactorResourceFactory ownResources() {
            ReactorResourceFactory resources = new ReactorResourceFactory();
            resources.setShutdownQuietPeriod(Duration.ZERO);
            return resources;
        }
    }
}
