import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createInstitute } from '../../src/institutes/institutes.service.ts'
import { createKey } from '../../src/institutes/keys.service.ts'
import { CellConnections } from '../../src/cells/connections.ts'
import {
  addCell,
  drainCell,
  findSchool,
  listCells,
  placeSchool,
  readDatabaseUrl,
  removeCell,
  setCellOf,
  syncDirectory,
} from '../../src/cells/directory.service.ts'
import { type Proxies, publishRoutes, routeSchool, syncOnce } from '../../src/cells/maps.service.ts'
import type { Database } from '../../src/platform/db/database.ts'
import { examineCells, findRoom, readCells } from '../../src/cells/status.service.ts'
import { cloneDatabase, emptyDatabase } from '../harness/postgres/databases.ts'
import { ERP, sampleStudent } from '../harness/samples.ts'
import { startBursar } from '../harness/bursar.ts'
import { waitFor } from '../harness/wait.ts'
import { startAdminSocket } from './admin-socket.ts'
import { startCells } from './support.ts'

const NEW = { name: 'A school', strictCatalogue: false, branches: [{ collectorCode: 'MAIN', name: 'Main' }] }

test('a school, key and account of every cell are in the directory after a look, with ids of two ranges', async t => {
  const { north, south, connections } = await startCells(t)
  const { ctx } = north.app
  const first = await syncDirectory(ctx, connections)
  assert.deepEqual(first.away, [])
  assert.equal((await findSchool(ctx, 'demo-school'))?.cell, 'north')
  const made = await createInstitute(south.app.ctx, { ...NEW, code: 'green-park' })
  assert.equal(made.id, 1_000_001)
  const { keyId } = await createKey(south.app.ctx, 'green-park', { label: 'ERP', scopes: ['read'] })
  const { changes } = await syncDirectory(ctx, connections)
  assert.deepEqual(changes.schools, [{ id: made.id, code: 'green-park', cell: 'south' }])
  assert.deepEqual(changes.routes, [{ kind: 'key', value: keyId, schoolId: made.id }])
  assert.equal((await syncDirectory(ctx, connections)).isChanged, false)
})

test('a new school goes where the fewest students are, and not into a cell that drains', async t => {
  const { north, connections } = await startCells(t)
  const { ctx } = north.app
  await north.demo.post(`${ERP}/users/parent/students`, { student: sampleStudent() })
  assert.equal(await findRoom(ctx, connections), 'south')
  const placed = await placeSchool(ctx, connections, { ...NEW, code: 'green-park', cell: 'south' })
  assert.equal(placed.id, 1_000_001)
  assert.equal((await findSchool(ctx, 'green-park'))?.cell, 'south')
  await assert.rejects(
    placeSchool(ctx, connections, { ...NEW, code: 'green-park', cell: 'north' }),
    /already a school green-park, in the cell south/,
  )
  await drainCell(ctx, 'south', true)
  assert.equal(await findRoom(ctx, connections), 'north')
  await assert.rejects(removeCell(ctx, 'south'), /still has 1 schools/)
  await drainCell(ctx, 'south', false)
  assert.equal(await findRoom(ctx, connections), 'south')
})

test('a cell that is away is shown as such, keeps its routes and gets no new school', async t => {
  const bursar = await startBursar(t)
  const { ctx, config } = bursar.app
  const database = await emptyDatabase(t)
  await addCell(ctx, { name: 'north', addresses: ['127.0.0.1:1'], databaseUrl: config.databaseUrl ?? '' })
  await addCell(ctx, { name: 'south', addresses: ['127.0.0.1:2'], databaseUrl: database })
  const connections = new CellConnections(ctx)
  t.after(() => connections.close())
  await placeSchool(ctx, connections, { ...NEW, code: 'green-park', cell: 'south' })
  const away = 'postgres://bursar@127.0.0.1:1/nothing'
  await ctx.db.query('update cells set database_url_sealed = $1 where name = $2', [
    ctx.vault.seal(away, 'database of the cell south'),
    'south',
  ])
  const { away: found, changes } = await syncDirectory(ctx, connections)
  assert.deepEqual(
    found.map(({ cell }) => cell),
    ['south'],
  )
  assert.deepEqual(changes.missing, [])
  assert.equal((await findSchool(ctx, 'green-park'))?.cell, 'south')
  assert.equal(await readDatabaseUrl(ctx, 'south'), away)
  const [first, second] = await readCells(ctx, connections)
  assert.equal(first?.isAway, false)
  assert.match(second?.isAway === true ? second.reason : '', /ECONNREFUSED/)
  assert.equal(await findRoom(ctx, connections), 'north')
})

