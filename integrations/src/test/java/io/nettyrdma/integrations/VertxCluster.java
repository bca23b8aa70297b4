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
package io.nettyrdma.integrations;

import io.vertx.core.Completable;
import io.vertx.core.Vertx;
import io.vertx.core.shareddata.AsyncMap;
import io.vertx.core.shareddata.Counter;
import io.vertx.core.shareddata.Lock;
import io.vertx.core.spi.cluster.ClusterManager;
import io.vertx.core.spi.cluster.NodeInfo;
import io.vertx.core.spi.cluster.NodeListener;
import io.vertx.core.spi.cluster.RegistrationInfo;
import io.vertx.core.spi.cluster.RegistrationListener;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A cluster within this process: knows the nodes and their handlers. Vert.x does the communication between nodes. */
final class VertxCluster {

    private final Map<String, NodeInfo> nodes = new ConcurrentHashMap<>();
    private final Map<String, List<RegistrationInfo>> registrations = new ConcurrentHashMap<>();

    ClusterManager node(String name) {
        return new Node(name);
    }

    private final class Node implements ClusterManager {

        private final String name;
        private volatile boolean active;

        private Node(String name) {
            this.name = name;
        }

        @Override
        public void init(Vertx vertx) {
        }

        @Override
        public String getNodeId() {
            return name;
        }

        @Override
        public List<String> getNodes() {
            return List.copyOf(nodes.keySet());
        }

        @Override
        public void nodeListener(NodeListener listener) {
        }

        @Override
        public void setNodeInfo(NodeInfo info, Completable<Void> done) {
            nodes.put(name, info);
            done.succeed();
        }

        @Override
        public NodeInfo getNodeInfo() {
            return nodes.get(name);
        }

        @Override
        public void getNodeInfo(String node, Completable<NodeInfo> done) {
            done.succeed(nodes.get(node));
        }

        @Override
        public void join(Completable<Void> done) {
            active = true;
            done.succeed();
        }

        @Override
        public void leave(Completable<Void> done) {
            active = false;
            nodes.remove(name);
            done.succeed();
        }

        @Override
        public boolean isActive() {
            return active;
        }

        /** Handlers are registered before anything is sent to them, so changes need not be announced. */
        @Override
        public void registrationListener(RegistrationListener listener) {
        }

        @Override
        public void addRegistration(String address, RegistrationInfo info, Completable<Void> done) {
            registrations.computeIfAbsent(address, none -> new CopyOnWriteArrayList<>()).add(info);
            done.succeed();
        }

        @Override
        public void removeRegistration(String address, RegistrationInfo info, Completable<Void> done) {
            registrations.getOrDefault(address, new ArrayList<>()).remove(info);
            done.succeed();
        }

        @Override
        public void getRegistrations(String address, Completable<List<RegistrationInfo>> done) {
            done.succeed(registrations.getOrDefault(address, List.of()));
        }

        @Override
        public <K, V> void getAsyncMap(String map, Completable<AsyncMap<K, V>> done) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <K, V> Map<K, V> getSyncMap(String map) {
            return new ConcurrentHashMap<>();
        }

        @Override
        public void getLockWithTimeout(String lock, long timeout, Completable<Lock> done) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void getCounter(String counter, Completable<Counter> done) {
            throw new UnsupportedOperationException();
        }
    }
}
