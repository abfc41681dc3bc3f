import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { processName } from '../../../src/app/installation.ts'
import {
  describeAge,
  findProblems,
  parseProcessName,
  type Status,
} from '../../../src/app/status/status.rules.ts'
import { readProcesses } from '../../../src/app/status/status.store.ts'
import { run } from '../../cli/command-line.ts'
import { startBursar, TEST_MASTER_KEY } from '../../harness/bursar.ts'
import type { Json } from '../../harness/client.ts'
import { waitFor } from '../../harness/wait.ts'
import { startWorker, kill } from '../../harness/processes/worker-process.ts'
import { queue } from '../../messages/support.ts'

const bursar = await startBursar({ after })
const { databaseUrl } = bursar.app.config
const env = { DATABASE_URL: databaseUrl ?? '', MASTER_KEY: TEST_MASTER_KEY }

async function status(
  more: Record<string, string> = {},
): Promise<{ code: number | null; json: Json; err: string }> {
  const { code, out, err } = await run({ ...env, ...more }, 'status', '--json')
  return { code, json: out === '' ? null : JSON.parse(out), err }
}

const WELL: Status = {
  version: '0.1.0',
  mode: 'live',
  at: new Date('2026-11-17T06:00:00Z'),
  database: {
    server: 'db1:5432',
    version: '18.4',
    isStandby: false,
    bytes: 1e9,
    connections: 20,
    maxConnections: 100,
    waitingForStandby: 0,
    schema: 'fits',
    standbys: [{ name: 'db2', state: 'streaming', isSynchronous: true, lagBytes: 0, lagSeconds: 0 }],
    standbysExpected: 1,
  },
  hasPooler: false,
  processes: [
    {
      role: 'all',
      version: '0.1.0',
      machine: 'one',
      pid: 7,
      connections: 3,
      since: new Date('2026-11-16T06:00:00Z'),
      silentSeconds: 0.4,
    },
  ],
  due: [{ kind: 'messages_sent', due: 3, oldestAt: null, nextAt: null, lateMs: 200 }],
  givenUp: { delivery: 0, message: 2, import: 0 },
  lostMessages: 0,
  accounts: [],
  unmatchedReports: 0,
  books: { at: '2026-11-16T20:31:00Z', institutes: 3, differences: 0, differing: [], unchecked: [] },
  backup: { lastAt: new Date('2026-11-16T21:00:00Z'), isLate: false },
  disk: { freeBytes: 5e10, totalBytes: 1e11, isAlmostFull: false },
  archive: { months: [], isUnderWay: false },
}

test('an installation that is well needs nobody; each trouble is said by itself', () => {
  assert.deepEqual(findProblems(WELL), [])
  const { database, books } = WELL
  const process = WELL.processes[0] as Status['processes'][number]
  const standby = { name: 'db2', state: 'streaming', isSynchronous: true, lagBytes: 1, lagSeconds: 31 }
  const account = {
    id: 'pa_1',
    institute: 'green-park',
    provider: 'x',
    isPaused: false,
    problem: 'No.',
    heardAt: null,
  }
  const month = { table: 'events', month: '2025_01' }
  const cases: [Partial<Status>, RegExp][] = [
    [{ database: { ...database, isStandby: true } }, /takes no writes/],
    [{ database: { ...database, schema: 'older' } }, /bursar migrate/],
    [{ database: { ...database, schema: 'newer' } }, /has to be replaced/],
    [{ database: { ...database, connections: 95 } }, /95 of 100 database connections/],
    [{ database: { ...database, standbys: [standby] } }, /The standby db2 is behind/],
    [{ database: { ...database, standbys: [] } }, /names 2 servers, and 0 of the others follow/],
    [{ processes: [{ ...process, role: 'api' }] }, /No process does due work/],
    [{ processes: [{ ...process, role: 'worker' }] }, /No process answers requests/],
    [{ processes: [{ ...process, silentSeconds: 40 }] }, /Process 7 on one has said nothing for 40 s/],
    [
      { due: [{ kind: 'refunds_sent', due: 1, oldestAt: null, nextAt: null, lateMs: 400_000 }] },
      /refunds_sent is 6 min late/,
    ],
    [{ accounts: [account] }, /Account pa_1 of green-park: No\./],
    [{ unmatchedReports: 2 }, /2 reports of providers/],
    [
      { database: { ...database, waitingForStandby: 4, standbys: [], standbysExpected: 0 } },
      /4 writes wait for a synchronous standby that does not answer/,
    ],
    [
      { books: { ...(books as NonNullable<typeof books>), differences: 1, differing: ['green-park'] } },
      /books of green-park/,
    ],
    [
      { books: { ...(books as NonNullable<typeof books>), at: '2026-11-15T06:00:00Z' } },
      /not checked last night/,
    ],
    [{ lostMessages: 2 }, /2 messages were given up within two days: Operator, Jobs/],
    [{ backup: { lastAt: null, isLate: true } }, /backup is late/],
    [{ disk: { freeBytes: 1, totalBytes: 1e11, isAlmostFull: true } }, /almost full/],
    [
      { archive: { months: [month, month], isUnderWay: false } },
      /^events 2025-01 and 1 more left the logs.*bursar archive run/,
    ],
  ]
  for (const [change, expected] of cases) {
    const problems = findProblems({ ...WELL, ...change })
    assert.equal(problems.length, 1, problems.join('\n'))
    assert.match(problems[0] ?? '', expected)
  }
  assert.deepEqual(findProblems({ ...WELL, accounts: [{ ...account, isPaused: true }] }), [])
  assert.deepEqual(findProblems({ ...WELL, hasPooler: true, processes: [] }), [])
  assert.deepEqual(findProblems({ ...WELL, archive: { months: [month], isUnderWay: true } }), [])
})