test('a school is routed where it was moved to, whatever was read of the cells before', async t => {
  const { north, south, connections } = await startCells(t)
  const { ctx } = north.app
  await createInstitute(south.app.ctx, { ...NEW, code: 'green-park' })
  await syncDirectory(ctx, connections)
  await setCellOf(ctx, { instituteId: 1_000_001, cell: 'north' })
  assert.equal((await findSchool(ctx, 'green-park'))?.cell, 'north')
  // Its row is in south all the same, so that is where it lives.
  await syncDirectory(ctx, connections)
  assert.equal((await findSchool(ctx, 'green-park'))?.cell, 'south')
  await assert.rejects(setCellOf(ctx, { instituteId: 77, cell: 'north' }), /was not found/)
})

test('a look that read the directory before a school moved does not send its callers back to the old cell', async t => {
  const { north, south, connections } = await startCells(t)
  const { ctx } = north.app
  const { id } = await createInstitute(south.app.ctx, { ...NEW, code: 'green-park' })
  await syncDirectory(ctx, connections)
  const proxy = await startAdminSocket(t)
  const proxies = { sockets: [proxy.path] }
  const { isAsked, letGo } = proxy.holdNext()
  const late = publishRoutes(ctx, proxies)
  await isAsked
  await setCellOf(ctx, { instituteId: id, cell: 'north' })
  const moved = publishRoutes(ctx, proxies)
  // Either the move waits for the look, or it is done before the look goes on.
  await Promise.race([moved, waitFor(() => isHeldFor(ctx.db), 'the move to wait')])
  letGo()
  await Promise.all([late, moved])
  assert.equal(proxy.cellOf('schools', 'green-park'), 'north')
  assert.equal(proxy.cellOf('ids', String(id)), 'north')
})

test('the callers of a school that has moved are sent to its new cell, and of no other school', async t => {
  const { ctx } = (await startBursar(t)).app
  const proxy = await startAdminSocket(t)
  const routes = [{ kind: 'key', value: 'key_live_1', schoolId: 7 } as const]
  const moved = { schools: [{ id: 7, code: 'green-park', cell: 'south' }], routes }
  await routeSchool(ctx, moved, { sockets: [proxy.path, `${proxy.path}-of-one-that-is-away`] })
  assert.deepEqual(
    [
      proxy.cellOf('schools', 'green-park'),
      proxy.cellOf('ids', '7'),
      proxy.cellOf('keys', 'key_live_1'),
      proxy.cellOf('schools', '@south'),
    ],
    ['south', 'south', 'south', undefined],
  )
})

const isHeldFor = async ({ semaphore }: Database): Promise<boolean> => semaphore.waitingFor('cell maps') > 0

test('a database becomes a cell only if its ids, mode and master key fit, and once', async t => {
  const bursar = await startBursar(t)
  const { ctx, config } = bursar.app
  const own = { name: 'north', addresses: ['127.0.0.1:1'], databaseUrl: config.databaseUrl ?? '' }
  await addCell(ctx, own)
  await addCell(ctx, { ...own, addresses: ['127.0.0.1:2'] })
  assert.deepEqual(await listCells(ctx), [
    { name: 'north', addresses: ['127.0.0.1:2'], firstInstituteId: 1, isDraining: false },
  ])
  await assert.rejects(addCell(ctx, { ...own, name: 'south' }), /is the cell north already/)
  // Its demo schools have the ids of ours.
  const seeded = await cloneDatabase(t)
  await assert.rejects(
    addCell(ctx, { ...own, name: 'south', databaseUrl: seeded }),
    /Begin a cell with an empty/,
  )
  const other = await emptyDatabase(t)
  const live = { ...ctx, mode: 'live' } as const
  await addCell(live, { ...own, name: 'west', databaseUrl: other })
  await assert.rejects(addCell(ctx, { ...own, name: 'west', databaseUrl: other }), /is not a sandbox one/)
})

