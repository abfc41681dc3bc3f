import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Account, serveAccounts } from '../../emulators/accounts.ts'
import { startCashfree } from '../../emulators/cashfree/emulator.ts'
import { payOrder } from '../../emulators/cashfree/orders.ts'
import { servePages } from '../../emulators/cashfree/pages.ts'
import { startServer } from '../../emulators/server.ts'
import { createCashfree } from '../../src/providers/cashfree/cashfree.client.ts'
import { waitFor } from '../harness/wait.ts'
import { order, orderId } from './cashfree/support.ts'

const KEYS = [
  { clientId: 'TEST10000000000000000001', clientSecret: 'first' },
  { clientId: 'TEST10000000000000000002', clientSecret: 'second' },
] as const

test('one emulator serves several accounts: each has its keys, its books, its pages and its callback address', async () => {
  const emulators = await Promise.all(KEYS.map(keys => startCashfree({ keys, pages: servePages })))
  const accounts = emulators.map(({ url, books }, index): Account => {
    const { clientId } = KEYS[index] ?? assert.fail()
    const owns: Account['owns'] = headers => headers['x-client-id'] === clientId
    return { name: `test ${index}`, settings: {}, url, outbox: books.outbox, owns }
  })
  const bursar = await startServer(() => ({ status: 200, body: {} }))
  const callbackUrl = `${bursar.url}/callbacks/cashfree`
  const front = await serveAccounts({ vendor: 'Cashfree', port: 0, callbackUrl, accounts })
  after(() => Promise.all([front, bursar, ...emulators].map(server => server.close())))
  const at = { environment: 'sandbox' as const, baseUrl: `${front.url}/pg` }
  const [, second] = KEYS.map(keys => createCashfree({ ...keys, ...at }))

  const { redirectUrl } = (await second?.start(order)) ?? assert.fail()
  assert.deepEqual(
    emulators.map(({ books }) => books.orders.size),
    [0, 1],
  )
  assert.ok(redirectUrl.startsWith(front.url))
  assert.match(await (await fetch(redirectUrl)).text(), /Let the payment fail/)
  const form = new URLSearchParams({ account: 'test 1', url: `${callbackUrl}/pa_2` })
  await fetch(`${front.url}/callback`, { method: 'POST', body: form })
  payOrder(emulators[1]?.books ?? assert.fail(), orderId)
  await waitFor(async () => bursar.seen.length > 0, 'the event')
  assert.equal(bursar.seen[0]?.path, '/callbacks/cashfree/pa_2')
  const wrong = createCashfree({ ...KEYS[0], ...at, clientSecret: 'x' })
  await assert.rejects(wrong.start(order), /configured key/)
})
