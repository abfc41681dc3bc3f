import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { createPerson } from '../../console/support.ts'
import { startBursar } from '../../harness/bursar.ts'
import { DEMO, Client } from '../../harness/client.ts'
import { PAY } from '../../harness/samples.ts'

/** The limit of each address; the visitors stand behind a proxy, which says who they are. */
const BURST = 8
const bursar = await startBursar(
  { after },
  { PUBLIC_RATE: '1', PUBLIC_BURST: String(BURST), TRUST_PROXY: '127.0.0.1' },
)

type Init = { method?: string; body?: string; headers?: Record<string, string> }

let visitors = 0
const newVisitor = (): string => `203.0.113.${++visitors}`

async function hammer(path: string, ip: string, init: Init = {}): Promise<Response[]> {
  const headers = { 'x-forwarded-for': ip, 'x-forwarded-proto': 'https', ...init.headers }
  const requests = Array.from({ length: BURST + 4 }, () =>
    fetch(bursar.url + path, { redirect: 'manual', ...init, headers }),
  )
  return Promise.all(requests)
}

const PUBLIC: [path: string, init?: Init][] = [
  ['/docs'],
  ['/openapi.json'],
  ['/metrics'],
  ['/console'],
  ['/console/api/session'],
  ['/console/api/session', { method: 'POST', body: '{}' }],
  ['/pay/demo-school/order_1'],
  ['/pay/demo-school/order_1/receipt.pdf'],
  ['/pay/demo-school/order_1/start', { method: 'POST', body: 'mode=upi' }],
  ['/nowhere'],
  [`${PAY}/orders/order_1`, { headers: { authorization: 'Basic a2V5OnNlY3JldA==' } }],
  ['/callbacks/razorpay', { method: 'POST', body: '{}' }],
]

// Side by side, as each waits for a second to be over.
suite('on a public page', { concurrency: true }, () => {
  for (const [path, init] of PUBLIC) testLimit(path, init)
})

function testLimit(path: string, init?: Init): void {
  test(`${init?.method ?? 'GET'} ${path} refuses an address that sends too many requests, and no other`, async () => {
    const ip = newVisitor()
    const answers = await hammer(path, ip, init)
    const refused = answers.filter(answer => answer.status === 429)
    assert.ok(refused.length >= 2 && refused.length <= 4, answers.map(answer => answer.status).join())
    assert.ok(refused.every(answer => Number(answer.headers.get('retry-after')) > 0))
    const headers = { 'x-forwarded-for': newVisitor(), 'x-forwarded-proto': 'https', ...init?.headers }
    assert.notEqual((await fetch(bursar.url + path, { redirect: 'manual', ...init, headers })).status, 429)
  })
}

test('an address that was refused still gets in with a key, with a session, and as a probe', async () => {
  const ip = newVisitor()
  const refused = (await hammer('/docs', ip)).filter(answer => answer.status === 429)
  assert.ok(refused.length > 0)
  const via = { 'x-forwarded-for': ip, 'x-forwarded-proto': 'https' }
  assert.equal((await new Client(bursar.url, DEMO).get(`${PAY}/orders/order_1`, via)).status, 404)
  assert.equal((await fetch(`${bursar.url}/readyz`, { headers: via })).status, 200)
  const person = await createPerson(bursar, { email: 'a@example.in', institute: 'demo-school' })
  assert.equal((await person.send('GET', '/console/api/session', undefined, via)).status, 200)
})
