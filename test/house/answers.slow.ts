import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseAnswer } from '../../src/platform/json.rules.ts'
import { assertNoStall } from '../harness/processes/stalls.ts'
import { WORST_BODIES } from '../harness/worst-files.ts'

const SRC = join(import.meta.dirname, '../../src')

/** What is parsed elsewhere, and why nobody outside chose its length. */
const OTHERS: Readonly<Record<string, string>> = {
  'http/body.ts': 'looks at bodies itself, and reads lost ones as empty',
  'platform/json.rules.ts': 'parses for all the others',
  'providers/accounts/registry.service.ts': 'our own settings, sealed',
  'platform/retention/retention.ts': 'our own manifest',
  'platform/backup/format.ts': 'our own manifest, of at most 64 KiB',
  'platform/backup/restore.ts': 'our own file',
  'platform/log.ts': 'our own lines',
  'app/installation.ts': 'our own package',
  'app/health-history.ts': 'our own setting',
  'bharat-connect/biller.service.ts': 'our own credentials, sealed',
  'imports/engine/check.service.ts': 'rows that the reader made, each within its limits',
  'students/rollover/rollover.service.ts': 'our own options',
  'flex/settings/settings.service.ts': 'our own figures',
  'cells/move/carry.store.ts': 'rows of our own database',
  'payments/reconcile/reconcile.service.ts': 'our own progress',
  'console/loans/loans.routes.ts': 'a field of a body that was looked at',
  'console/auth/second-factor/webauthn.ts': 'a field of a body that was looked at',
  'console/lists/list.schemas.ts': 'a parameter of an address, of at most 16 KiB',
  'platform/db/sorted-list.ts': 'a parameter of an address, of at most 16 KiB',
  'console/shell.routes.ts': 'our own manifest',
  'sandbox/bank/simulator.service.ts': 'a callback that was looked at',
  'sandbox/lender/lender.service.ts': 'a callback that was looked at',
  'sandbox/demo/recording.rules.ts': 'our own recording',
}

test('what other servers answer is parsed in one place, which refuses what would take long', () => {
  const parsing = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.ts') && !path.startsWith('cli/'))
    .filter(path => readFileSync(join(SRC, path), 'utf8').includes('JSON.parse('))
  assert.deepEqual(
    parsing.filter(path => !(path in OTHERS)),
    [],
    'parseAnswer reads what another server sent',
  )
  assert.deepEqual(
    Object.keys(OTHERS).filter(path => !parsing.includes(path)),
    [],
  )
})

for (const [name, make] of Object.entries(WORST_BODIES))
  test(`an answer of ${name} is parsed without a stall, or refused`, async () => {
    // Twice as much as of a body: a page of settlements may have so much.
    const worst = make()
    const answer = Buffer.from(`[${worst.padEnd(2 * worst.length)},${worst}]`)
    const isOneText = name === 'one text of escapes'
    await assertNoStall(async () => {
      if (isOneText) assert.ok(parseAnswer(answer))
      else assert.throws(() => parseAnswer(answer), SyntaxError)
    })
  })
