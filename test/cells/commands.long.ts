import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { ask, run, start, type Env } from '../cli/command-line.ts'
import { emptyDatabase } from '../harness/postgres/databases.ts'
import { TEST_MASTER_KEY } from '../harness/bursar.ts'
import { waitFor } from '../harness/wait.ts'

test('an operator makes two cells of empty databases, places schools and publishes where they are', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-maps-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const south = await emptyDatabase(t)
  const common = { MASTER_KEY: TEST_MASTER_KEY, DEMO: 'off', CELL_MAPS: folder, SOUTH: south }
  const env: Env = { ...common, DATABASE_URL: await emptyDatabase(t) }
  const northOf = ['cells', 'add', 'north', '--address', '10.1.0.11:8080', '--address', '10.1.0.12:8080']

  const tooEarly = await run(env, 'cells', 'add', 'south', '--address', 'b:1', '--database-env', 'SOUTH')
  assert.equal(tooEarly.code, 1)
  assert.match(tooEarly.err, /The first cell is the one of DATABASE_URL/)
  assert.equal((await ask(env, ...northOf)).first_institute_id, 1)
  const unnamed = await run(env, 'cells', 'add', 'south', '--address', 'b:1')
  assert.match(unnamed.err, /DATABASE_URL is the cell north: name the database of south by --database-env/)
  const added = await ask(env, 'cells', 'add', 'south', '--address', 'b:8080', '--database-env', 'SOUTH')
  assert.deepEqual(added, {
    name: 'south',
    state: 'open',
    addresses: ['b:8080'],
    first_institute_id: 1_000_001,
  })

  await ask(env, 'cells', 'drain', 'north')
  const placed = await ask(env, 'cells', 'place', 'green-park', '--name', 'Green Park School')
  assert.deepEqual(placed, { code: 'green-park', cell: 'south' })
  const key = await ask({ ...common, DATABASE_URL: south }, 'keys', 'create', 'green-park')
  // Only DATABASE_URL says which cell it is.
  const inSouth = { ...common, DATABASE_URL: south, PUBLIC_URL: 'http://fees.example' }
  const operator = await run(inSouth, 'users', 'create', 'op@example.in', '--name', 'Op', '--operator')
  assert.match(operator.out, /\/console\/join\/\S+\?at=@south$/m, operator.err)
  const synced = await ask(env, 'cells', 'sync')
  assert.deepEqual([synced.changed, synced.problems], [true, []])
  const mapOf = (name: string): string => readFileSync(join(folder, `${name}.map`), 'utf8')
  assert.match(mapOf('schools'), /^green-park south$/m)
  assert.match(mapOf('schools'), /^demo-school north$/m)
  assert.match(mapOf('ids'), /^1000001 south$/m)
  assert.match(mapOf('keys'), new RegExp(`^${key.key_id} south$`, 'm'))
  assert.match(readFileSync(join(folder, 'cells.cfg'), 'utf8'), /server north-2 10.1.0.12:8080/)

  const [north, second] = await ask(env, 'cells', 'status')
  assert.deepEqual([north.state, north.is_away, north.payments_today], ['draining', false, 0])
  assert.deepEqual([second.schools, second.students, second.is_away], [1, 0, false])
  assert.match((await run(env, 'cells', 'status')).out, /^south +open +1 +0 +0 /m)
  assert.match(
    (await run(env, 'cells', 'list')).out,
    /^north +draining +1 +10\.1\.0\.11:8080, 10\.1\.0\.12:8080$/m,
  )
  const refused = await run(env, 'cells', 'remove', 'south')
  assert.match(refused.err, /south still has 1 schools/)

  await t.test(
    'a watch publishes a key about a second after it was made, and ends when it is told to',
    async () => {
      const watch = start(env, 'src/cli/main.ts', 'cells', 'sync', '--watch')
      const said = text(watch.stdout)
      const later = await ask({ ...common, DATABASE_URL: south }, 'keys', 'create', 'green-park')
      await waitFor(async () => mapOf('keys').includes(`${later.key_id} south`), 'the new key in its map')
      watch.kill('SIGTERM')
      if (watch.exitCode === null) await once(watch, 'exit')
      assert.equal(watch.exitCode, 0)
      assert.match(await said, /1 keys and accounts are new or moved/)
      assert.equal(existsSync(join(folder, `keys.map.${watch.pid}.new`)), false)
    },
  )
})
