// SPDX-License-Identifier: Apache-2.0
import fs from 'node:fs'
import path from 'node:path'
import { defineConfig } from 'vitepress'
import { isInternal, isServed, navigation, siteLink } from '../pages.mjs'

const root = process.env.PROJECT_ROOT

/** Javadoc of the modules that were built: bin/site copies it. */
const javadoc = ['transport-rdma', 'transport-efa']
  .filter(module => fs.existsSync(path.join('pages/public/javadoc', module)))
  .map(module => ({ text: `netty-${module}`, link: `/javadoc/${module}/index.html`, target: '_self' }))

/** The anchors that GitHub gives headings, so that links work there and here. */
function slug(heading) {
  return heading.trim().toLowerCase().replace(/[^\p{L}\p{N}_\s-]/gu, '').replace(/\s/g, '-')
}

function projectLinks(md) {
  md.core.ruler.push('project-links', state => {
    for (const token of state.tokens.flatMap(block => block.children ?? [])) {
      if (token.type === 'link_open' && isInternal(token.attrGet('href'))) {
        const href = token.attrGet('href')
        token.attrSet('href', siteLink(href))
        if (isServed(href)) {
          token.attrSet('target', '_self')
        }
      }
    }
  })
}

/** Indented code looks as code between fences. */
function indentedCode(md) {
  md.core.ruler.push('indented-code', state => {
    state.tokens.filter(token => token.type === 'code_block').forEach(token => {
      token.type = 'fence'
    })
  })
}

/** Two braces are an expression of Vue in its templates, but text in our pages. */
function literalBraces(md) {
  const text = md.renderer.rules.text
  md.renderer.rules.text = (...args) => text(...args).replaceAll('{{', '&#123;&#123;')
}

export default defineConfig({
  title: 'netty-transport-rdma',
  description: 'An RDMA transport for Netty 4.2',
  srcDir: 'pages',
  srcExclude: ['public/**'],
  outDir: process.env.SITE_OUT,
  lastUpdated: false,
  // An icon inside the page: browsers ask for a file otherwise.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    attrs: { disable: true },
    anchor: { slugify: slug },
    config(md) {
      projectLinks(md)
      indentedCode(md)
      literalBraces(md)
    }
  },
  themeConfig: {
    nav: [
      { text: 'Pages', link: '/docs/' },
      { text: 'Changes', link: '/CHANGELOG' },
      ...(javadoc.length ? [{ text: 'Javadoc', items: javadoc }] : [])
    ],
    sidebar: navigation(root),
    outline: [2, 3],
    search: { provider: 'local' },
    docFooter: { prev: 'Previous page', next: 'Next page' },
    footer: { message: 'Apache License 2.0' }
  }
})
