import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')

/** Who may let time pass, and why that is no sleep: no test goes on because some time is over. */
const PAUSES: Record<string, string> = {
  'test/harness/wait.ts': 'asks again until a condition holds',
  'test/platform/embedded-postgres/fixtures/support.ts': 'asks again until a condition holds',
  'test/harness/receiver.ts': 'gives up when requests do not come',
  'test/app/process.long.ts': 'kills a process that does not end',
  'test/platform/db/database-away.long.ts': 'callers try again as real ones do; a silence has a limit',
  'test/platform/retention/kill.slow.ts': 'kills a process at moments that are drawn',
  'test/payments/faults/kill.long.ts': 'kills a process at moments that are drawn',
  'test/cells/move/killed.long.ts': 'kills a process at moments that are drawn',
  'test/cells/storm/cells-storm.ts': 'kills processes at moments that are drawn',
  'test/cells/storm/families.ts': 'families try again as real ones do',
  'test/harness/payers.ts': 'payers try again as real ones do',
  'test/cells/move/load.ts': 'families try again as real ones do',
  'test/bounds/flood.ts': 'callers try again as real ones do',
  'test/webhooks/faults/kill.long.ts': 'a receiver that takes its time',
  'test/webhooks/isolation.slow.ts': 'a receiver that takes its time',
  'test/webhooks/handover.test.ts': 'two processes act at moments that are drawn',
  'test/erp/faults/limit.long.ts': 'an ERP that takes its time',
  'test/flex/sim/town.ts': 'an ERP that takes its time',
  'test/platform/http-client/connections.test.ts': 'a server that closes a moment after its answer',
  'test/platform/db/migrate.test.ts': 'a statement for the limit of statements to end',
  'test/platform/backup/fixtures/write-and-hang.ts': 'a process that hangs, to be killed',
}
const PAUSE =
  /setTimeout as \w+ \} from 'node:timers\/promises'|(?<![.\w])setTimeout\(|\bAtomics\.wait\(|\bpg_sleep\b/

/** Files of `npm test` that read a clock of time gone by, and why a busy machine cannot fail them. */
const MEASURES: Record<string, string> = {
  'test/portal/api/sign-in.test.ts': 'an answer takes no less than a quarter of a second',
  'test/jobs/isolation.test.ts': 'tries lie no less apart than their pause',
  'test/platform/http-client/connections.test.ts': 'keeps the process busy for a while',
  'test/http/uploads.test.ts': 'tells the limiter what time it is',
}
const MEASURE = /\bperformance\.now\(|\bhrtime\b|\bDate\.now\(\) - [a-z]\w*(?![.\w(]| \*)/

const own = 'test/house/clock.test.ts'
const files = globSync('test/**/*.{ts,mjs,js}', { cwd: ROOT }).filter(path => path !== own)
const matching = (paths: readonly string[], pattern: RegExp): string[] =>
  paths.filter(path => pattern.test(readFileSync(join(ROOT, path), 'utf8'))).toSorted()

test('no test sleeps: it waits for a condition, or moves the clock', () => {
  assert.ok(files.length > 500)
  assert.deepEqual(matching(files, PAUSE), Object.keys(PAUSES).toSorted())
})

test('no file of `npm test` fails because the machine is busy: none says how long something may take', () => {
  const quick = files.filter(path => path.endsWith('.test.ts'))
  assert.deepEqual(matching(quick, MEASURE), Object.keys(MEASURES).toSorted())
})
