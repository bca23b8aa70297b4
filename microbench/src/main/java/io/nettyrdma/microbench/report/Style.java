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
package io.nettyrdma.microbench.report;

/** The style sheets. Colours differ in lightness as well, and have a second set for dark screens. */
final class Style {

    /** Of drawings, in a page and as files. */
    static final String OF_DRAWINGS = """
            svg{--paper:#fff;--ink:#1c2024;--soft:#5b636b;--grid:#dfe3e7}
            .c0{--c:#0b5fa5}.c1{--c:#0090ff}.c2{--c:#46a758}.c3{--c:#d1491f}
            .c4{--c:#9a3412}.c5{--c:#b45309}.c6{--c:#8e4ec6}.c7{--c:#6b7280}
            @media(prefers-color-scheme:dark){
            svg{--paper:#15191d;--ink:#e6e9ec;--soft:#a3acb5;--grid:#343b42}
            .c0{--c:#70b8ff}.c1{--c:#3b9eff}.c2{--c:#71d083}.c3{--c:#ff8f66}
            .c4{--c:#f7a98b}.c5{--c:#ffca52}.c6{--c:#c99bf0}.c7{--c:#aab2bb}}
            svg text{font:12px system-ui,sans-serif;fill:var(--ink)}
            svg text.soft{fill:var(--soft)}svg text.head{font-weight:600;font-size:13px;
            paint-order:stroke;stroke:var(--paper);stroke-width:4px}
            .paper{fill:var(--paper)}.grid{stroke:var(--grid);stroke-width:1}
            .one{stroke:var(--soft);stroke-width:1.5;stroke-dasharray:4 3}
            .mark{fill:var(--c);stroke:var(--paper);stroke-width:1}
            .curve{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round}
            .span{stroke:var(--c);stroke-width:2.5;stroke-linecap:round;opacity:.55}
            .bar{fill:var(--c);opacity:.75}
            """;

    /** Of the page. */
    static final String OF_PAGE = """
            :root{color-scheme:light dark;--paper:#fff;--ink:#1c2024;--soft:#5b636b;--grid:#dfe3e7;--bad:#b42318}
            @media(prefers-color-scheme:dark){
            :root{--paper:#15191d;--ink:#e6e9ec;--soft:#a3acb5;--grid:#343b42;--bad:#ff9b8f}}
            body{margin:0 auto;max-width:1040px;padding:16px;font:16px/1.5 system-ui,sans-serif;
            background:var(--paper);color:var(--ink)}
            h1{font-size:28px;line-height:1.2;margin:.5em 0}h2{font-size:21px;margin:2em 0 .4em}
            p{max-width:46em}a{color:inherit}nav{columns:3 220px;margin:1em 0}nav a{display:block}
            figure{margin:0;min-width:0}figcaption{font-weight:600;font-size:14px;margin:.8em 0 .2em}
            .charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr));gap:8px 32px}
            svg{width:100%;height:auto;max-width:620px;display:block}
            .legend{display:flex;flex-wrap:wrap;gap:2px 14px;font-size:13px;margin:.2em 0;color:var(--soft)}
            .legend svg{width:14px;height:14px;display:inline;vertical-align:-2px}
            .wide{overflow-x:auto}table{border-collapse:collapse;font-size:14px;margin:.6em 0}
            th,td{text-align:left;padding:3px 14px 3px 0;border-bottom:1px solid var(--grid);vertical-align:top}
            td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
            pre{white-space:pre-wrap;overflow-wrap:anywhere;
            font-size:13px;border-left:3px solid var(--grid);padding-left:10px}
            .failure{border-left:4px solid var(--bad);padding-left:10px;color:var(--bad)}
            .note{border-left:4px solid var(--grid);padding-left:10px}
            summary{cursor:pointer;color:var(--soft)}
            """;

    private Style() {
    }
}
