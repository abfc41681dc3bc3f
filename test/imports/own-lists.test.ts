import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  addDate,
  addDay,
  answerForm,
  decideForm,
  newDayTally,
  readDayText,
  type DayForm,
} from '../../src/imports/files/days.rules.ts'
import { chooseHead, takeRow, type Head } from '../../src/imports/files/columns.rules.ts'
import { runInSteps } from '../../src/platform/concurrency.ts'
import { addAmount, ColumnGuesser, withoutEmptyFees } from '../../src/imports/kinds/matched-columns.rules.ts'
import { ROSTER_TITLES } from '../../src/imports/kinds/roster/roster.rules.ts'
import { DAY_WAYS, LOWER, OPEN_WAYS, UPPER } from './messy-support.ts'

const day = fc
  .date({ min: new Date('1975-01-01'), max: new Date('2069-12-31'), noInvalidDate: true })
  .map(date => date.toISOString().slice(0, 10))

function decided(texts: readonly string[]): ReturnType<typeof decideForm> {
  const tally = newDayTally()
  for (const text of texts) addDay(tally, text)
  return decideForm(tally)
}

for (const [name, write] of Object.entries(DAY_WAYS))
  test(`a column that writes its days like ${name} is read as it is meant, once one of its days says how`, () => {
    fc.assert(
      fc.property(fc.array(day, { maxLength: 20 }), days => {
        const texts = [...days, '2016-02-27'].map(write)
        const { form, asks } = decided(texts)
        assert.equal(asks, null)
        assert.deepEqual(
          texts.map(text => readDayText(text, form)),
          [...days, '2016-02-27'],
        )
      }),
    )
  })

/** Days that are no day in another order of the same numbers. */
const isClear = (one: string): boolean => Number(one.slice(8)) > 12

for (const [name, write] of Object.entries(OPEN_WAYS))
  test(`a column that writes its days like ${name} is asked about unless one of them says how, and read as was said`, () => {
    fc.assert(
      fc.property(fc.array(day, { minLength: 1, maxLength: 20 }), fc.boolean(), (days, hasClear) => {
        const open = days.filter(one => !isClear(one) && one.slice(5, 7) !== one.slice(8))
        const all = hasClear ? days : open
        const texts = all.map(write.text)
        const { form, asks } = decided(texts)
        const isAsked = open.length > 0 && !all.some(isClear)
        assert.equal(asks !== null, isAsked)
        const said = asks === null ? form : answerForm(form, asks, write.said)
        assert.deepEqual(
          texts.map(text => readDayText(text, said)),
          all,
        )
      }),
    )
  })

test('a column that contradicts itself is asked about, and one that says nothing in two ways is not', () => {
  const { form, asks } = decided(['01/02/2015', '', 'n/a', '03/04/2015', '05/05/2015'])
  assert.deepEqual(asks, { day: '01/02/2015', why: 'order' })
  assert.equal(readDayText('01/02/2015', form), '2015-02-01')
  assert.equal(decided(['05/05/2015', '2015-02-01', '27-Feb-16']).asks, null)
  assert.equal(decided(['27/02/2015', '28/02/2015', '02/27/2015', '01/02/2015']).asks?.day, '01/02/2015')
})

test('days that a spreadsheet may have exchanged are asked about, and exchanged back when somebody says so', () => {
  const tally = newDayTally()
  for (const text of ['27/02/2015', '13/04/2016', '30/05/2014']) addDay(tally, text)
  for (const date of ['2015-01-02', '2014-08-08']) addDate(tally, date)
  const { form, asks } = decideForm(tally)
  assert.deepEqual(asks, { day: '02/01/2015', why: 'spreadsheet' })
  const column = { name: 'date_of_birth', kind: 'day' as const, isRequired: false }
  const read = (days: DayForm, cell: Date | string) =>
    takeRow({ columns: [{ ...column, days }], unknown: [] }, [cell])?.row['date_of_birth']
  const question = asks ?? assert.fail()
  assert.equal(read(answerForm(form, question, 'mdy'), new Date('2015-01-02T00:00:00Z')), '2015-02-01')
  assert.equal(read(answerForm(form, question, 'dmy'), new Date('2015-01-02T00:00:00Z')), '2015-01-02')
  assert.equal(read(answerForm(form, question, 'mdy'), '27/02/2015'), '2015-02-27')
  // A date beyond the 12th was not exchanged, and so none was.
  addDate(tally, '2015-01-20')
  assert.equal(decideForm(tally).asks, null)
})

