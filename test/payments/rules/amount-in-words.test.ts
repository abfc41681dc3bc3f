import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { rupeesInWords, paiseOf } from '../../../src/platform/money.ts'

const CRORE_PAISE = 1_00_00_000_00
const LARGEST_RECEIPT_PAISE = 50 * 10_000_000_000_000

test('amounts read as people write them on a cheque', () => {
  const known: [number, string][] = [
    [0, 'Rupees Zero Only'],
    [5, 'Paise Five Only'],
    [99, 'Paise Ninety Nine Only'],
    [1_00, 'Rupees One Only'],
    [10_10, 'Rupees Ten and Paise Ten Only'],
    [100_00, 'Rupees One Hundred Only'],
    [1_001_00, 'Rupees One Thousand One Only'],
    [1_23_456_50, 'Rupees One Lakh Twenty Three Thousand Four Hundred Fifty Six and Paise Fifty Only'],
    [1_00_00_000_00, 'Rupees One Crore Only'],
    [1_00_00_001_00, 'Rupees One Crore One Only'],
    [1_00_000 * CRORE_PAISE, 'Rupees One Lakh Crore Only'],
    [LARGEST_RECEIPT_PAISE, 'Rupees Five Lakh Crore Only'],
    [-5_00, 'Minus Rupees Five Only'],
  ]
  for (const [amount, words] of known) assert.equal(rupeesInWords(paiseOf(amount)), words)
})

test('every amount up to ₹999.99, and every whole rupee up to ₹99,999, reads back as itself', () => {
  for (let paise = 0; paise < 1_000_00; paise += 1) assertReadsBack(paise)
  for (let rupees = 0; rupees < 1_00_000; rupees += 1) assertReadsBack(rupees * 100)
})

test('any amount that a receipt can have reads back as itself, and no two read the same', () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: LARGEST_RECEIPT_PAISE }), assertReadsBack), {
    numRuns: 5_000,
  })
})

test('round amounts and their neighbours read back as themselves', () => {
  for (let power = 0; power <= 14; power += 1) {
    for (const near of [-100, -1, 0, 1, 100]) {
      for (let digit = 1; digit <= 9; digit += 1) assertReadsBack(Math.max(0, digit * 10 ** power + near))
    }
  }
})

const UNITS = new Map(
  [
    'zero one two three four five six seven eight nine ten',
    'eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
  ]
    .join(' ')
    .split(' ')
    .map((word, value) => [word, value]),
)
const TENS = new Map(
  'twenty thirty forty fifty sixty seventy eighty ninety'
    .split(' ')
    .map((word, index) => [word, index * 10 + 20]),
)
const SCALES = new Map([
  ['thousand', 1_000],
  ['lakh', 1_00_000],
])

function assertReadsBack(paise: number): void {
  const text = rupeesInWords(paiseOf(paise))
  assert.match(text, /^(Rupees|Paise)( [A-Z][a-z]+| and)* Only$/)
  assert.equal(readBack(text), paise, text)
}

function readBack(text: string): number {
  const { rupees = 'zero', paise = 'zero' } =
    /^(Rupees (?<rupees>.+?))?( and )?(Paise (?<paise>.+))? Only$/.exec(text)?.groups ?? {}
  return readNumber(rupees) * 100 + readNumber(paise)
}

/** Reads from the left: what was counted since the last scale word is multiplied by the next one. */
function readNumber(text: string): number {
  let total = 0
  let counted = 0
  for (const word of text.toLowerCase().split(' ')) {
    const scale = SCALES.get(word)
    if (word === 'hundred') counted *= 100
    else if (word === 'crore') [total, counted] = [(total + counted) * 1_00_00_000, 0]
    else if (scale !== undefined) [total, counted] = [total + counted * scale, 0]
    else counted += UNITS.get(word) ?? TENS.get(word) ?? assert.fail(`no such number: ${word}`)
  }
  return total + counted
}