test('a process is known again by the name of its connections, which the database keeps whole', () => {
  const name = processName('worker')
  assert.ok(Buffer.byteLength(name) <= 63)
  assert.deepEqual(parseProcessName(name)?.role, 'worker')
  assert.equal(parseProcessName(name)?.pid, process.pid)
  fc.assert(fc.property(fc.string(), text => parseProcessName(text) === null || text.startsWith('bursar/')))
  fc.assert(fc.property(fc.nat({ max: 1e12 }), ms => /^\d+ (s|min|h|d)$/.test(describeAge(ms))))
})

test('bursar status shows processes, late work and why somebody has to act, and exits with 1', async t => {
  await queue(bursar, {}, { at: new Date(Date.now() - 600_000) })
  const late = await status()
  assert.equal(late.code, 1)
  assert.match(late.json.problems.join(), /No process does due work.*messages_sent is \d+ (min|d) late/)
  const worker = startWorker(databaseUrl ?? '')
  t.after(() => kill(worker))
  await waitFor(
    async () =>
      (await readProcesses(bursar.app.ctx.db)).some(({ name }) => name.startsWith('bursar/worker/')),
    'the worker',
  )
  const found = await status()
  const pids = new Map(found.json.processes.map(({ role, pid }: Json) => [role, pid]))
  assert.deepEqual([pids.get('api'), pids.get('worker'), pids.size], [process.pid, worker.pid, 2])
  assert.equal(found.json.database.schema, 'fits')
  assert.ok(found.json.due.some(({ kind }: Json) => kind === 'webhooks_delivered'))
  const { out } = await run(env, 'status')
  assert.match(out, /^Bursar {3,}0\.1\.0, sandbox/m)
  assert.match(out, /^ROLE +VERSION +MACHINE/m)
  assert.match(out, /^messages_sent +\d+/m)
})

test('bursar status changes nothing: it refuses the wrong mode and an unused database, and says when none answers', async () => {
  const wrong = await status({
    BURSAR_MODE: 'live',
    PUBLIC_URL: 'https://fees.example.in',
    TRUST_PROXY: '127.0.0.1',
  })
  assert.equal(wrong.code, 1)
  assert.match(wrong.json.problems[0], /This database is a sandbox: set BURSAR_MODE=sandbox/)
  const away = await status({ DATABASE_URL: 'postgres://bursar@127.0.0.1:1/bursar' })
  assert.equal(away.code, 1)
  assert.equal(away.json.database, null)
  assert.match(away.json.problems[0], /The database did not answer: .*ECONNREFUSED/)
  const several = 'postgres://bursar@127.0.0.1:1,nowhere.invalid:5432/bursar'
  const none = await status({ DATABASE_URL: several })
  assert.equal(none.code, 1)
  const each =
    /^No server takes writes: 127\.0\.0\.1:1 does not answer \(.*ECONNREFUSED.*\); nowhere\.invalid:5432 does not answer \(.*\)\.$/
  assert.match(none.json.problems[0], each)
  const empty = new URL(databaseUrl ?? '')
  empty.pathname = '/postgres'
  const unused = await status({ DATABASE_URL: empty.href })
  assert.equal(unused.code, 1)
  assert.match(unused.json.problems[0], /No Bursar has used this database yet/)
  const stopped = await status({ DATABASE_URL: '', DATA_DIR: '/nonexistent/bursar' })
  assert.equal(stopped.code, 1)
  assert.match(stopped.json.problems[0], /Bursar is not running/)
})
