import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { startRazorpay } from '../../emulators/razorpay/emulator.ts'
import { placeSchool } from '../../src/cells/directory.service.ts'
import { syncOnce, Watch } from '../../src/cells/maps.service.ts'
import { createKey } from '../../src/institutes/keys.service.ts'
import { Client } from '../harness/client.ts'
import { PAY } from '../harness/samples.ts'
import { waitFor } from '../harness/wait.ts'
import { prepareProxy, type TestProxy } from './proxy.ts'
import { startCells, type TestCells } from './support.ts'

export const SCHOOL = 'green-park'
export const KEYS = {
  keyId: 'rzp_test_MerchantG0001',
  keySecret: 'secret-of-merchant-g',
  webhookSecret: 'webhook-secret-of-g',
}

export type Service = TestCells & { proxy: TestProxy; watch: Watch; school: Client }

/** Demo School in the first cell, Green Park in the second, a proxy before both that started from files alone. */
export async function startService(t: TestContext): Promise<Service> {
  const proxy = await prepareProxy(t)
  const merchant = await startRazorpay({ keys: KEYS, now: () => new Date() })
  t.after(() => merchant.close())
  const env = { PUBLIC_URL: proxy.url, RAZORPAY_API_URL: merchant.url, TRUST_PROXY: '127.0.0.1' }
  const cells = await startCells(t, env)
  const { north, south, connections } = cells
  const branches = [{ collectorCode: 'MAIN', name: 'Main branch' }]
  const input = { code: SCHOOL, name: 'Green Park School', strictCatalogue: false, branches }
  await placeSchool(north.app.ctx, connections, { ...input, cell: 'south' })
  const school = await keyOf(cells, proxy)
  const proxies = { folder: proxy.maps, sockets: [proxy.socket] }
  await syncOnce(north.app.ctx, connections, { ...proxies, sockets: [] })
  await proxy.start()
  await waitFor(
    async () => (await school.get(`${PAY}/orders`)).status === 200,
    'the second cell at the proxy',
  )
  assert.equal((await south.sql('select 1 from institutes')).length, 1)
  return {
    ...cells,
    proxy,
    watch: new Watch(north.app.ctx, connections, proxies),
    school,
  }
}

export async function keyOf({ south }: TestCells, { url }: TestProxy): Promise<Client> {
  const { keyId, secret } = await createKey(south.app.ctx, SCHOOL, {
    label: 'ERP',
    scopes: ['read', 'write'],
  })
  return new Client(url, { key: keyId, secret })
}
