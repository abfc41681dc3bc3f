import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  chargerOf,
  componentsOf,
  optionalFeeProblems,
  PRORATINGS,
  type OptionalFee,
  type Share,
} from '../../../src/fees/optional/optional-fee.rules.ts'
import { dayAfter, dayBefore, daysBetween } from '../../../src/platform/calendar.ts'
import { paiseOf, sumPaise } from '../../../src/platform/money.ts'

const period = (name: string, firstDay: string, lastDay: string) => ({
  name,
  firstDay,
  lastDay,
  dueOn: firstDay,
})
const MONTHS = [
  period('June', '2026-06-01', '2026-06-30'),
  period('July', '2026-07-01', '2026-07-31'),
  period('February', '2027-02-01', '2027-02-28'),
]
const TERMS = [period('Term 1', '2026-06-10', '2026-09-30'), period('Term 2', '2026-10-01', '2027-03-31')]

const bus = (changes: Partial<OptionalFee> = {}): OptionalFee => ({
  id: 'opt_1',
  academicYearStart: 2026,
  academicYearEnd: 2027,
  collectorCode: null,
  kind: 'transport',
  name: 'School bus',
  componentType: 'TRANSPORT_FEE',
  rhythm: 'month',
  periods: MONTHS,
  dueOn: null,
  prorating: 'days',
  isRoundedToRupees: true,
  takesConcessions: false,
  options: [],
  ...changes,
})

const share = (firstDay: string, lastDay: string, rupees = 1_500): Share => ({
  firstDay,
  lastDay,
  amountPaise: paiseOf(rupees * 100),
})
const rupeesOf = (fee: OptionalFee, shares: Share[]): number[] =>
  [...chargerOf(fee)(shares).values()].map(paise => paise / 100)

test('a month that is begun or ended within is charged by its days, by months that have begun, or whole', () => {
  const part = [share('2026-06-11', '2026-07-10')]
  assert.deepEqual(rupeesOf(bus(), part), [1_000, 484, 0])
  assert.deepEqual(rupeesOf(bus({ prorating: 'months' }), part), [1_500, 1_500, 0])
  assert.deepEqual(rupeesOf(bus({ prorating: 'none' }), part), [1_500, 1_500, 0])
  const terms = { rhythm: 'term', periods: TERMS } as const
  const autumn = [share('2026-08-20', '2026-11-05', 4_000)]
  assert.deepEqual(rupeesOf(bus({ ...terms, prorating: 'months' }), autumn), [2_000, 1_333])
  assert.deepEqual(rupeesOf(bus({ ...terms, prorating: 'none' }), autumn), [4_000, 4_000])
})

test('who changes the stop pays each for its days; by months the new one counts from the next', () => {
  const moved = [share('2026-06-01', '2026-06-15', 1_500), share('2026-06-16', '2026-07-31', 3_000)]
  assert.deepEqual(rupeesOf(bus(), moved), [2_250, 3_000, 0])
  assert.deepEqual(rupeesOf(bus({ prorating: 'months' }), moved), [1_500, 3_000, 0])
  assert.deepEqual(rupeesOf(bus({ prorating: 'none' }), moved), [1_500, 3_000, 0])
})

test('what is charged once is charged whole, each time that it is given, and not once it is taken back', () => {
  const fine = bus({ kind: 'fine', rhythm: 'once', periods: [], componentType: 'FINE' })
  const day = share('2026-06-11', '2026-06-11', 100)
  assert.deepEqual(rupeesOf(fine, [day, day]), [200])
  assert.deepEqual(rupeesOf(fine, [day, { ...day, lastDay: '2026-06-10' }]), [100])
  assert.deepEqual(componentsOf(fine), [{ componentType: 'FINE', dueOn: null }])
  assert.deepEqual(
    componentsOf(bus()).map(one => one.componentType),
    ['TRANSPORT_FEE_JUNE', 'TRANSPORT_FEE_JULY', 'TRANSPORT_FEE_FEBRUARY'],
  )
})

