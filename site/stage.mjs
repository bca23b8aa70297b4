// SPDX-License-Identifier: Apache-2.0
//
// usage: node stage.mjs ROOT DIRECTORY
//
// Copies the pages of the project at ROOT, and the files that they link to, into a directory from which VitePress makes
// the site.
import fs from 'node:fs'
import path from 'node:path'
import { isServed, linkedFiles, pages, staged } from './pages.mjs'

const [root, directory] = process.argv.slice(2)

function write(name, text) {
  const copy = path.join(directory, name)
  fs.mkdirSync(path.dirname(copy), { recursive: true })
  fs.writeFileSync(copy, text)
}

/** A page that shows the text of a file. */
function asPage(file, text) {
  const language = { '.java': 'java', '.xml': 'xml', '.sh': 'sh' }[path.extname(file)] ?? 'text'
  return `# ${path.basename(file)}\n\n\`${file}\`\n\n~~~~${language}\n${text}\n~~~~\n`
}

const all = pages(root)
const files = new Set(all)
for (const page of all) {
  linkedFiles(root, page).forEach(file => files.add(file))
}
for (const file of files) {
  const source = path.join(root, file)
  if (!fs.statSync(source, { throwIfNoEntry: false })?.isFile()) {
    throw new Error(`a page links to ${file}, which is no file`)
  }
  const bytes = fs.readFileSync(source)
  write(staged(file), file.endsWith('.md') || isServed(file) ? bytes : asPage(file, bytes.toString()))
  if (isServed(file)) {
    // A page that shows it as a picture imports it from there.
    write(file, bytes)
  }
}
