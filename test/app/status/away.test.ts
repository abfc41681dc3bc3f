import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBursar } from '../../../src/app/bursar.ts'
import { readConfig } from '../../../src/app/config.ts'
import { createLog } from '../../../src/platform/log.ts'
import { TEST_MASTER_KEY } from '../../harness/bursar.ts'
import { startPostgresProxy } from '../../harness/postgres/postgres-proxy.ts'
import { cloneDatabase } from '../../harness/postgres/databases.ts'

test('/metrics answers while the database is silent, without the figures that are read from it', async t => {
  const database = new URL(await cloneDatabase(t))
  const proxy = await startPostgresProxy(database)
  t.after(() => proxy.close())
  database.searchParams.set('host', proxy.host)
  const env = { PORT: '0', DATABASE_URL: database.href, MASTER_KEY: TEST_MASTER_KEY, BURSAR_ROLE: 'api' }
  const app = await createBursar(readConfig(env), createLog({ level: 'silent', format: 'json' }))
  t.after(() => app.stop())
  const read = async (): Promise<string> => {
    // What Prometheus waits for, unless told otherwise.
    const answer = await fetch(`${app.config.publicUrl}/metrics`, { signal: AbortSignal.timeout(10_000) })
    return answer.text()
  }
  const figures = [/^bursar_due_rows\{/m, /^bursar_job_oldest_due_seconds\{/m]
  const before = await read()
  for (const figure of figures) assert.match(before, figure)
  proxy.fallSilent()
  const silent = await read()
  for (const figure of figures) assert.doesNotMatch(silent, figure)
  assert.match(silent, /^bursar_db_connections\{state="total"\} \d+$/m)
})
