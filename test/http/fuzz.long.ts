import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { ERP, PAY, sampleOrder, sampleStudent, sampleWebhook } from '../harness/samples.ts'
import { demoVisitor } from '../console/support.ts'
import { exchange, type Reply } from './fixtures/exchange.ts'
import { readOperations, type Operation } from './fixtures/operations.ts'
import { anyText } from '../harness/texts.ts'

/**
 * Whatever arrives, the answer is one of ours. Requests are written to bare sockets: a client library would tidy them
 * up. No name server answers, so no ERP is reached. FUZZ_SEED repeats a run, FUZZ_RUNS counts requests an operation.
 */
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_000)
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 8)
console.log(`fuzz: FUZZ_SEED=${SEED} FUZZ_RUNS=${RUNS}`)

const bursar = await startBursar({ after }, { DNS_SERVERS: '127.0.0.1:9' })
const { demo } = bursar
const { hostname } = new URL(bursar.url)
const AUTH = `Basic ${Buffer.from('key_test_demo:secret_test_demo').toString('base64')}`
await bursar.sql('update api_keys set rate_per_second = 1000000, burst = 1000000')
const order = await demo.post(`${PAY}/orders`, sampleOrder())
const link = await demo.post(`${PAY}/payment_links`, sampleOrder())
const student = await demo.post(`${ERP}/users/parent-77/students`, { student: sampleStudent() })
const webhook = await demo.post(`${ERP}/webhooks`, sampleWebhook())
const realIds = [order, link, student, webhook].map(({ body }) => String(Object.values(body.data)[0]))
const operations = readOperations(bursar)

const REGISTRY = `400 HUE00000 401 AUE00000 403 AUE00001 404 HUE00001 405 HUE00003 409 HUE00002 409 IDE00001
  413 HUE00004 422 IDE00000 429 RLE00000`

function assertOurs({ status, headers, text }: Reply): void {
  const type = headers.get('content-type') ?? ''
  if (status === 200 && /^(image|text\/csv|application\/(pdf|vnd))/.test(type)) return
  assert.match(type, /^application\/json/, `${status} ${text.slice(0, 200)}`)
  const body = JSON.parse(text)
  if (status < 300) return assert.equal(body.status, 'success')
  assert.equal(body.status, 'error')
  assert.ok(REGISTRY.includes(`${status} ${body.code}`), `${status} ${text}`)
  assert.match(body.message, /\S/)
  assert.match(body.request_id, /^req_[0-9a-z]{26}$/)
  assert.doesNotMatch(text, /node_modules|\bat file:|\bselect \w|\binsert into|syntax error at/i)
}

function assertIdentified({ headers, text }: Reply): void {
  const id = headers.get('x-request-id') ?? ''
  assert.match(id, /^req_[0-9a-z]{26}$/)
  const named = /"request_id":"(\w+)"\}$/.exec(text)?.[1] ?? id
  assert.ok(named === id || headers.has('idempotent-replayed'), `${named} in the body, ${id} in the header`)
}

/** Values as JSON text, since much of what is odd cannot be held by a value. */
const ODD_JSON = words(String.raw`
  null true "" [] {} 0 -1 -0 1e999 -1e999 1e-400 0.1 1e11 1.005 9007199254740993 99999999999999999999 1e21
  NaN Infinity "NaN" "1e5" "0x10" "\ud800" "a\udc00b" "\u0000" "x\u0000y" "\u202e" "\ufeff" "\n" "'--" "P1W"
  "0000" "9999" "10000-01-01" "2026-02-30" "0001-01-01" "9999-12-31" "2026-06-01T25:00" "9999-12-31T23:59:59-23:59"
  "P1D" "-P1D" "P99999999999Y" "PT1E9S" {"__proto__":{"x":1}} {"constructor":{"prototype":{}}} {"toString":1}
  {"length":-1} [null] [[]] [{}] {"0":1} "http://[::1" "javascript:alert(1)" "http://a:b@c" "whsec_!" "a@b" "😀"
  "${'x'.repeat(20_000)}" "${'😀'.repeat(64)}" [${'{},'.repeat(1_500)}{}] ${'['.repeat(5_000)}${']'.repeat(5_000)}
  ${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`)

