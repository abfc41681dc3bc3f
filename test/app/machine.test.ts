import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Fastify from 'fastify'
import { Machine, machineWarnings } from '../../src/app/machine.ts'
import { addHealthRoutes, createMetrics } from '../../src/http/metrics.ts'
import { startBursar } from '../harness/bursar.ts'

const bursar = await startBursar({ after })
const { ctx, worker } = bursar.app

test('a clock that is off and a disk that is almost full are said, and nothing else is', () => {
  const disk = { freeBytes: 5e10, totalBytes: 1e11, isAlmostFull: false }
  assert.deepEqual(machineWarnings({ skewMs: null, disk: null }), [])
  assert.deepEqual(machineWarnings({ skewMs: -900, disk }), [])
  assert.deepEqual(machineWarnings({ skewMs: -4_200, disk: null }), [
    "The clock of this machine is 4.2 s behind the database's.",
  ])
  assert.deepEqual(machineWarnings({ skewMs: null, disk: { ...disk, freeBytes: 4e8, isAlmostFull: true } }), [
    'The disk of DATA_DIR is almost full: 0.4 GB are free.',
  ])
})

test('a clock that is off shows in /readyz, in the log once, and in the figures, until it is right again', async t => {
  let aheadMs = 5_000
  const lines: string[] = []
  const log = {
    warn: (_: object, text: string) => lines.push(text),
    info: (text: string) => lines.push(text),
  } as never
  const config = { dataDir: '/', databaseUrl: 'postgres://elsewhere/db' }
  const machine = new Machine(ctx.db, config, log, () => Date.now() + aheadMs)
  const app = Fastify()
  t.after(() => app.close())
  const metrics = createMetrics(ctx.db, worker)
  const readiness = { isDraining: false, warnings: () => machine.warnings }
  addHealthRoutes(app, { ctx, readiness, metrics, metricsToken: null })
  const ready = async (): Promise<unknown> => (await app.inject('/readyz')).json().data
  assert.equal(await ready(), undefined)
  await machine.look()
  await machine.look()
  assert.match(JSON.stringify(await ready()), /is 5\.\d s ahead of the database's/)
  const [skew] = machine.figures()
  assert.ok(((await skew?.read())?.get('') ?? 0) > 4)
  assert.deepEqual(lines, ['this machine needs attention'])
  aheadMs = 0
  await machine.look()
  assert.equal(await ready(), undefined)
  assert.deepEqual(lines, ['this machine needs attention', 'this machine is well again'])
})

test('a process tells how far its clock is from the database’s', async () => {
  const text = await (await fetch(`${bursar.url}/metrics`)).text()
  assert.match(text, /^bursar_clock_skew_seconds -?\d/m)
  assert.doesNotMatch(text, /^bursar_disk_free_bytes \d/m)
})
