import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { request } from 'undici'
import { startBursar } from '../harness/bursar.ts'
import { demoVisitor, Visitor } from './support.ts'

const ASSETS = fileURLToPath(new URL('../../web/dist/assets/', import.meta.url))
const MANTINE = fileURLToPath(new URL('../../node_modules/@mantine/core/styles/', import.meta.url))
const LIMIT_BYTES = 250 * 1024
const SIGN_IN_LIMIT_BYTES = 190 * 1024
const bursar = await startBursar({ after })

async function load(path: string): Promise<{ response: Response; text: string }> {
  const response = await fetch(bursar.url + path)
  return { response, text: await response.text() }
}

/** A chunk and every chunk that it needs before it can run. */
function withImports(names: readonly string[]): Set<string> {
  const all = new Set<string>()
  const visit = (name: string): void => {
    if (all.has(name)) return
    all.add(name)
    const text = readFileSync(ASSETS + name, 'utf8')
    for (const [, imported = ''] of text.matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g))
      visit(imported)
  }
  names.forEach(visit)
  return all
}

function chunk(name: string): string {
  const found = readdirSync(ASSETS).find(file => new RegExp(`^${name}-[\\w-]{8}\\.js$`).test(file))
  assert.ok(found, `there is a chunk ${name}`)
  return found
}

