import assert from 'node:assert/strict'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { FORM, JSON_BODY } from '../../../src/platform/limits.rules.ts'
import { createPerson } from '../../console/support.ts'
import { startBursar } from '../../harness/bursar.ts'
import { DEMO } from '../../harness/client.ts'
import { byteRoutes, type ByteRoute } from '../../harness/worst-files.ts'

const bursar = await startBursar({ after })
const owner = await createPerson(bursar, {
  email: 'owner@demo.example',
  institute: 'demo-school',
  role: 'owner',
})
const session = { origin: bursar.url, cookie: owner.cookie ?? '', 'x-csrf': owner.csrf ?? '' }
const key = { authorization: `Basic ${Buffer.from(`${DEMO.key}:${DEMO.secret}`).toString('base64')}` }
// A lender's letter belongs to an application of its desk; test/console/desk/desk.slow.ts sends one that is too large.
const own = byteRoutes(bursar).filter(
  ({ url, limit }) => limit !== JSON_BODY.bytes && !url.includes('/lenders/'),
)

type Answer = { status: number; type: string; text: string }

/** Of a declared length nothing is sent: it is refused before it comes. Otherwise all of it comes, and no length. */
async function send(
  { method, url, takes }: ByteRoute,
  bytes: number,
  length: 'declared' | 'untold',
): Promise<Answer> {
  const path = url.replace(':institute_code', 'demo-school').replaceAll(/:\w+/g, 'x').replace('*', 'x')
  const headers = {
    ...(path.startsWith('/console/') ? session : path.startsWith('/api/') ? key : {}),
    'content-type': takes === 'form' ? 'application/x-www-form-urlencoded' : 'text/csv',
    ...(length === 'declared' ? { 'content-length': bytes } : {}),
  }
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const sent = request(bursar.url + path, { method, headers, agent: false }, answer => {
    const { statusCode: status = 0, headers: told } = answer
    text(answer).then(body => resolve({ status, type: told['content-type'] ?? '', text: body }), reject)
  })
  // The connection of what is refused closes under its sender.
  sent.on('error', reject)
  if (length === 'declared') sent.flushHeaders()
  else sent.end(Buffer.alloc(bytes, 'x'))
  return promise.finally(() => sent.destroy())
}

function assertTooLarge({ status, type, text: body }: Answer, { url, takes, limit }: ByteRoute): void {
  assert.equal(status, 413, url)
  // Families read a page in their language.
  if (type.startsWith('text/html')) return assert.match(body, /req_/)
  const { code, message } = JSON.parse(body).error ?? JSON.parse(body)
  assert.equal(code, 'HUE00004', url)
  const size = takes === 'form' ? `${limit / 1_024} KiB` : `${limit / 1_000_000} MB`
  assert.ok(String(message).includes(size), `${url}: ${message}`)
}

test('every page has the limit of a form, and every route of files that of its kind', () => {
  const forms = own.filter(({ takes }) => takes === 'form')
  assert.ok(forms.length > 20 && forms.every(({ limit }) => limit === FORM.bytes))
  assert.ok(own.length - forms.length >= 8)
})

test('every route with a limit of its own refuses what says that it is longer, naming that limit', async () => {
  for (const route of own) assertTooLarge(await send(route, route.limit + 1, 'declared'), route)
})

test('every form that is longer than its limit is refused as it comes, and one of just its bytes is read', async () => {
  for (const route of own.filter(({ takes }) => takes === 'form')) {
    assertTooLarge(await send(route, route.limit + 1, 'untold'), route)
    const { status } = await send(route, route.limit, 'untold')
    assert.ok(status !== 413 && status < 500, `${route.url}: ${status}`)
  }
})
