import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { startBursar } from '../harness/bursar.ts'
import { operationsOf } from '../harness/openapi/operations.ts'

const PUBLIC = 'https://fees.example.in'
const FOLDER = new URL('../../docs/erp-developer/', import.meta.url)
const bursar = await startBursar({ after }, { PUBLIC_URL: PUBLIC })
const names = readdirSync(FOLDER).flatMap(file => (file.endsWith('.md') ? [file.slice(0, -3)] : []))

async function read(path: string): Promise<string> {
  const { status, text } = await bursar.demo.get(path)
  assert.equal(status, 200, path)
  return text
}

/** Addresses of links, as a reader of `from` resolves them; code is not looked at. */
function linksIn(text: string, from: string): URL[] {
  const prose = text.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => new URL(link, PUBLIC + from))
}

const ours = (links: URL[]): URL[] => links.filter(link => link.origin === PUBLIC)

test('llms.txt has every guide that is in the folder and every subject of the reference, and each link leads to a text', async () => {
  const index = await read('/llms.txt')
  assert.match(index, /^# Bursar\n\n> [^\n]+\n/)
  const links = linksIn(index, '/llms.txt')
  assert.equal(ours(links).length, links.length)
  for (const link of links) assert.ok((await read(link.pathname)).length > 100, link.pathname)
  for (const name of names) assert.ok(index.includes(`${PUBLIC}/docs/guides/${name}.md`), name)
  for (const line of index.split('\n').filter(one => one.startsWith('- ')))
    assert.match(line, /^- \[[^\]]+\]\(\S+\): \S.{9}/)
})

const plain = (text: string): string => text.replaceAll(/!?\[([^[\]]*)\]\([^()\s]+\)/g, '$1')

test('a guide as Markdown is its file; links that lead nowhere here are left out, all others resolve', async () => {
  for (const name of names) {
    const path = `/docs/guides/${name}.md`
    const text = await read(path)
    assert.equal(plain(text), plain(readFileSync(new URL(`${name}.md`, FOLDER), 'utf8')))
    for (const link of ours(linksIn(text, path))) {
      const page = await read(link.pathname.replace(/\.md$/, ''))
      if (link.hash !== '') assert.ok(page.includes(`id="${link.hash.slice(1)}"`), `${path}: ${link.href}`)
    }
  }
})

test('the reference as Markdown has every operation, with its fields and an example', async () => {
  const pages = linksIn(await read('/docs/reference/index.md'), '/docs/reference/index.md')
  const text = (await Promise.all(pages.map(({ pathname }) => read(pathname)))).join('\n')
  for (const { method, path } of operationsOf(bursar, '/api/'))
    assert.ok(text.includes(`\`${method} ${path}\``), `${method} ${path}`)
  const [, create = ''] = (await read('/docs/reference/pay-orders.md')).split('## Create a pay order\n')
  assert.match(create, /- `details\[\]\.amount` \(number, double, required\): \S/)
  assert.match(create, /```json\n\{\n {2}"name": /)
})

test('llms-full.txt is all of it in one file, whose links resolve from anywhere', async () => {
  const whole = await read('/llms-full.txt')
  for (const name of names)
    assert.ok(whole.includes(/^# .*$/m.exec(await read(`/docs/guides/${name}.md`))?.[0] ?? '-'))
  assert.ok(whole.includes('`POST /api/v1/integrations/pay/orders`'))
  const prose = whole.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '')
  assert.deepEqual(prose.match(/\]\((?!https:)[^)\s]+\)/g), null)
  const paths = new Set(ours(linksIn(whole, '/')).map(({ pathname }) => pathname))
  for (const path of paths) await read(path)
})

test('texts say their type, and are sent again only when they changed', async () => {
  const types = {
    '/llms.txt': 'text/plain; charset=utf-8',
    '/llms-full.txt': 'text/plain; charset=utf-8',
    '/docs/guides/events.md': 'text/markdown; charset=utf-8',
    '/docs/reference/refunds.md': 'text/markdown; charset=utf-8',
    '/docs/guides/samples/students.csv': 'text/plain; charset=utf-8',
  }
  for (const [path, type] of Object.entries(types)) {
    const first = await fetch(bursar.url + path)
    assert.equal(first.headers.get('content-type'), type)
    assert.equal(first.headers.get('cache-control'), 'no-cache')
    const etag = first.headers.get('etag') ?? assert.fail()
    await first.text()
    const again = await fetch(bursar.url + path, { headers: { 'if-none-match': etag } })
    assert.equal(again.status, 304)
    assert.equal(await again.text(), '')
  }
})

test('every page has the way to its Markdown, for people and in its head', async () => {
  for (const path of [
    '/docs/guides/',
    '/docs/guides/first-hour',
    '/docs/reference/',
    '/docs/reference/flex',
  ]) {
    const page = await read(path)
    const [, markdown = ''] = /<link rel="alternate" type="text\/markdown" href="([^"]+)">/.exec(page) ?? []
    await read(markdown)
    assert.ok(page.includes(`<a href="${markdown}">Markdown</a>`))
    assert.ok(page.includes('>Copy as Markdown</button>'))
    assert.doesNotMatch(page, /<p>[#|]|```|\]\(/, `${path} has Markdown that is not understood`)
  }
})