const FIRST = '2026-05-20'
const day = fc
  .integer({ min: 0, max: 340 })
  .map(count => new Date(Date.parse(FIRST) + count * 86_400_000).toISOString().slice(0, 10))
const days = fc
  .tuple(day, day)
  .map(([one, other]): [string, string] => (one <= other ? [one, other] : [other, one]))
const fee = fc
  .record({
    prorating: fc.constantFrom(...PRORATINGS),
    isRoundedToRupees: fc.boolean(),
    periods: fc.constantFrom(MONTHS, TERMS, [period('Year', '2026-06-01', '2027-03-31')]),
  })
  .map(changes => bus({ ...changes, rhythm: 'term' }))
const rupees = fc.integer({ min: 0, max: 100_000 })

test('parts of one amount add up to the whole wherever they are split, exactly and for each period', () => {
  fc.assert(
    fc.property(fee, rupees, days, day, (of, amount, [from, to], at) => {
      const split = at < from || at >= to ? from : at
      const whole = chargerOf(of)([share(from, to, amount)])
      const parts = [share(from, split, amount), share(dayAfter(split), to, amount)]
      assert.deepEqual(chargerOf(of)(parts), whole)
    }),
  )
})

test('a period never costs more than its amount nor less than nothing, and more days never cost less', () => {
  fc.assert(
    fc.property(fee, rupees, days, (of, amount, [from, to]) => {
      const charge = chargerOf(of)
      const [more, less] = [charge([share(from, to, amount)]), charge([share(from, dayBefore(to), amount)])]
      for (const [component, paise] of more) {
        assert.ok(paise <= amount * 100 && paise >= 0 && paise >= (less.get(component) ?? 0))
        if (of.isRoundedToRupees) assert.equal(paise % 100, 0)
      }
      const all = charge([share('2026-05-01', '2027-04-30', amount)])
      assert.equal(sumPaise([...all.values()]), of.periods.length * amount * 100)
    }),
  )
})

test('two stops of different amounts cost between the lower and the higher of them', () => {
  fc.assert(
    fc.property(fee, rupees, rupees, days, (of, one, other, [from, to]) => {
      const half = new Date(Date.parse(from) + Math.floor(daysBetween(from, to) / 2) * 86_400_000)
      const middle = half.toISOString().slice(0, 10)
      const mixed = chargerOf(of)([share(from, middle, one), share(dayAfter(middle), to, other)])
      const low = chargerOf(of)([share(from, to, Math.min(one, other))])
      const high = chargerOf(of)([share(from, to, Math.max(one, other))])
      const step = of.isRoundedToRupees ? 100 : 1
      for (const [component, paise] of mixed) {
        assert.ok(paise >= (low.get(component) ?? 0) - step, component)
        assert.ok(paise <= (high.get(component) ?? 0) + step, component)
      }
    }),
  )
})

const keys = (changes: Partial<OptionalFee>): string[] =>
  optionalFeeProblems(bus(changes)).map(problem => problem.key)

test('periods that overlap, names that stand twice and places that differ are refused by field', () => {
  const option = { id: 'o', name: 'Route 4', stop: 'Gate', amountPaise: paiseOf(150_050), places: 3 }
  assert.deepEqual(keys({ options: [{ ...option, amountPaise: paiseOf(150_000) }] }), [])
  assert.deepEqual(keys({ options: [option] }), ['options.0.amount'])
  const other = { ...option, amountPaise: paiseOf(100), stop: null, places: null }
  assert.deepEqual(keys({ isRoundedToRupees: false, options: [option, other, other] }), [
    'options.1.places',
    'options.2.name',
    'options.2.places',
  ])
  assert.deepEqual(keys({ periods: [MONTHS[1], MONTHS[0], MONTHS[1]].flatMap(one => one ?? []) }), [
    'periods.1.first_day',
    'periods.2.name',
  ])
  assert.deepEqual(keys({ rhythm: 'once' }), ['periods'])
  assert.deepEqual(keys({ rhythm: 'month', periods: [] }), ['periods'])
  assert.deepEqual(keys({ kind: 'fine' }), ['rhythm'])
})
