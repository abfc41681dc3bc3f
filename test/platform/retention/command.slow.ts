import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ask, run, scratch } from '../../cli/command-line.ts'
import { startBursar, TEST_MASTER_KEY } from '../../harness/bursar.ts'
import { addOlderMonths, countOf, idsAt, insertEvents, insertRequests, monthsFromNow } from './support.ts'

/** The verbs of `bursar archive` as processes, beside what status and doctor say of the same state. */
const bursar = await startBursar({ after })
/** All that another machine needs to read an archive. */
const KEY = { MASTER_KEY: TEST_MASTER_KEY }
const base = { DATABASE_URL: bursar.app.config.databaseUrl ?? '', ...KEY }

/** Each test keeps less than the one before it, so that one month more is past its time. */
function keeping(months: number) {
  const at = monthsFromNow(-months - 1)
  const KEEP = String(months)
  return {
    at,
    month: at.toISOString().slice(0, 7),
    env: { ...base, KEEP_EVENTS_MONTHS: KEEP, KEEP_REQUESTS_MONTHS: KEEP },
  }
}

before(async () => {
  await addOlderMonths(bursar, { table: 'events', prefix: 'evt' }, 42)
  await addOlderMonths(bursar, { table: 'api_requests', prefix: 'req' }, 42)
})

const problemsOf = async (more: Record<string, string> = {}): Promise<string> =>
  JSON.parse((await run({ ...base, ...more }, 'status', '--json')).out).problems.join('\n')

const archiveFinding = async (more: Record<string, string>): Promise<{ verdict: string; text: string }> =>
  JSON.parse((await run({ ...base, ...more }, 'doctor', '--json')).out).findings.find(
    ({ subject }: { subject: string }) => subject === 'Archive',
  )

test('what leaves the database is listed, whole, and read back row for row', async t => {
  const { env, at, month } = keeping(40)
  const folder = join(scratch(t), 'archive')
  const ARCHIVE_DIR = folder
  await insertEvents(bursar, idsAt('evt', at, 3_000))
  await bursar.sql(
    `insert into api_requests select 1, id, now(), 'GET', $2, 200, null, 1.5, 'k' from unnest($1::text[]) id`,
    [idsAt('req', at, 1), '/a "quoted" \\ path'],
  )
  const none = await run({ ...env, ARCHIVE_DIR }, 'archive', 'list')
  assert.equal(none.code, 1)
  assert.match(none.err, /does not exist, so there is no archive yet/)
  assert.equal((await archiveFinding({ ARCHIVE_DIR })).text, `old months of logs go to ${folder}`)

  const ran = await run({ ...env, ARCHIVE_DIR }, 'archive', 'run')
  assert.equal(ran.code, 0, ran.err)
  assert.match(
    ran.out,
    new RegExp(`^events ${month.replace('-', '_')}: 3000 rows in ${folder}/events/${month}`, 'm'),
  )
  assert.match(ran.out, /^They are encrypted: keep the master key, apart from them/m)
  assert.match((await run({ ...env, ARCHIVE_DIR }, 'archive', 'run')).out, /^No month is past its time\.$/m)
  const listed = await ask({}, 'archive', 'list', '--dir', folder)
  assert.deepEqual(
    listed.map(({ table, month, rows }: { table: string; month: string; rows: number }) => [
      table,
      month,
      rows,
    ]),
    [
      ['api_requests', month, 1],
      ['events', month, 3_000],
    ],
  )
  assert.deepEqual(await ask(KEY, 'archive', 'verify', '--dir', folder), { files: 2, rows: 3_001 })
  for (const [key, problem] of [
    [{ DATA_DIR: folder }, /Archives are encrypted: set MASTER_KEY/],
    [{ MASTER_KEY: '33'.repeat(32) }, /made under another master key/],
  ] as const)
    for (const verb of [['verify'], ['read', 'events', month]]) {
      const unread = await run(key, 'archive', ...verb, '--dir', folder)
      assert.deepEqual([unread.code, unread.out], [1, ''])
      assert.match(unread.err, problem)
    }
  const read = await run({ ...KEY, ARCHIVE_DIR }, 'archive', 'read', 'events', month)
  const ids = read.out
    .trim()
    .split('\n')
    .map(line => (JSON.parse(line) as { id: string }).id)
  assert.deepEqual(ids, idsAt('evt', at, 3_000))
  const [wanted = ''] = idsAt('evt', at, 1)
  const one = await run(
    { ...KEY, ARCHIVE_DIR },
    'archive',
    'read',
    'events',
    month,
    '--where',
    `id=${wanted}`,
  )
  assert.equal(one.out.split('\n').length, 2)
  const where = 'route=/a "quoted" \\ path'
  const quoted = await run(
    { ...KEY, ARCHIVE_DIR },
    'archive',
    'read',
    'api_requests',
    month,
    '--where',
    where,
  )
  assert.equal(quoted.out.split('\n').length, 2)
})

