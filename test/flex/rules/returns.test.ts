import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  codesOf,
  meaningOf,
  npciCategory,
  type ReturnAction,
  type ReturnCategory,
} from '../../../src/flex/rules/returns.rules.ts'

/** The table of the specification, as it stands there. */
const NACH: [codes: string[], category: ReturnCategory, action: ReturnAction][] = [
  [['04', '05'], 'funds', 'again'],
  [['59', '73'], 'bank', 'again_uncounted'],
  [['98'], 'bank', 'wait'],
  [['15', '26', '27', '57', '58'], 'limit', 'stop'],
  [['08', '12', '14', '21', '28', '29', '61'], 'mandate', 'mandate_ended'],
  [['01', '02', '11', '53', '54', '60', '68'], 'account', 'mandate_ended'],
  [['06', '07', '17', '69', '70'], 'payer', 'stop'],
  [['13', '31'], 'duplicate', 'reconcile'],
]
const LISTED = new Set(NACH.flatMap(([codes]) => codes))
const TWO_DIGITS = Array.from({ length: 100 }, (_, code) => String(code).padStart(2, '0'))

test('each return code of NPCI has the category and the consequence of the table', () => {
  for (const [codes, category, action] of NACH)
    for (const code of codes) {
      const meaning = meaningOf(code)
      assert.deepEqual([meaning.category, meaning.action], [category, action], code)
    }
})

test('every other two-digit code stops, for a person to decide', () => {
  const others = TWO_DIGITS.filter(code => !LISTED.has(code))
  assert.equal(others.length, 100 - LISTED.size)
  for (const code of others) assert.equal(meaningOf(code).action, 'stop', code)
})

test('whatever else a bank may say stops too, and can be shown to people', () => {
  fc.assert(
    fc.property(fc.string(), code => {
      const known = [...codesOf('enach'), ...codesOf('upi_autopay'), 'abandoned'].includes(code)
      const { action, message } = meaningOf(code)
      assert.ok(known || action === 'stop')
      assert.match(message, /^[A-Z].+\.$/)
    }),
  )
})

test('the codes of eNACH are those of the table, and no code belongs to both rails', () => {
  assert.deepEqual(new Set(codesOf('enach')), LISTED)
  const upi = codesOf('upi_autopay')
  assert.ok(upi.length > 0 && upi.every(code => !LISTED.has(code)))
})

test('no code of UPI is presented again without being counted', () => {
  for (const code of codesOf('upi_autopay')) assert.notEqual(meaningOf(code).action, 'again_uncounted', code)
})

test('what never reached a bank is presented again without being counted, and is no code of a bank', () => {
  assert.equal(meaningOf('abandoned').action, 'again_uncounted')
  assert.ok(![...codesOf('enach'), ...codesOf('upi_autopay')].includes('abandoned'))
})

test('an ended mandate names its cause: the account, missing KYC, the payer or the mandate', () => {
  const causes = new Map<string, string>()
  for (const code of [...codesOf('enach'), ...codesOf('upi_autopay')])
    if (meaningOf(code).action === 'mandate_ended') causes.set(code, npciCategory(code))
  assert.equal(causes.get('01'), 'account_not_active')
  assert.equal(causes.get('68'), 'bank_kyc_pending')
  assert.equal(causes.get('29'), 'customer_revoked')
  assert.equal(causes.get('QA'), 'customer_revoked')
  assert.equal(causes.get('08'), 'mandate_error')
  for (const [code, cause] of causes)
    if (meaningOf(code).category === 'mandate')
      assert.ok(cause === 'customer_revoked' || cause === 'mandate_error', code)
})
