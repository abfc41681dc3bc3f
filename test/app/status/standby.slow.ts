import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBursar } from '../../../src/app/bursar.ts'
import { readConfig } from '../../../src/app/config.ts'
import { createLog } from '../../../src/platform/log.ts'
import { run, type Env } from '../../cli/command-line.ts'
import { TEST_MASTER_KEY } from '../../harness/bursar.ts'
import { startPair } from '../../harness/postgres/standby.ts'

/** A process and the figures of its page. */
async function startApi(env: Env) {
  const config = readConfig({ ...env, PORT: '0', BURSAR_ROLE: 'api', DEMO: 'off' })
  const app = await createBursar(config, createLog({ level: 'silent', format: 'json' }))
  return {
    stop: () => app.stop(),
    readFigure: async (name: string): Promise<number> => {
      const page = await (await fetch(`${app.config.publicUrl}/metrics`)).text()
      return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(page)?.[1])
    },
  }
}

test('bursar status names the server that takes writes and how far its standbys are behind, also after a promotion', async t => {
  const { primary, standby } = await startPair(t)
  const env = {
    DATABASE_URL: `postgres://bursar@${standby.host},${primary.host}/bursar`,
    MASTER_KEY: TEST_MASTER_KEY,
  }
  assert.equal((await run(env, 'migrate')).code, 0)
  const before = JSON.parse((await run(env, 'status', '--json')).out)
  assert.equal(before.database.server, primary.host)
  const [seen, ...others] = before.database.standbys
  assert.deepEqual([seen.name, seen.is_synchronous, others.length], ['standby', true, 0])
  assert.ok(seen.lag_bytes >= 0 && seen.lag_seconds >= 0)
  const { readFigure, stop } = await startApi(env)
  assert.deepEqual(
    [await readFigure('bursar_standbys'), await readFigure('bursar_standbys_expected')],
    [1, 1],
  )
  await stop()
  assert.match((await run(env, 'status')).out, /standby standby, synchronous, \d+\.\d s and \d+ kB behind/)

  await primary.kill()
  const away = await run({ ...env, DATABASE_URL: `postgres://bursar@${primary.host}/bursar` }, 'status')
  assert.equal(away.code, 1)
  assert.match(away.out, /The database did not answer/)
  const begunMs = performance.now()
  const waiting = await run(env, 'status')
  assert.ok(performance.now() - begunMs < 8_000)
  const states = `${standby.host} is a standby that waits for its promotion; ${primary.host} does not answer`
  const said = new RegExp(`^No server takes writes: ${RegExp.escape(states)} \\(.*ECONNREFUSED.*\\)\\.$`)
  assert.equal(waiting.code, 1)
  assert.match(waiting.out.trim(), said)
  const doctor = await run(env, 'doctor')
  assert.equal(doctor.code, 1)
  assert.match(doctor.err.trim(), said)
  await standby.ask('select pg_promote()')
  const after = JSON.parse((await run(env, 'status', '--json')).out)
  assert.equal(after.database.server, standby.host)
  assert.deepEqual(after.database.standbys, [])
})
