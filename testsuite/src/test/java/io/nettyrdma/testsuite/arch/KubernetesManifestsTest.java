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
package io.nettyrdma.testsuite.arch;

import io.nettyrdma.testsuite.support.ProjectTree;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

/** The manifests in docs/kubernetes are YAML, with the fields that the schema of Kubernetes requires and no others. */
class KubernetesManifestsTest {

    private static final Path DIRECTORY = ProjectTree.directory("docs/kubernetes");
    private static final Set<String> POD_FIELDS = Set.of("containers", "dnsPolicy", "hostNetwork", "restartPolicy",
            "securityContext", "volumes");
    private static final Set<String> CONTAINER_FIELDS = Set.of("name", "image", "env", "resources", "securityContext",
            "volumeMounts");

    @TestFactory
    Stream<DynamicTest> manifestIsValid() {
        return SourceTree.files(DIRECTORY, ".yaml").stream()
                .map(file -> DynamicTest.dynamicTest(file.getFileName().toString(), () -> check(file)));
    }

    private static void check(Path file) throws IOException {
        LoaderOptions options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        Map<String, Object> object = new Yaml(new SafeConstructor(options)).load(Files.readString(file));
        assertThat(object).containsOnlyKeys("apiVersion", "kind", "metadata", "spec");
        assertThat(fields(object, "metadata")).containsKey("name");
        Map<String, Object> spec = fields(object, "spec");
        switch ((String) object.get("kind")) {
        case "Pod" -> {
            assertThat(object).containsEntry("apiVersion", "v1");
            checkPod(spec);
        }
        case "Deployment" -> {
            assertThat(object).containsEntry("apiVersion", "apps/v1");
            assertThat(spec).containsOnlyKeys("replicas", "selector", "template");
            Map<String, Object> template = fields(spec, "template");
            assertThat(fields(fields(template, "metadata"), "labels"))
                    .containsAllEntriesOf(fields(fields(spec, "selector"), "matchLabels"));
            checkPod(fields(template, "spec"));
        }
        default -> throw new AssertionError("no rules for the kind " + object.get("kind"));
        }
    }

    private static void checkPod(Map<String, Object> pod) {
        assertThat(POD_FIELDS).containsAll(pod.keySet());
        assertThat(list(pod, "containers")).isNotEmpty();
        Set<Object> volumes = list(pod, "volumes").stream().map(volume -> volume.get("name")).collect(toSet());
        for (Map<String, Object> container : list(pod, "containers")) {
            assertThat(CONTAINER_FIELDS).containsAll(container.keySet());
            assertThat(container).containsKeys("name", "image", "resources");
            list(container, "env").forEach(variable -> assertThat(variable).containsOnlyKeys("name", "value"));
            list(container, "volumeMounts").forEach(mount -> {
                assertThat(mount).containsOnlyKeys("name", "mountPath");
                assertThat(volumes).contains(mount.get("name"));
            });
            Map<String, Object> resources = fields(container, "resources");
            assertThat(Set.of("limits", "requests")).containsAll(resources.keySet());
            if (resources.containsKey("requests")) {
                assertThat(fields(resources, "limits")).containsAllEntriesOf(fields(resources, "requests"));
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> fields(Map<String, Object> of, String name) {
        assertThat(of.get(name)).as(name).isInstanceOf(Map.class);
        return (Map<String, Object>) of.get(name);
    }

    /** Empty if there is none. */
    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> list(Map<String, Object> of, String name) {
        return (List<Map<String, Object>>) of.getOrDefault(name, List.of());
    }
}
