import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createBursar } from '../../../src/app/bursar.ts'
import { readConfig } from '../../../src/app/config.ts'
import { createLog } from '../../../src/platform/log.ts'
import { TEST_MASTER_KEY } from '../../harness/bursar.ts'
import { cloneDatabase } from '../../harness/postgres/databases.ts'
import { startPostgresProxy } from '../../harness/postgres/postgres-proxy.ts'
import { PAY } from '../../harness/samples.ts'

test('a stop while the database is silent takes no longer than the drain and five seconds', async t => {
  const { app, goSilent } = await startBehindProxy(t)
  const { port } = app.config
  goSilent()
  const auth = `Basic ${Buffer.from('key_test_demo:secret_test_demo').toString('base64')}`
  const waiting = fetch(`http://127.0.0.1:${port}${PAY}/orders`, { headers: { authorization: auth } })
  waiting.catch(() => {})
  const startedMs = performance.now()
  await app.stop()
  const tookMs = performance.now() - startedMs
  assert.ok(tookMs < 5_000, `${Math.round(tookMs)} ms`)
})

async function startBehindProxy(t: TestContext) {
  const url = new URL(await cloneDatabase(t))
  const proxy = await startPostgresProxy(url)
  t.after(() => proxy.close())
  url.searchParams.set('host', proxy.host)
  const config = configFor(String(url))
  const app = await createBursar(config, createLog({ level: 'silent', format: 'json' }))
  return { app, goSilent: () => proxy.fallSilent() }
}

function configFor(url: string) {
  return readConfig({ PORT: '0', DATABASE_URL: url, MASTER_KEY: TEST_MASTER_KEY, DRAIN_SECONDS: '0' })
}
