import assert from 'node:assert/strict'
import { after, test, type TestContext } from 'node:test'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import {
  archiveProblem,
  linesPath,
  listArchives,
  type Manifest,
  verifyArchives,
  writeArchive,
} from '../../../src/platform/retention/retention.ts'
import { Vault } from '../../../src/platform/secrets.ts'
import { startBursar } from '../../harness/bursar.ts'
import { temporaryFolder } from './support.ts'

const bursar = await startBursar({ after })
const { db, vault } = bursar.app.ctx
const MONTH = { table: 'api_requests', name: 'api_requests_2020_01', month: '2020_01', mustBeArchived: false }
const [DATA, MANIFEST] = ['2020-01.jsonl.gz.sealed', '2020-01.json']

/** A month of so many rows that has left its log, and a folder for it. */
async function retired(t: TestContext, rows: number) {
  await bursar.sql(`create table retired.${MONTH.name} (like api_requests including all)`)
  await bursar.sql(
    `insert into retired.${MONTH.name} select 1 + n % 2, 'req_' || n, now(), 'GET', '/x', 200, null, 1.5, 'k' from generate_series(1, $1) n`,
    [rows],
  )
  t.after(async () => void (await bursar.sql(`drop table retired.${MONTH.name}`)))
  const folder = await temporaryFolder(t)
  const files = async (): Promise<string[]> => (await readdir(join(folder, MONTH.table))).sort()
  const write = (isStopping = () => false): Promise<Manifest | null> =>
    writeArchive(db, MONTH, { folder, vault, isStopping })
  return { folder, files, write, path: (name: string) => join(folder, MONTH.table, name) }
}

test('whatever a killed process left behind, the month is archived once and whole', async t => {
  const { folder, files, write, path } = await retired(t, 4_500)
  const first = await write()
  assert.deepEqual([first?.rows, first?.first_id, first?.last_id], [4_500, 'req_1', 'req_999'])
  assert.deepEqual(await write(), first, 'killed before the month was dropped')
  await rm(path(MANIFEST))
  await writeFile(path(DATA), 'half of it')
  await writeFile(path(`${DATA}.partial`), 'a beginning')
  const again = await write()
  const { rows, lines_hmac } = again!
  assert.deepEqual([rows, lines_hmac], [4_500, first?.lines_hmac], 'killed before its manifest')
  assert.deepEqual(await files(), [MANIFEST, DATA])
  assert.deepEqual(await listArchives(folder), [again])
  assert.equal(await archiveProblem(folder, again!, vault), null)
})

test('a file without a manifest is named by verify, unless it may be the one that is being written', async t => {
  const { folder, write, path } = await retired(t, 3)
  await write()
  await rm(path(MANIFEST))
  assert.deepEqual(await verifyArchives(folder, vault), { files: 0, rows: 0, problems: [] })
  const { files, rows, problems } = await verifyArchives(folder, vault, new Date(Date.now() + 61_000))
  assert.deepEqual([files, rows, problems.length], [1, 0, 1])
  assert.match(problems[0] ?? '', /2020-01\.jsonl\.gz\.sealed has no manifest/)
})

test('other rows of a month that is archived already never replace it', async t => {
  const { folder, files, write } = await retired(t, 3)
  await write()
  await bursar.sql(`delete from retired.${MONTH.name} where id = 'req_2'`)
  assert.equal((await write())?.file, '2020-01.2.jsonl.gz.sealed')
  assert.deepEqual(
    (await listArchives(folder)).map(({ rows }) => rows),
    [2, 3],
  )
  assert.equal((await files()).length, 4)
})

test('an archive that was damaged, cut off or lost is told from a whole one, and is written anew', async t => {
  const { folder, write } = await retired(t, 2_000)
  const manifest = await write()
  assert.ok(manifest !== null)
  const path = linesPath(folder, manifest)
  const whole = await readFile(path)
  const flipped = Buffer.from(whole)
  flipped.writeUInt8(flipped.readUInt8(300) ^ 1, 300)
  for (const [content, problem] of [
    [flipped, /is damaged/],
    [whole.subarray(0, -100), /cut short/],
    [Buffer.alloc(0), /is not a file that Bursar sealed/],
    [gzipSync('{"id":"req_1"}\n'), /is not encrypted/],
  ] as const) {
    await writeFile(path, content)
    assert.match((await archiveProblem(folder, manifest, vault)) ?? '', problem)
  }
  const second = await write()
  assert.ok(second !== null)
  assert.equal(await archiveProblem(folder, second, vault), null)
  await rm(path)
  assert.match((await archiveProblem(folder, manifest, vault)) ?? '', /ENOENT/)
})

test('without the master key an archive tells its month, its columns and how many rows there are, and nothing of them', async t => {
  const { folder, write, path } = await retired(t, 3)
  const manifest = await write()
  assert.ok(manifest !== null)
  const sealed = await readFile(path(DATA))
  assert.throws(() => gunzipSync(sealed), /incorrect header check/)
  const texts = `${sealed.toString('latin1')}${await readFile(path(MANIFEST), 'utf8')}`
  assert.doesNotMatch(texts, /GET|"\/x"/)
  const other = new Vault(Buffer.alloc(32, 8))
  assert.match((await archiveProblem(folder, manifest, other)) ?? '', /made under another master key/)
  const moved = { ...manifest, month: '2020-02' }
  assert.match((await archiveProblem(folder, moved, vault)) ?? '', /put together from other parts/)
})

test('a process that stops leaves no half of a month, and a month without rows no files', async t => {
  const { files, write } = await retired(t, 3)
  await assert.rejects(
    write(() => true),
    /stopping/,
  )
  assert.deepEqual(await files(), [])
  await bursar.sql(`delete from retired.${MONTH.name}`)
  assert.equal(await write(), null)
  assert.deepEqual(await files(), [])
})
