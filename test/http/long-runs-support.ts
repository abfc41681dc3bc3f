import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { createPerson } from '../console/support.ts'
import type { TestBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'
import { StallWatch } from '../harness/processes/stalls.ts'
import { createPage } from '../payment-pages/support.ts'
import { newFamily, startPaying, visitAs } from '../portal/parents-support.ts'
import { readOperations } from './fixtures/operations.ts'

/** Long runs of characters that a careless expression takes super-linear time for, in every input of every route. */
const ASCII = Array.from({ length: 94 }, (_, no) => String.fromCharCode(33 + no))
export const SPECIALS = [
  ...ASCII.filter(character => !/[A-Za-z2-9]/.test(character)),
  ' ',
  '\t',
  '\n',
  '\u00a0',
  '\u2028',
  '\u200b',
  '\u200d',
  '\ufeff',
  '\u0301',
  '\u0323\u0301',
  '\u094d',
  'a',
  'e\u0301',
  '\u0915\u094d',
  '\u{1f468}\u200d',
  ' /-',
  'a.',
  '@a',
  '&a',
  '%41',
  'a,',
  '"",',
]

/** Which run stands in an input, by its place among the inputs of a request. */
type Choose = (place: number) => string

type Feed = { what: string; method: string; path: string; body?: string; type?: string }

const LINE_BYTES = 9_000
const LONG_FIELDS = 4
const MAX_STALL_MS = 100

function runOf(unit: string, bytes: number): string {
  return unit.repeat(
    Math.max(1, Math.floor(bytes / (new URLSearchParams({ '': unit }).toString().length - 1))),
  )
}

function leavesOf(value: Json): number {
  if (typeof value === 'string') return 1
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((sum, one) => sum + leavesOf(one), 0)
}

/** With a run in place of every text. */
function spoil(value: Json, next: () => string): Json {
  if (typeof value === 'string') return next()
  if (Array.isArray(value)) return value.map(one => spoil(one, next))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, spoil(one, next)]))
}

function countingFrom(choose: Choose, bytes: number): () => string {
  let place = 0
  return () => runOf(choose(place++), bytes)
}

/** Sessions must last until the end. */
const ENDS_SESSION = /session|sign-out|password|logout/

export class Feeder {
  readonly #bursar: TestBursar
  readonly #headers: Record<string, string>
  readonly #ids: Record<string, string>
  readonly #csrf: string
  readonly #fields: readonly string[]

  private constructor(
    bursar: TestBursar,
    known: { headers: Record<string, string>; ids: Record<string, string>; csrf: string },
  ) {
    this.#bursar = bursar
    this.#headers = known.headers
    this.#ids = known.ids
    this.#csrf = known.csrf
    this.#fields = formFields()
  }

  /** Knows a student with dues, an order at the bank and a payment page, and is signed in as everybody. */
  static async open(bursar: TestBursar): Promise<Feeder> {
    const { demo, url } = bursar
    await bursar.sql('update api_keys set rate_per_second = 1000000, burst = 1000000')
    const person = await createPerson(bursar, {
      email: 'all@example.in',
      operator: true,
      institute: 'demo-school',
    })
    const { user, students } = await newFamily(demo)
    const [studentId = ''] = students
    const parent = await visitAs(bursar, user)
    const csrf = await parent.csrf(`/parents/students/${studentId}`)
    const orderId = (await demo.post(`${PAY}/orders`, sampleOrder())).body.data.order_id as string
    const paying = await startPaying(parent, studentId, '100')
    const { location } = await parent.post(`/pay/demo-school/${paying}/start`, { mode: 'upi' })
    const [instituteId = '', ref = ''] = /bank\/(\d+)\/(\w+)/.exec(location ?? '')?.slice(1) ?? []
    assert.notEqual(ref, '', String(location))
    const page = await createPage(demo)
    const cookies = [person.cookie, ...[...parent.cookies].map(([name, value]) => `${name}=${value}`)]
    const key = Buffer.from('key_test_demo:secret_test_demo').toString('base64')
    return new Feeder(bursar, {
      csrf,
      headers: {
        authorization: `Basic ${key}`,
        cookie: cookies.join('; '),
        origin: url,
        'x-csrf': person.csrf ?? '',
      },
      ids: {
        institute: 'demo-school',
        institute_code: 'demo-school',
        institute_id: instituteId,
        ref,
        slug: new URL(page.url).pathname.split('/').at(-1) ?? '',
        order_id: orderId,
        service_student_id: studentId,
      },
    })
  }