test('a damaged file is named by verify, which goes on with the others, and reading it fails', async t => {
  const { env, at, month } = keeping(30)
  const folder = scratch(t)
  await insertEvents(bursar, idsAt('evt', at, 500))
  await insertRequests(bursar, idsAt('req', at, 500))
  assert.equal((await run({ ...env, ARCHIVE_DIR: folder }, 'archive', 'run')).code, 0)
  const rows = join(folder, 'events', `${month}.jsonl.gz.sealed`)
  const whole = await readFile(rows)
  await writeFile(rows, whole.subarray(0, whole.length / 2))
  await writeFile(join(folder, 'api_requests', `${month}.json`), '{"format":')
  const listed = await run({}, 'archive', 'list', '--dir', folder)
  assert.equal(listed.code, 1)
  assert.match(listed.err, /api_requests\/.*\.json is not a manifest/)
  assert.match(listed.out, new RegExp(`^events +${month} +500 `, 'm'))
  const verified = await run(KEY, 'archive', 'verify', '--dir', folder)
  assert.equal(verified.code, 1)
  assert.match(verified.err, /api_requests\/.*\.json is not a manifest/)
  assert.match(verified.err, /events\/.*\.sealed is damaged, cut short/)
  assert.match(verified.err, /2 of 2 files are not whole/)
  const broken = await run(KEY, 'archive', 'read', 'api_requests', month, '--dir', folder)
  assert.match(broken.err, /api_requests\/.*\.json is not a manifest/)
  const cut = await run(KEY, 'archive', 'read', 'events', month, '--dir', folder)
  assert.equal(cut.code, 1)
  assert.match(cut.err, /is damaged, cut short/)
  for (const [args, problem] of [
    [['read', 'events', '1999-01'], /has no events of 1999-01/],
    [['read', 'events', month, '--where', 'colour=red'], /events has no field colour; it has /],
    [['read', 'events', month, '--where', 'red'], /--where must be field=value/],
    [['verify', '--dir', '/nonexistent'], /does not exist/],
  ] as const) {
    const failed = await run({ ...KEY, ARCHIVE_DIR: folder }, 'archive', ...args)
    assert.equal(failed.code, 1)
    assert.match(failed.err, problem)
  }
})

const cannotMount = process.getuid?.() === 0 ? false : 'a small disk is mounted by root alone'

test(
  'on a full disk the month waits in the database, status and doctor say so, and room brings it out',
  { skip: cannotMount },
  async t => {
    const { env, at, month } = keeping(20)
    const folder = mkdtempSync(join(tmpdir(), 'bursar-full-'))
    t.after(() => execFileSync('sh', ['-c', `umount ${folder}; rmdir ${folder}`]))
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder])
    const ARCHIVE_DIR = folder
    await insertEvents(bursar, idsAt('evt', at, 20_000))
    const full = await run({ ...env, ARCHIVE_DIR }, 'archive', 'run')
    assert.equal(full.code, 1)
    assert.match(full.err, /ENOSPC/)
    const stuck = new RegExp(`events ${month} left the logs and could not be archived: .bursar archive run.`)
    assert.match(await problemsOf({ ARCHIVE_DIR }), stuck)
    assert.match(await problemsOf(), stuck)
    const finding = await archiveFinding({ ARCHIVE_DIR })
    assert.equal(finding.verdict, 'problem')
    assert.match(finding.text, stuck)
    const without = await run(env, 'archive', 'run')
    assert.equal(without.code, 1)
    assert.match(
      without.out,
      new RegExp(`events ${month.replace('-', '_')}: waits for an archive, set ARCHIVE_DIR`),
    )

    execFileSync('mount', ['-o', 'remount,size=64m', folder])
    const ran = await run({ ...env, ARCHIVE_DIR }, 'archive', 'run')
    assert.equal(ran.code, 0, ran.err)
    assert.deepEqual(await ask(KEY, 'archive', 'verify', '--dir', folder), { files: 1, rows: 20_000 })
    assert.doesNotMatch(await problemsOf({ ARCHIVE_DIR }), stuck)
    assert.equal(
      await countOf(bursar, `pg_class where relnamespace = 'retired'::regnamespace and relkind = 'r'`),
      0,
    )
  },
)

test('a folder that cannot be written to is found by doctor before a month is due', async () => {
  const { verdict, text } = await archiveFinding({ ARCHIVE_DIR: '/etc/hostname/archive' })
  assert.equal(verdict, 'problem')
  assert.match(text, /^ARCHIVE_DIR \/etc\/hostname\/archive cannot be written to: /)
})