function words(text: string): string[] {
  return text.trim().split(/\s+/)
}

const oddJson = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...ODD_JSON) },
  fc.json(),
  anyText({ maxLength: 80 }).map(text => JSON.stringify(text)),
)

function places(value: Json, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.keys(value).flatMap(key => places(value[key], [...path, key]))]
}

/** The valid body as text, with the value at one place replaced by any text. */
function spoil(text: string, at: number, odd: string): string {
  try {
    const body = JSON.parse(text)
    const all = places(body)
    const path = all[at % all.length] ?? []
    if (path.length === 0) return odd
    const parent = path.slice(0, -1).reduce<Json>((value, key) => value[key], body)
    parent[path.at(-1) ?? ''] = '@odd@'
    return JSON.stringify(body).replace('"@odd@"', () => odd)
  } catch {
    return text
  }
}

const DAMAGES: ((text: string) => Buffer | string)[] = [
  text => text.slice(0, text.length / 2),
  text => `\ufeff${text}`,
  text => text + text,
  text => text.replace('{', '{"name":1,"name":{},"__proto__":{"a":1},"constructor":null,'),
  text => Buffer.from(text.replace('":"', '":"\xed\xa0\x80\xff\xc0\x80'), 'latin1'),
  text => Buffer.from(text, 'utf16le'),
  text => gzipSync(text),
  text => ['', 'null', '"text"', '\0\0'][text.length % 4] ?? '',
]

function mostly<Value>(normal: Value, odd: fc.Arbitrary<Value>): fc.Arbitrary<Value> {
  return fc.oneof({ weight: 7, arbitrary: fc.constant(normal) }, { weight: 1, arbitrary: odd })
}

function bodyOf(valid: Json): fc.Arbitrary<Buffer> {
  const spoils = fc.array(fc.tuple(fc.nat(200), oddJson), { maxLength: 3 })
  const damage = mostly((text: string): Buffer | string => text, fc.constantFrom(...DAMAGES))
  return fc.tuple(spoils, damage).map(([places, spoilWhole]) => {
    const text = places.reduce((body, [at, odd]) => spoil(body, at, odd), JSON.stringify(valid))
    return Buffer.from(spoilWhole(text) as string)
  })
}

const ODD_IDS = words(`
  . .. % %2 %zz %00 %2F %2e%2e %ED%A0%80 %C0%80 %F0%9F%98%80 %E0%A4%A ..%2f..%2fetc ; * '-- %25 + :order_id %E9
  %20 %0d%0a __proto__ constructor // ? # %u0041 " {x} ${'a'.repeat(64)} ${'a'.repeat(65)} ${'a'.repeat(6_000)}`)
const oddText = fc.oneof(
  fc.constantFrom(...realIds),
  fc.constantFrom('', ...ODD_IDS),
  fc.string({ unit: 'grapheme', maxLength: 70 }).map(encodeURIComponent),
  fc.stringMatching(/^[!-~]{1,80}$/),
)

function queryOf(names: readonly string[]): fc.Arbitrary<string> {
  const name = fc.constantFrom(...names, 'limit', 'cursor', '__proto__', 'x[y]', '')
  const pair = fc.tuple(name, fc.oneof(oddText, oddJson)).map(sides => encodeLoose(sides.join('=')))
  return fc.array(pair, { maxLength: 4 }).map(pairs => pairs.join('&'))
}

function encodeLoose(text: string): string {
  return text.slice(0, 1_500).replaceAll(/[^!-~]+/g, part => encodeURIComponent(part.toWellFormed()))
}

const HEADERS = words(`
  idempotency-key:one idempotency-key:two idempotency-key: idempotency-key:${'k'.repeat(256)} content-encoding:gzip
  idempotency-key:é${'k'.repeat(200)} content-type:x/y authorization:Basic${'A'.repeat(3_000)} x-forwarded-for:é
  upgrade:websocket host:evil.example x-request-id:mine if-none-match:* te:trailers range:bytes=0-1 accept-version:9`)
const TYPES = words(`application/json text/plain ; é application/vnd.api+json a/${'b'.repeat(3_000)}`)
const AUTHS = ['', 'Basic', 'Basic !', 'Basic Og==', 'Bearer x', 'Basic AAA6AAA=', `${AUTH}, ${AUTH}`, 'é']
const METHODS = words('GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PROPFIND QUERY')

