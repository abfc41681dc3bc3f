import assert from 'node:assert/strict'
import { test } from 'node:test'
import { figuresOf, rulesWith } from '../../../src/flex/settings/figures.rules.ts'
import { STANDARD_RULES } from '../../../src/flex/rules/rails.rules.ts'

test('every figure of the rails is read as it is written', () => {
  const standard = figuresOf(STANDARD_RULES)
  assert.equal(Object.keys(standard).length, 2 * 7 + 8)
  assert.deepEqual(rulesWith(standard), { rules: STANDARD_RULES, problems: [] })
  const wanted = {
    'upi_autopay.limit': '100000',
    'upi_autopay.windows': '00:00-09:00,22:00-24:00',
    'upi_autopay.present_at': '08:15',
    'enach.presentations': '2',
    'enach.days_between': '5',
    'enach.first_debit_after': '7d',
    'enach.result_working_days': '3',
    fetch_from_minutes: '3000',
    fetch_until_minutes: '2000',
    notice_minutes: '1500',
    notice_lasts_minutes: '4000',
    on_holiday: 'previous',
    'bank_returns.times': '2',
    'bank_returns.days': '9',
  }
  const { rules, problems } = rulesWith(wanted)
  assert.deepEqual(problems, [])
  assert.deepEqual(figuresOf(rules), { ...standard, ...wanted })
})

for (const [name, value] of [
  ['upi_autopay.limit', '0'],
  ['upi_autopay.limit', '15000.50'],
  ['upi_autopay.windows', '10:00-09:00'],
  ['upi_autopay.windows', '09:00-11:00,10:00-12:00'],
  ['upi_autopay.windows', '13:00-17:00'],
  ['enach.present_at', '09:30'],
  ['enach.present_at', '25:00'],
  ['enach.presentations', '0'],
  ['enach.first_debit_after', '5'],
  ['fetch_from_minutes', '1470'],
  ['fetch_until_minutes', '1439'],
  ['notice_lasts_minutes', '1440'],
  ['on_holiday', 'never'],
  ['bank_returns.days', '-1'],
  ['enach.colour', 'blue'],
])
  test(`${name}=${value} is refused, because no debit could be made by it`, () => {
    const { problems } = rulesWith({ [name ?? '']: value ?? '' })
    assert.equal(problems.length, 1)
  })
