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
package io.nettyrdma.micrometer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The panels of docs/grafana/netty-transport-rdma.json. */
final class Dashboard {

    static final String FILE = "grafana/netty-transport-rdma.json";

    /**
     * What a panel shows.
     *
     * @param query in Prometheus' language.
     * @param legend with the names of labels in braces.
     */
    record Target(Query query, String legend) { }

    /**
     * A panel, in units of the dashboard's grid.
     *
     * @param unit as Grafana names it.
     * @param isStacked whether the lines are added up.
     */
    record Panel(String title, String description, String unit, boolean isStacked, int x, int y, int width, int height,
                 List<Target> targets) { }

    private Dashboard() {
    }

    static List<Panel> panels() throws IOException {
        List<Panel> panels = new ArrayList<>();
        for (Map<String, Object> panel : objects(object(Json.read(Pages.text(FILE))), "panels")) {
            Map<String, Object> position = object(panel.get("gridPos"));
            Map<String, Object> defaults = object(object(panel.get("fieldConfig")).get("defaults"));
            Object stacking = object(object(defaults.get("custom")).get("stacking")).get("mode");
            List<Target> targets = objects(panel, "targets").stream().map(target ->
                    new Target(Query.parse((String) target.get("expr")), (String) target.get("legendFormat"))).toList();
            panels.add(new Panel((String) panel.get("title"), (String) panel.get("description"),
                    (String) defaults.get("unit"), "normal".equals(stacking), number(position, "x"),
                    number(position, "y"), number(position, "w"), number(position, "h"), targets));
        }
        return panels;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> objects(Map<String, Object> parent, String name) {
        return (List<Map<String, Object>>) parent.get(name);
    }

    private static int number(Map<String, Object> parent, String name) {
        return ((Double) parent.get(name)).intValue();
    }
}