/** Of an owner of Demo School at the console; a new one for each operation, since some end it. */
let session: string[] = []

async function signIn(): Promise<void> {
  const { cookie, csrf } = await demoVisitor(bursar.url)
  session = [`cookie: ${cookie}`, `x-csrf: ${csrf}`]
}

/** A whole request, each character a byte. */
function requestTo({ method, path, query, valid }: Operation): fc.Arbitrary<string> {
  return fc
    .record({
      verb: mostly(method, fc.constantFrom(...METHODS)),
      ids: fc.array(oddText, { minLength: 3, maxLength: 3 }),
      search: query.length > 0 ? queryOf(query) : mostly('', queryOf([])),
      auth: mostly(AUTH, fc.constantFrom(...AUTHS)),
      type: mostly('application/json', fc.constantFrom(...TYPES)),
      more: mostly([], fc.subarray(HEADERS, { maxLength: 3 })),
      isChunked: fc.boolean(),
      body: valid === undefined ? mostly(Buffer.alloc(0), bodyOf({})) : bodyOf(valid),
    })
    .map(({ verb, ids, search, auth, type, more, isChunked, body }) => {
      const next = ids[Symbol.iterator]()
      const target = path.replaceAll(/\{\w+\}/g, () => String(next.next().value)) + (search && `?${search}`)
      const framing = isChunked ? 'transfer-encoding: chunked' : `content-length: ${body.length}`
      const first = [`${verb} ${target} HTTP/1.1`, `host: ${hostname}`, `authorization: ${auth}`]
      if (path.startsWith('/console/')) first.push(...session)
      const lines = [...first, `content-type: ${type}`, ...more, framing, 'connection: close', '', '']
      const chunk = body.length === 0 ? [] : [`${body.length.toString(16)}\r\n`, body, '\r\n']
      const parts = [lines.join('\r\n'), ...(isChunked ? [...chunk, '0\r\n\r\n'] : [body])]
      return Buffer.concat(parts.map(part => Buffer.from(part as string))).toString('latin1')
    })
}

const ofErps = operations.filter(operation => !operation.path.startsWith('/console/'))
const seen = new Map<number, number>()

async function sendFuzz(bytes: string): Promise<void> {
  // The sandbox's clock may be moved by decades, and does all that falls due in them before it answers.
  const seconds = bytes.includes('/sandbox/clock ') ? 120 : 10
  const reply = await exchange(bursar.url, bytes, { seconds })
  seen.set(reply.status, (seen.get(reply.status) ?? 0) + 1)
  if (bytes.startsWith('HEAD')) assert.ok(reply.status < 500)
  else assertOurs(reply)
  assertIdentified(reply)
}

for (const [index, operation] of operations.entries()) {
  test(`${operation.method} ${operation.path} answers anything with an answer of ours`, async () => {
    await signIn()
    // The console's share the reader, the envelope and the idempotency of the others.
    const numRuns = ofErps.includes(operation) ? RUNS : Math.ceil(RUNS / 4)
    await fc.assert(fc.asyncProperty(requestTo(operation), sendFuzz), { seed: SEED + index, numRuns })
  })
}

const FEW = RUNS < 15 && 'needs a long run: FUZZ_RUNS=15'

test('thousands of odd requests leave no memory behind', { skip: FEW }, async () => {
  setFlagsFromString('--expose_gc')
  const collect = runInNewContext('gc') as () => void
  const [before = 0, later = 0] = await Array.fromAsync([5, 15], async numRuns => {
    const each = { seed: SEED - numRuns, numRuns }
    for (const one of ofErps) for (const bytes of fc.sample(requestTo(one), each)) await sendFuzz(bytes)
    collect()
    return process.memoryUsage().heapUsed / 2 ** 20
  })
  assert.ok(later - before < 10, `the heap grew from ${before} MB to ${later} MB`)
})

test('the requests reached every kind of answer, so that the tests above mean something', () => {
  const missing = [200, 201, 400, 401, 404, 405].filter(status => !seen.has(status))
  assert.deepEqual(missing, [], `seen: ${JSON.stringify([...seen])}`)
})

