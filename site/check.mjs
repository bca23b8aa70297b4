// SPDX-License-Identifier: Apache-2.0
//
// usage: node check.mjs SITE SCREENSHOTS
//
// Opens every page of a built site in Chromium, wide and narrow, and reports what is wrong. Screenshots are left in a
// directory.
import fs from 'node:fs'
import path from 'node:path'
import { chromium } from 'playwright-core'
import { serve } from './server.mjs'

const WIDTHS = { wide: 1400, narrow: 400 }

/** A word of one page, and the page. */
const SEARCH = { word: 'rdmap0s6', page: /\/docs\/efa\.html/ }

const [site, screenshots] = process.argv.slice(2)
const server = await serve(site)
const origin = `http://127.0.0.1:${server.address().port}`
const errors = []
/** Path of each page: what a reader can see of its links and anchors. */
const seen = new Map()

function report(page, message) {
  errors.push(`${page}: ${message}`)
}

function htmlFiles(directory = '') {
  return fs.readdirSync(path.join(site, directory), { withFileTypes: true }).flatMap(entry => {
    const file = path.posix.join(directory, entry.name)
    if (entry.isDirectory()) {
      return file === 'javadoc' ? [] : htmlFiles(file)
    }
    return file.endsWith('.html') && file !== '404.html' ? ['/' + file] : []
  })
}

/** Reports every message of the console and every request that fails or leaves this host. */
async function watch(tab, name) {
  tab.on('console', message => {
    if (['error', 'warning'].includes(message.type())) {
      report(name(), `console: ${message.text()}`)
    }
  })
  tab.on('pageerror', error => report(name(), `exception: ${error.message}`))
  tab.on('response', response => {
    if (response.status() >= 400) {
      report(name(), `${response.status()} for ${response.url()}`)
    }
  })
  await tab.route(url => url.origin !== origin && url.protocol !== 'data:', route => {
    report(name(), `asks another host: ${route.request().url()}`)
    return route.abort()
  })
}

/** The pixels by which a page is wider than its window. */
function overflow() {
  const page = document.scrollingElement
  return page.scrollWidth - page.clientWidth
}

function linksAndAnchors() {
  return {
    links: [...document.querySelectorAll('a[href]')].map(link => link.href),
    anchors: [...document.querySelectorAll('[id]')].map(element => element.id),
    broken: [...document.images].filter(image => image.complete && !image.naturalWidth).map(image => image.src),
    text: (document.querySelector('.vp-doc') ?? document.body).innerText.length
  }
}

async function open(tab, page) {
  await tab.setViewportSize({ width: WIDTHS.wide, height: 900 })
  await tab.goto(origin + page)
  // The report of the benchmarks is a page of its own, without the site's program.
  await tab.waitForFunction(() => {
    const app = document.querySelector('#app')
    return !app || app.__vue_app__
  })
  await tab.addStyleTag({ content: '* { transition: none !important }' })
  const content = await tab.evaluate(linksAndAnchors)
  seen.set(page, content)
  content.broken.forEach(image => report(page, `no picture: ${image}`))
  if (content.text < 100) {
    report(page, 'shows no text')
  }
  for (const [name, width] of Object.entries(WIDTHS)) {
    await tab.setViewportSize({ width, height: 900 })
    const pixels = await tab.evaluate(overflow)
    if (pixels > 0) {
      report(page, `is ${pixels} pixels wider than a window of ${width}`)
    }
    await tab.screenshot({ path: path.join(screenshots, name + page.replaceAll('/', '_') + '.png') })
  }
}

function checkLinks(page) {
  for (const link of new Set(seen.get(page).links)) {
    const url = new URL(link)
    if (url.origin !== origin) {
      continue
    }
    const file = decodeURIComponent(url.pathname).replace(/\/$/, '/index.html')
    const anchor = decodeURIComponent(url.hash.slice(1))
    const target = seen.get(file) ?? seen.get(file + '.html')
    if (!target && !fs.existsSync(path.join(site, file))) {
      report(page, `a link leads nowhere: ${link}`)
    } else if (target && anchor && !target.anchors.includes(anchor)) {
      report(page, `a link has no anchor: ${link}`)
    }
  }
}

async function search(tab) {
  await tab.setViewportSize({ width: WIDTHS.wide, height: 900 })
  await tab.goto(origin + '/')
  await tab.locator('.VPNavBarSearch button').first().click()
  await tab.locator('.VPLocalSearchBox input').fill(SEARCH.word)
  const results = tab.locator('.VPLocalSearchBox a.result')
  await results.first().waitFor({ timeout: 20_000 }).catch(() => report('/', `the search does not find ${SEARCH.word}`))
  await tab.screenshot({ path: path.join(screenshots, 'search.png') })
  const found = await results.evaluateAll(links => links.map(link => link.href))
  if (!found.some(link => SEARCH.page.test(link))) {
    report('/', `the search for ${SEARCH.word} finds only: ${found.join(' ')}`)
  }
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update']
})
fs.mkdirSync(screenshots, { recursive: true })
const all = htmlFiles()
let current = '/'
const tab = await browser.newPage()
await watch(tab, () => current)
for (const page of all) {
  current = page
  await open(tab, page)
}
all.forEach(checkLinks)
current = '/'
await search(tab)
await browser.close()
server.close()

errors.forEach(error => console.error(error))
console.log(`${all.length - new Set(errors.map(error => error.split(':')[0])).size} passed, ` +
  `${new Set(errors.map(error => error.split(':')[0])).size} failed`)
process.exit(errors.length ? 1 : 0)
