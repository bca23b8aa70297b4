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

import org.gradle.api.Project;
import org.gradle.api.artifacts.dsl.DependencyHandler;
import org.gradle.testfixtures.ProjectBuilder;
import org.gradle.util.GradleVersion;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Resolves the lines for Gradle of a page with Gradle's own resolver, and prints the class path. Gradle itself is on no
 * registry of Maven; its API is.
 *
 * <pre>
 *   GradleResolution DIRECTORY REPOSITORY PAGE VERSION PLATFORM
 * </pre>
 */
public final class GradleResolution {

    private static final Pattern LINE = Pattern.compile("^    implementation .*'(.+)'\\)?$", Pattern.MULTILINE);

    private GradleResolution() {
    }

    public static void main(String[] arguments) throws Exception {
        File directory = new File(arguments[0]);
        Project project = ProjectBuilder.builder().withProjectDir(directory)
                .withGradleUserHomeDir(new File(directory, "home")).build();
        project.getPluginManager().apply("java");
        project.getRepositories().maven(staged -> {
            staged.setUrl(arguments[1]);
            staged.mavenContent(content -> content.includeGroup("io.nettyrdma"));
        });
        project.getRepositories().mavenCentral(central -> central.mavenContent(content ->
                content.excludeGroup("io.nettyrdma")));
        DependencyHandler dependencies = project.getDependencies();
        Matcher line = LINE.matcher(Files.readString(Path.of(arguments[2])));
        int lines = 0;
        while (line.find()) {
            String notation = line.group(1).replace("0.1.0-SNAPSHOT", arguments[3])
                    .replace("linux-x86_64", arguments[4]);
            dependencies.add("implementation",
                    line.group().contains("platform") ? dependencies.platform(notation) : notation);
            lines++;
        }
        if (lines != 2) {
            throw new IllegalStateException(arguments[2] + " has " + lines + " lines for Gradle");
        }
        StringBuilder path = new StringBuilder();
        for (File file : project.getConfigurations().getByName("runtimeClasspath").getFiles()) {
            path.append(path.length() == 0 ? "" : File.pathSeparator).append(file);
        }
        Files.writeString(directory.toPath().resolve("classpath"), path);
        System.out.println("Gradle " + GradleVersion.current().getVersion());
    }
}
