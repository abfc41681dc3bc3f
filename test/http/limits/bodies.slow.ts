import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, afterEach, test } from 'node:test'
import { BODIES, JSON_BODY } from '../../../src/platform/limits.rules.ts'
import { startBursar } from '../../harness/bursar.ts'
import { DEMO } from '../../harness/client.ts'
import { PAY, sampleOrder } from '../../harness/samples.ts'
import { waitFor } from '../../harness/wait.ts'

const bursar = await startBursar({ after }, { TRUST_PROXY: '127.0.0.1' })
const { bodies } = bursar.app
const { hostname, port } = new URL(bursar.url)
const CALLBACK = '/callbacks/sandbox'
const ORDERS = `${PAY}/orders`
const KEY = { authorization: `Basic ${Buffer.from(`${DEMO.key}:${DEMO.secret}`).toString('base64')}` }
const open: Socket[] = []

afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy()
  await waitFor(async () => bodies.bytes === 0, 'the bodies to be forgotten')
})

/** Sends all of a body but its last byte, and then nothing; answers how it can be told that it was refused. */
function leaveHalfSaid(path: string, headers: Record<string, string>): { status: string } {
  const socket = connect(Number(port), hostname)
  const refused = { status: '' }
  socket.on('data', part => (refused.status ||= part.toString().slice(9, 12))).on('error', () => {})
  const all = { host: `${hostname}:${port}`, 'content-length': JSON_BODY.bytes, ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  socket.write(Buffer.alloc(JSON_BODY.bytes - 1, ' '))
  open.push(socket)
  return refused
}

const from = (network: string): Record<string, string> => ({ 'x-forwarded-for': network })

/** As long as a body may be. */
function longOrder(): string {
  const bare = JSON.stringify(sampleOrder({ padding: '' })).length
  return JSON.stringify(sampleOrder({ padding: 'x'.repeat(JSON_BODY.bytes - bare) }))
}

async function sendsCallback(network: string): Promise<void> {
  const answer = await fetch(bursar.url + CALLBACK, { method: 'POST', body: '{}', headers: from(network) })
  assert.ok([200, 400, 401].includes(answer.status), String(answer.status))
}

for (const [who, path, headers] of [
  ['a network', CALLBACK, from('203.0.113.7')],
  ['a key', ORDERS, KEY],
] as const)
  test(`${who} that leaves very many bodies half said holds no more than its share, and loses the oldest`, async () => {
    const count = (2 * BODIES.perSender) / JSON_BODY.bytes
    const first = leaveHalfSaid(path, headers)
    await waitFor(async () => bodies.bytes > 0, 'the first body')
    for (let no = 1; no < count; no++) leaveHalfSaid(path, headers)
    await waitFor(async () => first.status !== '', 'the oldest to be refused')
    assert.equal(first.status, '429')
    assert.ok(bodies.bytes <= BODIES.perSender)
    await sendsCallback('203.0.113.7')
    assert.equal((await bursar.demo.send('POST', ORDERS, longOrder())).status, 201)
    assert.ok(bodies.bytes > BODIES.perSender / 2)
  })

test('very many networks together hold no more than there is for all, and a small body of anybody is read', async () => {
  const networks = BODIES.inAll / BODIES.perSender + 2
  const left: { status: string }[] = []
  for (let network = 1; network <= networks; network++)
    for (let no = 1; no < BODIES.perSender / JSON_BODY.bytes; no++)
      left.push(leaveHalfSaid(CALLBACK, from(`203.0.113.${network}`)))
  await waitFor(async () => left.some(({ status }) => status !== ''), 'some to be refused')
  assert.ok(left.every(({ status }) => ['', '503'].includes(status)))
  await sendsCallback('198.51.100.1')
  assert.equal((await bursar.demo.send('POST', ORDERS, longOrder())).status, 201)
  assert.ok(bodies.bytes <= BODIES.inAll)
})

test('a body in many small parts counts what the parts cost', async () => {
  const socket = connect(Number(port), hostname)
  open.push(socket.setNoDelay(true))
  socket.write(`POST ${CALLBACK} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ntransfer-encoding: chunked\r\n\r\n`)
  socket.write('1\r\n \r\n'.repeat(1_000))
  await waitFor(async () => bodies.bytes > 100_000, 'a thousand parts of a byte')
})

test('a body is forgotten once it is answered', async () => {
  assert.equal((await bursar.demo.send('POST', ORDERS, longOrder())).status, 201)
  await waitFor(async () => bodies.bytes === 0, 'the end of the request')
})