const START = `POST ${PAY}/orders HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: ${AUTH}\r\n`
const NOT_HTTP: [what: string, bytes: string, hangsUp?: boolean][] = [
  ['garbage', 'hello, is anybody there?\r\n\r\n'],
  ['a TLS greeting', '\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03'],
  ['an unknown method', `BREW ${PAY}/orders HTTP/1.1\r\nhost: localhost\r\n\r\n`],
  ['headers of more than 16 KiB', `${START}x-long: ${'x'.repeat(17_000)}\r\n\r\n`],
  ['a zero byte in a header', `${START}x-zero: a\0b\r\ncontent-length: 0\r\n\r\n`],
  ['a space in the address', `GET ${PAY}/or ders HTTP/1.1\r\nhost: localhost\r\n\r\n`],
  ['a raw letter beyond ASCII in the address', `GET ${PAY}/orders/\xe9 HTTP/1.1\r\nhost: localhost\r\n\r\n`],
  ['a caller that hangs up inside its body', `${START}content-length: 500\r\n\r\n{"name":`, true],
  ['a body of 1 MiB of nonsense', `${START}content-length: ${2 ** 20}\r\n\r\n${'x'.repeat(2 ** 20)}`],
  ['a body that is longer than Content-Length', `${START}content-length: 8\r\n\r\n{"name": "Asha Rao"}`],
  ['a Content-Length that is no number', `${START}content-length: many\r\n\r\n{}`],
  ['two Content-Lengths', `${START}content-length: 2\r\ncontent-length: 3\r\n\r\n{} `],
  ['two framings', `${START}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
  ['a broken chunk', `${START}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n`],
  ['an unknown transfer coding', `${START}transfer-encoding: gzip\r\n\r\n{}`],
  ['no Host', `GET ${PAY}/orders HTTP/1.1\r\nauthorization: ${AUTH}\r\nconnection: close\r\n\r\n`],
  ['two Hosts', `${START}host: y\r\ncontent-length: 2\r\n\r\n{}`],
  ['two Authorizations', `${START}authorization: ${AUTH}\r\ncontent-length: 2\r\n\r\n{}`],
  ['an encoded body', `${START}content-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}`],
  ['an expectation nobody knows', `${START}expect: miracles\r\ncontent-length: 2\r\n\r\n{}`],
]
for (const [what, bytes, hangsUp] of NOT_HTTP) {
  test(`${what}: answered by a 400 in our envelope`, async () => {
    const reply = await exchange(bursar.url, bytes, { hangsUp })
    assert.equal(reply.status, 400, reply.text)
    assertOurs(reply)
  })
}

for (const method of ['TRACE', 'QUERY', 'PROPFIND']) {
  test(`${method} is 405 at every address, known or not`, async () => {
    for (const path of ['/healthz', `${PAY}/orders`, '/nothing/here']) {
      const bytes = `${method} ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: ${AUTH}\r\n\r\n`
      const reply = await exchange(bursar.url, bytes)
      assert.equal(reply.status, 405, reply.text)
      assertOurs(reply)
    }
  })
}

test('a PUT without a body is refused and changes nothing', async () => {
  const rules = '/api/v1/integrations/erp/payment-rules'
  const before = await demo.get(rules)
  for (const body of [undefined, '']) {
    const answer = await demo.send('PUT', rules, body)
    assert.equal(answer.status, 400)
  }
  assert.deepEqual((await demo.get(rules)).body, before.body)
})

test('the answer to what never became a request has its id in x-request-id too', async () => {
  assertIdentified(await exchange(bursar.url, 'hello, is anybody there?\r\n\r\n'))
})

test('a body over 1 MiB is a 413 in our envelope', async () => {
  const reply = await exchange(
    bursar.url,
    `${START}content-length: ${2 ** 20 + 1}\r\n\r\n${'x'.repeat(2 ** 20 + 1)}`,
  )
  assert.equal(reply.status, 413)
  assertOurs(reply)
})

test('after all of it the process is well and has logged no failure', async () => {
  assert.equal((await demo.get('/readyz')).status, 200)
  assert.equal(/"level":"error".*/.exec(bursar.logText())?.[0], undefined)
})
