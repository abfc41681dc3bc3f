import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ask, run, type Env } from '../../cli/command-line.ts'
import { TEST_MASTER_KEY } from '../../harness/bursar.ts'
import { startTwoCells } from './two-cells.ts'

test('an operator moves a school by one command, and directory and maps follow it', async t => {
  const { north, south } = await startTwoCells(t)
  const folder = mkdtempSync(join(tmpdir(), 'bursar-maps-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const env: Env = {
    MASTER_KEY: TEST_MASTER_KEY,
    DEMO: 'off',
    CELL_MAPS: folder,
    DATABASE_URL: north.address,
    SOUTH: south.address,
  }
  await ask(env, 'cells', 'add', 'north', '--address', '127.0.0.1:8080')
  await ask(env, 'cells', 'add', 'south', '--address', '127.0.0.1:8081', '--database-env', 'SOUTH')
  await ask(env, 'cells', 'sync')
  const mapOf = (name: string): string => readFileSync(join(folder, `${name}.map`), 'utf8')
  assert.match(mapOf('schools'), /^demo-school north$/m)
  assert.match(mapOf('keys'), /^key_test_demo north$/m)

  assert.match((await run(env, 'cells', 'move', 'nobody', '--to', 'south')).err, /The school nobody/)
  assert.match(
    (await run(env, 'cells', 'move', 'demo-school', '--to', 'north')).err,
    /lives in north already/,
  )
  assert.match((await run(env, 'cells', 'move', 'demo-school', '--to', 'east')).err, /The cell east/)

  const moved = await ask(env, 'cells', 'move', 'demo-school', '--to', 'south', '--longest-pause', '30')
  assert.deepEqual([moved.from, moved.to, moved.direction], ['north', 'south', 'forward'])
  assert.ok(moved.rows > 0)
  assert.match(mapOf('schools'), /^demo-school south$/m)
  assert.match(mapOf('keys'), /^key_test_demo south$/m)
  const codes = 'select code from institutes where code = $1'
  assert.deepEqual(await north.sql(codes, ['demo-school']), [])
  assert.deepEqual(await south.sql(codes, ['demo-school']), [{ code: 'demo-school' }])

  assert.deepEqual(await ask(env, 'cells', 'forget'), [])
  const [forgotten] = await ask(env, 'cells', 'forget', 'demo-school')
  assert.equal(forgotten.code, 'demo-school')
})