  /** One request of each route with runs in its body, one with runs in its query, one with them in its path. */
  *operations(choose: Choose, bodyBytes: number): Generator<Feed> {
    for (const { method, path, query, valid } of readOperations(this.#bursar)) {
      if (ENDS_SESSION.test(path)) continue
      yield* this.#lines(method, path, query, choose)
      if (valid === undefined) continue
      const body = JSON.stringify(
        spoil(valid, countingFrom(choose, bodyBytes / Math.max(1, leavesOf(valid)))),
      )
      yield { what: `${method} ${path}`, method, path: this.#fill(path), body, type: 'application/json' }
    }
  }

  /** The same of pages and of whatever else the reference does not show; forms in place of JSON. */
  *pages(choose: Choose, bodyBytes: number): Generator<Feed> {
    for (const { method, url } of this.#bursar.app.pages) {
      if (ENDS_SESSION.test(url)) continue
      const path = url.replaceAll(/:(\w+)/g, '{$1}').replace('*', 'x')
      yield* this.#lines(method, path, this.#fields, choose)
      if (method !== 'POST') continue
      const names = this.#fields.filter(name => name !== 'csrf')
      const next = countingFrom(choose, bodyBytes / LONG_FIELDS)
      for (let at = 0; at < names.length; at += LONG_FIELDS)
        yield this.#post(path, names.slice(at, at + LONG_FIELDS), next)
      // Those that the reader of forms lets through.
      yield this.#post(path, names, countingFrom(choose, 400))
    }
  }

  #post(path: string, names: readonly string[], next: () => string): Feed {
    const form = new URLSearchParams([['csrf', this.#csrf], ...names.map(name => [name, next()])])
    const type = 'application/x-www-form-urlencoded'
    return { what: `POST ${path}`, method: 'POST', path: this.#fill(path), body: form.toString(), type }
  }

  *#lines(method: string, path: string, query: readonly string[], choose: Choose): Generator<Feed> {
    const body = method === 'GET' ? {} : { body: '{}', type: 'application/json' }
    if (query.length > 0) {
      const next = countingFrom(choose, LINE_BYTES / query.length)
      const text = new URLSearchParams(query.map(name => [name, next()])).toString()
      yield { what: `${method} ${path}?`, method, path: `${this.#fill(path)}?${text}`, ...body }
    }
    if (!path.includes('{')) return
    const next = countingFrom(choose, LINE_BYTES / (path.split('{').length - 1))
    const filled = path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(next()))
    yield { what: `${method} ${path} with runs in its path`, method, path: filled, ...body }
  }

  #fill(path: string): string {
    return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => this.#ids[name] ?? '2040-01-26')
  }

  /** Sends them all, one after the other. */
  async feed(feeds: Iterable<Feed>): Promise<number> {
    // The reference is made when it is first asked for.
    for (const path of ['/docs/x', '/openapi.json']) await this.#send({ what: path, method: 'GET', path })
    const watch = new StallWatch()
    let sent = 0
    try {
      for (const feed of feeds) {
        const stall = await this.#stallOf(watch, feed)
        assert.ok(stall < MAX_STALL_MS, `${feed.what}: ${Math.round(stall)} ms`)
        sent++
      }
      return sent
    } finally {
      watch.stop()
    }
  }

  /** What happens once, as compiling what was never run, is not the doing of the input. */
  async #stallOf(watch: StallWatch, feed: Feed): Promise<number> {
    let stall = Infinity
    for (let tries = 0; tries < 5 && stall >= MAX_STALL_MS; tries++) {
      watch.take()
      await this.#send(feed)
      stall = watch.take()
    }
    return stall
  }

  async #send({ what, method, path, body, type }: Feed): Promise<void> {
    const answer = await fetch(this.#bursar.url + path, {
      method,
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(20_000),
      headers: { ...this.#headers, ...(type === undefined ? {} : { 'content-type': type }) },
    })
    await answer.bytes()
    assert.ok(answer.status < 500, `${what}: ${answer.status}`)
  }
}

/** Every name that a page has or reads. */
function formFields(): string[] {
  const src = new URL('../../src/', import.meta.url)
  const files = globSync('{portal,sandbox}/**/*.{ts,eta}', { cwd: src })
  const names = files.flatMap(file => {
    const text = readFileSync(new URL(file, src), 'utf8')
    return [...text.matchAll(/(?:name="|[fF]ield\w*\((?:request, )?')(\w+)["']/g)].map(
      ([, name = '']) => name,
    )
  })
  return [...new Set(names)].sort()
}
