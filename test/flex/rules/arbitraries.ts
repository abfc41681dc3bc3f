import fc from 'fast-check'
import type { ErpAnswer } from '../../../src/flex/rules/debit.rules.ts'
import type { Rail } from '../../../src/flex/rules/rails.rules.ts'
import { codesOf } from '../../../src/flex/rules/returns.rules.ts'
import type { Trouble } from './trouble.ts'

const TROUBLED_DAYS = 400

export const refused = (code: string, actsAs = code): ErpAnswer => ({
  kind: 'refused',
  code,
  actsAs,
  message: 'No.',
})
const SILENT: ErpAnswer = { kind: 'unavailable', message: 'It did not answer.' }
/** What the ERP may say without ending the plan. */
export const PASSING: ErpAnswer[] = [
  { kind: 'fresh' },
  SILENT,
  refused('student_not_found'),
  refused('data_error'),
  refused('something_new', 'data_error'),
  refused('student_transferred'),
]

const moment = fc.integer({ min: 0, max: TROUBLED_DAYS * 24 * 4 }).map(quarters => quarters / 96)
const stretch = fc.record({ from: moment, days: fc.integer({ min: 1, max: 72 }).map(hours => hours / 24) })
const dayNumber = fc.integer({ min: 0, max: TROUBLED_DAYS })

/** Instalments near each other and far apart; the bank returns what it can return on the rail. */
export function troubleOf(words: ErpAnswer[], codes: (rail: Rail) => string[]): fc.Arbitrary<Trouble> {
  return fc.constantFrom<Rail>('enach', 'upi_autopay').chain(rail =>
    fc.record({
      rail: fc.constant(rail),
      onHoliday: fc.constantFrom<'next' | 'previous'>('next', 'next', 'previous'),
      seed: fc.integer(),
      dueAfter: fc
        .array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 8 })
        .chain(gaps =>
          fc.constantFrom(
            gaps,
            gaps.map(gap => gap * 4),
          ),
        )
        .map(gaps => gaps.map((_, index) => gaps.slice(0, index + 1).reduce((sum, gap) => sum + gap, 0))),
      holidays: fc
        .uniqueArray(
          fc.record({
            on: dayNumber,
            knownBefore: fc.option(fc.integer({ min: 0, max: 5 }), { nil: null, freq: 3 }),
          }),
          { selector: one => one.on, maxLength: 90, size: 'max' },
        )
        .map(all => all.filter(one => one.on < TROUBLED_DAYS)),
      erp: fc.array(
        fc.record({
          from: moment,
          days: fc.integer({ min: 1, max: 20 * 24 }).map(hours => hours / 24),
          word: fc.constantFrom(...words),
        }),
        { maxLength: 25, size: 'max' },
      ),
      bank: fc.oneof(
        fc.array(fc.option(fc.constantFrom(...codes(rail)), { nil: null, freq: 4 }), { minLength: 1 }),
        fc.constantFrom(...codes(rail)).map(code => [code, code, code, null]),
      ),
      resultHours: fc.constantFrom(1, 40),
      down: fc.array(stretch, { maxLength: 40, size: 'max' }),
      holds: fc.array(stretch, { maxLength: 3 }),
      payments: fc.array(moment, { maxLength: 20 }),
      mandateDays: fc.constant(3_650),
      calmFrom: fc.constant(TROUBLED_DAYS),
    }),
  )
}

export const everyCode = (rail: Rail): string[] => {
  const again = rail === 'enach' ? ['04', '05', '59', '73'] : ['Z9', 'U30', '73']
  return [...codesOf(rail), ...again, ...again, 'abandoned', '99']
}
