// SPDX-License-Identifier: Apache-2.0
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'

const TYPES = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json',
  '.svg': 'image/svg+xml', '.png': 'image/png', '.woff2': 'font/woff2'
}

/** Serves a directory on a free port of the loopback interface, and only the files that are there. */
export function serve(directory) {
  const server = http.createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url, 'http://localhost').pathname)
    const file = path.join(directory, path.posix.normalize(name), name.endsWith('/') ? 'index.html' : '')
    const found = fs.statSync(file, { throwIfNoEntry: false })?.isFile()
    response.writeHead(found ? 200 : 404, { 'content-type': TYPES[path.extname(file)] ?? 'text/plain; charset=utf-8' })
    response.end(found ? fs.readFileSync(file) : 'no such file')
  })
  return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server)))
}
