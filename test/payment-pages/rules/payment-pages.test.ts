import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { inputOfLine, readForm, type FormReading } from '../../../src/payment-pages/page-form.rules.ts'
import {
  termsProblems,
  toLine,
  type SentLine,
  boundsOf,
  payableUntil,
  PAYABLE_MS,
  slugOf,
  slugWithId,
  soleTotal,
  stateOf,
  type PageLine,
} from '../../../src/payment-pages/pages.rules.ts'
import { formatRupees, paiseOf, type Paise } from '../../../src/platform/money.ts'

const paise = (max: number): fc.Arbitrary<Paise> => fc.integer({ min: 1, max }).map(paiseOf)
const CONTACT: Record<string, string> = { name: 'Asha', phone: '9876543210', email: 'a@b.in' }

const fixed = fc.record({
  amountPaise: paise(1_000_000),
  maxQuantity: fc.integer({ min: 1, max: 100 }),
})
const chosen = fc
  .tuple(fc.option(paise(100_000), { nil: undefined }), fc.option(paise(1_000_000), { nil: undefined }))
  .map(([minPaise, maxPaise]) => ({ minPaise, maxPaise }))

/** Lines that an institute may set up. */
const lines: fc.Arbitrary<PageLine[]> = fc
  .array(fc.tuple(fc.oneof(fixed, chosen), fc.boolean()), { minLength: 1, maxLength: 8 })
  .map(all =>
    all.map(([price, isOptional], index): SentLine => ({
      componentType: `C${index}`,
      label: null,
      isOptional,
      ...price,
    })),
  )
  .filter(sent => termsProblems({ lines: sent }).length === 0)
  .map(sent => sent.map(toLine))

const typedText = fc.oneof(
  fc.constant(''),
  fc.integer({ min: 0, max: 150 }).map(String),
  paise(2_000_000).map(amount => formatRupees(amount)),
  paise(2_000_000).map(amount => String(amount / 100)),
  fc.string(),
)

function read(page: PageLine[], typed: Record<string, string>): FormReading {
  return readForm({ lines: page, fields: [] }, input => CONTACT[input] ?? typed[input], '2026-11-15')
}

const filledIn = lines.chain(page =>
  fc.tuple(...page.map(() => typedText)).map(texts => ({
    page,
    typed: Object.fromEntries(page.map((line, index) => [inputOfLine(line), texts[index] ?? ''])),
  })),
)

test('whatever is typed, an order is of the page’s own lines, within their bounds, and more than nothing', () => {
  fc.assert(
    fc.property(filledIn, ({ page, typed }) => {
      const reading = read(page, typed)
      if (reading.kind === 'problems') {
        assert.ok(reading.problems.length > 0)
        return
      }
      const { lines: taken, notes } = reading.filled
      assert.ok(taken.length > 0)
      const types = taken.map(line => line.componentType)
      assert.deepEqual(
        types,
        page.map(line => line.componentType).filter(type => types.includes(type)),
      )
      for (const line of page) {
        const amount = taken.find(one => one.componentType === line.componentType)?.amountPaise
        if (amount === undefined) {
          assert.ok(line.isOptional, 'what is required is paid')
          continue
        }
        const note = notes.find(one => one.key === `quantity.${line.componentType}`)?.value
        if (line.price.kind === 'chosen') {
          const { least, most } = boundsOf(line.price)
          assert.ok(amount >= least && amount <= most)
          assert.equal(note, undefined)
        } else {
          const quantity = amount / line.price.amountPaise
          assert.ok(Number.isInteger(quantity) && quantity >= 1 && quantity <= line.price.maxQuantity)
          assert.equal(note, line.price.maxQuantity > 1 ? String(quantity) : undefined)
        }
      }
    }),
    { numRuns: 1_000 },
  )
})

test('an amount within the bounds is taken to the paisa, however it is written, and one beyond them is not', () => {
  fc.assert(
    fc.property(paise(100_000), paise(1_000_000), paise(2_000_000), (minPaise, more, amount) => {
      const maxPaise = paiseOf(minPaise + more)
      const line = toLine({ componentType: 'GIFT', label: null, isOptional: false, minPaise, maxPaise })
      const isWithin = amount >= minPaise && amount <= maxPaise
      for (const text of [formatRupees(amount), String(amount / 100), ` ${amount / 100} `]) {
        const reading = read([line], { 'line.GIFT': text })
        if (reading.kind === 'filled') assert.equal(reading.filled.lines[0]?.amountPaise, amount)
        else assert.equal(reading.problems[0]?.why, amount < minPaise ? 'below' : 'above')
        assert.equal(reading.kind === 'filled', isWithin)
      }
    }),
  )
})

test('a page with one possible total asks every payer for exactly that', () => {
  fc.assert(
    fc.property(filledIn, ({ page, typed }) => {
      const total = soleTotal({ lines: page })
      if (total === null) return
      const reading = read(page, typed)
      assert.ok(reading.kind === 'filled')
      assert.equal(
        reading.filled.lines.reduce((sum, line) => sum + line.amountPaise, 0),
        total,
      )
    }),
    { numRuns: 1_000 },
  )
})

test('no form can be filled in for more than an amount can be', () => {
  const huge = fc.integer({ min: 1, max: 1e13 }).map(paiseOf)
  fc.assert(
    fc.property(fc.array(fc.tuple(huge, fc.integer({ min: 1, max: 100 })), { maxLength: 20 }), all => {
      const sent = all.map(([amountPaise, maxQuantity], index): SentLine => ({
        componentType: `C${index}`,
        label: null,
        isOptional: false,
        amountPaise,
        maxQuantity,
      }))
      const most = all.reduce((sum, [amount, quantity]) => sum + amount * quantity, 0)
      assert.equal(termsProblems({ lines: sent }).length > 0, most > 1e13)
    }),
  )
})

test('every title makes a slug, also with an id behind it', () => {
  const SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'grapheme', maxLength: 200 })), title => {
      assert.match(slugOf(title), SLUG)
      assert.match(slugWithId(slugOf(title), 'page_01k9zq4m0ve8sbn6yt2hw3c5da'), SLUG)
    }),
  )
  assert.equal(slugOf('Admission form 2026-27!'), 'admission-form-2026-27')
})

test('an order can be paid for half an hour, and never when the page is closed', () => {
  const moment = fc.integer({ min: 0, max: 10_000_000 }).map(value => new Date(value))
  fc.assert(
    fc.property(moment, fc.option(moment), fc.nat(3), (now, closesAt, taken) => {
      const page = {
        slug: 'x',
        title: 'x',
        description: null,
        lines: [],
        fields: [],
        isPublished: true,
        closesAt,
        maxPayments: 2,
        callbackUrl: null,
        successMessage: null,
      }
      const state = stateOf(page, { taken, now })
      assert.equal(state === 'closed', closesAt !== null && closesAt <= now)
      assert.equal(stateOf({ ...page, isPublished: false }, { taken, now }), 'unpublished')
      if (state === 'closed') return
      assert.equal(state, taken >= 2 ? 'full' : 'open')
      const until = payableUntil(page, now).getTime()
      assert.ok(until > now.getTime() && until <= now.getTime() + PAYABLE_MS)
      if (closesAt !== null) assert.ok(until <= closesAt.getTime())
    }),
  )
})
