// SPDX-License-Identifier: Apache-2.0
//
// The pages of the project as the site has them: each keeps its path, but README.md is index.md of its directory.
import fs from 'node:fs'
import path from 'node:path'

const MADE = new Set(['target', 'node_modules'])

/** Files that the site serves as they are. A link to any other file that is no page leads to a page with its text. */
const SERVED = /\.(html|svg|png|jpg|json|ya?ml|csv)$/

const LINK = /\[([^\]]*)\]\(([^)\s]+)\)/g

/** Paths of all pages below a directory, relative to it. */
export function pages(root, directory = '') {
  return fs.readdirSync(path.join(root, directory), { withFileTypes: true }).flatMap(entry => {
    const file = path.posix.join(directory, entry.name)
    if (entry.isDirectory()) {
      return entry.name.startsWith('.') || MADE.has(entry.name) ? [] : pages(root, file)
    }
    return file.endsWith('.md') ? [file] : []
  })
}

/** The links of a page to other files of the project: path of the file, relative to the root. */
export function linkedFiles(root, page) {
  const text = fs.readFileSync(path.join(root, page), 'utf8').replace(/^```.*?^```/gms, '')
  return [...text.matchAll(LINK)].map(link => link[2]).filter(isInternal).map(href => fileOf(page, href))
}

export function isInternal(href) {
  return !/^([a-z]+:|#|\/)/.test(href)
}

export function fileOf(page, href) {
  return path.posix.join(path.posix.dirname(page), href.replace(/#.*/, ''))
}

export function isServed(file) {
  return SERVED.test(file)
}

/** The path that a file has in the site's sources. */
export function staged(file) {
  if (isServed(file)) {
    return path.posix.join('public', file)
  }
  return file.endsWith('.md') ? file.replace(/(^|\/)README\.md$/, '$1index.md') : file + '.md'
}

/** A link as the site needs it. */
export function siteLink(href) {
  const [, file, anchor] = href.match(/^([^#]*)(#.*)?$/)
  return isServed(file) ? href : staged(file) + (anchor ?? '')
}

/**
 * The navigation: the headings of docs/README.md, and below each the first link of every row. Further links of the row
 * are below that one, and so are the rows of the page if it is an index itself.
 */
export function navigation(root) {
  const index = 'docs/README.md'
  const groups = [{ text: 'Start', items: [
    { ...item(root, 'README.md'), text: 'Introduction' }, item(root, index)
  ] }]
  for (const line of fs.readFileSync(path.join(root, index), 'utf8').split('\n')) {
    const heading = line.match(/^## (.*)/)
    if (heading) {
      groups.push({ text: heading[1], items: [] })
    } else if (line.startsWith('| [')) {
      groups.at(-1).items.push(row(root, index, line))
    }
  }
  return groups
}

function row(root, index, line) {
  const [first, ...others] = [...line.matchAll(LINK)].map(([, text, href]) => ({ text, file: fileOf(index, href) }))
  const below = others.map(other => other.file)
  if (first.file.startsWith('docs/') && first.file.endsWith('/README.md')) {
    const rows = fs.readFileSync(path.join(root, first.file), 'utf8').split('\n').filter(each => each.startsWith('| ['))
    below.push(...rows.map(each => fileOf(first.file, each.match(/\]\(([^)]+)\)/)[1])))
  }
  const own = { ...item(root, first.file), text: first.text }
  return below.length ? { ...own, collapsed: true, items: below.map(file => item(root, file)) } : own
}

/** An entry with the title of a page. */
function item(root, file) {
  const title = fs.readFileSync(path.join(root, file), 'utf8').match(/^# (.*)$/m)
  return { text: title[1].replaceAll('`', ''), link: '/' + staged(file).replace(/(index)?\.md$/, '') }
}