test('an id is given once: neither a cell that is added again nor one after a removed cell gives it a second time', async t => {
  const { north, south, connections } = await startCells(t)
  const { ctx } = north.app
  const place = (code: string) => placeSchool(ctx, connections, { ...NEW, code, cell: 'south' })
  const { id: first } = await place('green-park')
  // It has moved away: neither the cell nor the sequence of another knows it any more.
  await south.sql('delete from branches where institute_id = $1', [first])
  await south.sql('delete from institutes where id = $1', [first])
  await setCellOf(ctx, { instituteId: first, cell: 'north' })
  const databaseUrl = await readDatabaseUrl(ctx, 'south')
  await addCell(ctx, { name: 'south', addresses: ['elsewhere:1'], databaseUrl })
  assert.equal((await place('blue-park')).id, first + 1)
  const west = await addCell(ctx, {
    name: 'west',
    addresses: ['west:1'],
    databaseUrl: await emptyDatabase(t),
  })
  await removeCell(ctx, 'west')
  const east = await addCell(ctx, {
    name: 'east',
    addresses: ['east:1'],
    databaseUrl: await emptyDatabase(t),
  })
  assert.ok(east.firstInstituteId > west.firstInstituteId)
})

test('two schools of one code in two cells: the first stays routed, and the other is told of', async t => {
  const { north, south, connections } = await startCells(t)
  await createInstitute(south.app.ctx, { ...NEW, code: 'demo-school' })
  const { changes } = await syncDirectory(north.app.ctx, connections)
  assert.deepEqual(changes.conflicts, [
    { cell: 'south', what: 'school', value: 'demo-school', other: 'north' },
  ])
  assert.equal((await findSchool(north.app.ctx, 'demo-school'))?.cell, 'north')
})

test('the doctor sees whether cells, directory and maps agree', async t => {
  const { north, south, connections } = await startCells(t)
  const { ctx } = north.app
  const folder = await mkdtemp(join(tmpdir(), 'bursar-maps-'))
  t.after(() => rm(folder, { recursive: true }))
  const proxies = { folder, sockets: [] }
  await syncOnce(ctx, connections, proxies)
  const examine = (more: Partial<Proxies> = {}) =>
    examineCells(ctx, { cell: 'north', proxies: { ...proxies, ...more } })
  assert.deepEqual(await examine(), { cells: 2, problems: [] })
  await createInstitute(south.app.ctx, { ...NEW, code: 'green-park' })
  const { problems = [] } = (await examine()) ?? {}
  assert.match(problems.join(), /1 schools, keys and accounts are not as the cells have them/)
  await syncDirectory(ctx, connections)
  const after = (await examine({ sockets: [join(folder, 'no.sock')] }))?.problems.join()
  assert.match(
    after ?? '',
    /schools.map in .* is not as the directory.*The proxy at \S+no.sock: it did not take a command/,
  )
  // In another cell it knows which one it is, and nothing of the others.
  const examineAs = (cell: string | null) => examineCells(south.app.ctx, { cell, proxies })
  assert.deepEqual(await examineAs('south'), { cells: 0, problems: [] })
  assert.deepEqual((await examineAs('west'))?.problems, ['CELL is west, and this database is the cell south'])
  assert.deepEqual((await examineAs(null))?.problems, [
    'CELL is not set, and this database is the cell south',
  ])
  const { ctx: alone } = (await startBursar(t)).app
  assert.equal(await examineCells(alone, { cell: null, proxies }), null)
})