test('whatever stands in a cell, it is a day of the calendar or none', () => {
  const odd = fc.constantFrom(
    '31/02/2015',
    '2016.31.4',
    '27-Foo-16',
    '0/0/0',
    '99999',
    '1/1/1',
    '27th of May',
  )
  fc.assert(
    fc.property(fc.oneof(fc.string(), odd, fc.date({ noInvalidDate: true }).map(String)), text => {
      addDay(newDayTally(), text)
      const read = readDayText(text)
      assert.ok(read === null || new Date(`${read}T00:00:00Z`).toISOString().startsWith(read), text)
    }),
  )
  assert.equal(readDayText('31/02/2015'), null)
})

const rows = (...all: (string | number)[][]) => all.map((cells, index) => ({ rowNo: index + 1, cells }))
const guessesOf = ({ titles, lower }: Head) =>
  new ColumnGuesser({ fields: ROSTER_TITLES, fees: [{ code: 'BUS', name: 'Bus' }] }).guess(titles, lower)
const headOf = (all: ReturnType<typeof rows>) =>
  runInSteps(chooseHead(all, head => guessesOf(head).filter(guess => guess !== null).length))

test('the headings are found below the school’s name, in one row or in two', async () => {
  const data = ['SM/1', 'Asha Rao', '5', '27/02/2016', 'Arun Rao', 9_845_000_111, 24_000, 6000, '']
  const titles = [['ST. MARY’S SCHOOL'], ['Class list 2026-27', '', 'Phone 080-4567'], []]
  const two = (await headOf(rows(...titles, UPPER, LOWER, data, data))) ?? assert.fail()
  assert.equal(two.lastRowNo, 5)
  assert.deepEqual(guessesOf(two), [
    'identifier',
    'fullname',
    'grade',
    'date_of_birth',
    'father_name',
    'primary_contact_number',
    'fee:TUITION',
    'fee:BUS',
    null,
  ])
  const single = ['Adm No', 'Name', 'Class', 'Mobile', 'Remarks']
  await fc.assert(
    fc.asyncProperty(fc.nat(8), async above => {
      const over = Array.from({ length: above }, (_, index) => [`Line ${index}`])
      const head = await headOf(
        rows(...over, single, ['A-1', 'Asha', '5', '9845000111'], ['A-2', 'New', 'B', '1']),
      )
      assert.equal(head?.lastRowNo, above + 1)
      assert.deepEqual(head?.titles, single)
    }),
  )
})

test('a file whose headings nobody knows is read from its first row that is about as wide as its table', async () => {
  const head = await headOf(rows(['Our school'], ['x', 'y', 'z'], ['1', '2', '3'], ['4', '5', '6']))
  assert.equal(head?.lastRowNo, 2)
  assert.equal(await headOf([]), null)
})

test('a column that is called like a fee and holds no amounts, such as who takes the bus, is not guessed to be one', () => {
  const columns = [['Rs. 40,000/-', '41,500', '', 'nil'], ['Y', 'N', 'Route 4', '1200'], ['GV/1', 'GV/2'], []]
  const tallies = columns.map(texts => {
    const tally = { filled: 0, amounts: 0 }
    for (const text of texts) addAmount(tally, text)
    return tally
  })
  assert.deepEqual(withoutEmptyFees(['fee:TUITION', 'fee:BUS', 'identifier', 'fee:LAB'], tallies), [
    'fee:TUITION',
    null,
    'identifier',
    'fee:LAB',
  ])
})