/** As a browser asks for it. */
async function bytesOf(names: Iterable<string>): Promise<number> {
  const sizes = await Promise.all(
    [...names].map(async name => (await fetchAs(name, 'gzip, deflate, br')).body.length),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function fetchAs(name: string, accepted: string): Promise<{ encoding: string; body: Buffer }> {
  const { headers, body } = await request(`${bursar.url}/console/assets/${name}`, {
    headers: { 'accept-encoding': accepted },
  })
  assert.equal(headers['vary'], 'accept-encoding')
  return { encoding: String(headers['content-encoding']), body: Buffer.from(await body.arrayBuffer()) }
}

function classesIn(text: string): Set<string> {
  return new Set(text.match(/\bm_[0-9a-f]+\b/g))
}

async function preloadsAt(visitor: Visitor, path: string): Promise<string[]> {
  const { text } = await visitor.get(path)
  return [...text.matchAll(/<link rel="(?:module)?preload"[^>]* href="([^"]+)"/g)].map(
    ([, href = '']) => href,
  )
}

const { text: html } = await load('/console')
const entries = [...html.matchAll(/assets\/([\w.-]+\.js)/g)].map(([, name = '']) => name)

const styles = [...html.matchAll(/assets\/([\w.-]+\.css)/g)].map(([, name = '']) => name)

test('sign-in is at most 190 KB over the wire, Home with its frame and chart at most 250 KB', async () => {
  assert.ok(entries.length > 0 && styles.length > 0)
  const signIn = await bytesOf([...styles, ...withImports(entries)])
  const home = await bytesOf([...styles, ...withImports([...entries, chunk('home')])])
  assert.ok(signIn <= SIGN_IN_LIMIT_BYTES, `sign-in ${Math.round(signIn / 1024)} KB`)
  assert.ok(home <= LIMIT_BYTES, `Home ${Math.round(home / 1024)} KB`)
  assert.ok(signIn > 50 * 1024, 'the chunks were found')
})

test('the styles are those of the Mantine components that the console uses, all of them and no others', () => {
  const files = readdirSync(ASSETS).filter(name => name.endsWith('.js'))
  const used = classesIn(files.map(name => readFileSync(ASSETS + name, 'utf8')).join('\n'))
  const known = classesIn(styles.map(name => readFileSync(ASSETS + name, 'utf8')).join('\n'))
  const components = readdirSync(MANTINE).filter(name => /^[A-Z]\w+\.css$/.test(name))
  const differing = components.filter(name => {
    const classes = [...classesIn(readFileSync(MANTINE + name, 'utf8'))]
    return classes.some(one => used.has(one)) !== classes.some(one => known.has(one))
  })
  assert.ok(components.length > 60 && known.size > 100, 'the styles were found')
  assert.deepEqual(differing, [], 'to be added to web/src/mantine.css if it is not there, else removed')
})

test('somebody who is signed in gets the script and the figures of Home asked for by the page itself', async () => {
  const visitor = await demoVisitor(bursar.url)
  const script = `/console/assets/${chunk('home')}`
  const figures = '/console/api/institutes/demo-school/home'
  const signedOut = await preloadsAt(new Visitor(bursar.url), '/console/i/demo-school')
  const home = await preloadsAt(visitor, '/console/i/demo-school')
  assert.deepEqual(new Set(home).difference(new Set(signedOut)), new Set([figures, script]))
  const students = await preloadsAt(visitor, '/console/i/demo-school/students')
  assert.deepEqual(new Set(students).difference(new Set(signedOut)), new Set([script]))
  const strange = await preloadsAt(visitor, '/console/i/%22%3E%3Cscript%3E')
  assert.deepEqual(strange, students, 'nothing of a strange address stands in the page')
  assert.equal((await visitor.get(figures)).status, 200)
})

test('files are compressed as the reader accepts, and the same in every form', async () => {
  for (const name of [...entries, ...styles]) {
    const plain = readFileSync(ASSETS + name)
    const br = await fetchAs(name, 'gzip, deflate, br')
    assert.equal(br.encoding, 'br')
    assert.ok(brotliDecompressSync(br.body).equals(plain), `${name} as br`)
    const gzip = await fetchAs(name, 'br;q=0, gzip')
    assert.equal(gzip.encoding, 'gzip')
    assert.ok(gunzipSync(gzip.body).equals(plain), `${name} as gzip`)
    const identity = await fetchAs(name, 'identity')
    assert.equal(identity.encoding, 'undefined')
    assert.ok(identity.body.equals(plain), `${name} as it is`)
  }
})

test('before its scripts run, the page says that it is loading', () => {
  assert.match(html, /<div id="root"><p [^>]*role="status"[^>]*>Loading…<\/p><\/div>/)
})

test('no file of the console loads anything from another host', () => {
  for (const name of readdirSync(ASSETS).filter(file => !/\.(br|gz)$/.test(file))) {
    const text = readFileSync(ASSETS + name, 'utf8')
    assert.doesNotMatch(text, /url\(\s*["']?(https?:)?\/\//, name)
    assert.doesNotMatch(text, /(import|fetch|importScripts)\(\s*["'](https?:)?\/\//, name)
    assert.doesNotMatch(text, /\.src\s*=\s*["'](https?:)?\/\//, name)
  }
  assert.doesNotMatch(html, /(src|href)="(https?:)?\/\//)
})

test('the page is never kept, its files for ever, and its policy admits no inline script', async () => {
  const { response, text } = await load('/console/i/demo-school/settings/team?x=1')
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('cache-control'), 'no-store')
  const policy = response.headers.get('content-security-policy') ?? ''
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self' 'nonce-([\w+/=]{24})'/)
  assert.doesNotMatch(policy, /unsafe/)
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? ''
  assert.ok(text.includes(`content="${nonce}"`))
  assert.doesNotMatch(text, /__CSP_NONCE__|<script(?![^>]*src=)/)
  const again = await load('/console')
  assert.ok(!again.response.headers.get('content-security-policy')?.includes(nonce), 'a nonce is used once')
  const { response: asset } = await load(`/console/assets/${entries[0]}`)
  assert.equal(asset.status, 200)
  assert.match(asset.headers.get('cache-control') ?? '', /max-age=31536000, immutable/)
  assert.match(asset.headers.get('content-type') ?? '', /javascript/)
})

test('what is not there is 404 in our envelope: files, addresses of the API, ways out of the folder', async () => {
  for (const path of [
    '/console/assets/none.js',
    '/console/assets/..%2f..%2fpackage.json',
    '/console/api/none',
    '/console/api/institutes/demo-school/none',
  ]) {
    const { response, text } = await load(path)
    assert.ok([403, 404].includes(response.status), `${path} ${response.status}`)
    assert.doesNotMatch(text, /"name": "bursar"/)
  }
  assert.equal(JSON.parse((await load('/console/api/none')).text).code, 'HUE00001')
})
