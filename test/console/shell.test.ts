import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { request } from 'undici'
import { startBursar } from '../harness/bursar.ts'

const ASSETS = fileURLToPath(new URL('../../web/dist/assets/', import.meta.url))
const LIMIT_BYTES = 300 * 1024
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

const { text: html } = await load('/console')
const entries = [...html.matchAll(/assets\/([\w.-]+\.js)/g)].map(([, name = '']) => name)

const styles = [...html.matchAll(/assets\/([\w.-]+\.css)/g)].map(([, name = '']) => name)

test('sign-in is at most 190 KB over the wire, Home with its frame and chart at most 300 KB', async () => {
  assert.ok(entries.length > 0 && styles.length > 0)
  const signIn = await bytesOf([...styles, ...withImports([...entries, chunk('sign-in-page')])])
  const home = await bytesOf([
    ...styles,
    ...withImports([...entries, chunk('sign-in-page'), chunk('shell'), chunk('home-page')]),
  ])
  assert.ok(signIn <= SIGN_IN_LIMIT_BYTES, `sign-in ${Math.round(signIn / 1024)} KB`)
  assert.ok(home <= LIMIT_BYTES, `Home ${Math.round(home / 1024)} KB`)
  assert.ok(signIn > 50 * 1024, 'the chunks were found')
})

test('files are compressed as the reader accepts, and the same in every form', async () => {
  for (const name of [...entries, ...styles]) {
    const plain = readFileSync(ASSETS + name)
    const br = await fetchAs(name, 'gzip, deflate, br')
    assert.equal(br.encoding, 'br')
    assert.deepEqual(brotliDecompressSync(br.body), plain)
    const gzip = await fetchAs(name, 'br;q=0, gzip')
    assert.equal(gzip.encoding, 'gzip')
    assert.deepEqual(gunzipSync(gzip.body), plain)
    const identity = await fetchAs(name, 'identity')
    assert.deepEqual([identity.encoding, identity.body], ['undefined', plain])
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
