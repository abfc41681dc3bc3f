import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { firstMobile, tidyRow } from '../../src/imports/kinds/roster/cells.rules.ts'
import { classInLine, SchoolClasses } from '../../src/imports/kinds/roster/classes.rules.ts'

const YEAR = [
  'Nursery',
  'LKG',
  'UKG',
  '1',
  '2',
  '5',
  '6',
  '7',
  '10',
  'XI Science',
  'XI Commerce',
  '12',
  'Prep',
]
const school = new SchoolClasses({ ofYear: YEAR, ever: ['9', 'Play'] })

const WRITTEN: readonly (readonly [string, string, (string | null)?])[] = [
  ['VII', '7'],
  ['vii-b', '7', 'B'],
  ['VIIB', '7', 'B'],
  ['7 th', '7'],
  ['Std. VII (B)', '7', 'B'],
  ['Class : VII  Sec : A', '7', 'A'],
  ['7.0', '7'],
  ['VII Rose', '7', 'Rose'],
  ['XC', '10', 'C'],
  ['I A', '1', 'A'],
  ['IInd', '2'],
  ['L.K.G.-A', 'LKG', 'A'],
  ['Jr. KG', 'LKG'],
  ['KG-II', 'UKG'],
  ['Nur B', 'Nursery', 'B'],
  ['कक्षा ७', '7'],
  ['Seventh', '7'],
  ['XI-Science', 'XI Science'],
  ['XI Commerce A', 'XI Commerce', 'A'],
  ['12 Sci', '12', 'Sci'],
  ['prep - c', 'Prep', 'C'],
  ['IX', '9'],
  ['play', 'Play'],
  ['VIII', '8'],
]

test('a class is understood in whatever way it is written, with its section', () => {
  for (const [text, grade, section = null] of WRITTEN)
    assert.deepEqual(school.read(text), { grade, section }, text)
  for (const text of ['Blue group', '13', '10+2', 'Sports', '5 boys of another school'])
    assert.equal(school.read(text), null, text)
  assert.deepEqual(new SchoolClasses({ ofYear: [], ever: [] }).read('Blue group'), {
    grade: 'Blue group',
    section: null,
  })
})

test('a class that the school has is always itself, and with a section behind it that class', () => {
  const own = fc.constantFrom(...YEAR)
  fc.assert(
    fc.property(
      own,
      fc.constantFrom('A', 'B', 'Rose'),
      fc.constantFrom('-', ' - ', ' ', '/', ' ('),
      (grade, section, gap) => {
        assert.deepEqual(school.read(` ${grade.toLowerCase()} `), { grade, section: null })
        assert.deepEqual(school.read(`${grade}${gap}${section}`), { grade, section })
      },
    ),
  )
})

test('a line of its own names a class, and a total, a remark or a number does not', () => {
  assert.equal(classInLine('CLASS : VI  SEC: A (Class teacher: Smt. Rao)', school), 'CLASS : VI  SEC: A')
  for (const text of ['VI A', 'LKG', 'Prep', 'Class VI-B', 'XI Science'])
    assert.equal(classInLine(text, school), text)
  for (const text of ['Total 40', 'Page 2 of 9', '7', 'Principal', '5 students withdrew', 'List of class VI'])
    assert.equal(classInLine(text, school), null, text)
})

const PHONES: readonly (readonly [string, string])[] = [
  ['98450 12345', '98450 12345'],
  ['+91-9845012345', '+91-9845012345'],
  ['9845012345 / 9880012345', '9845012345'],
  ['9845012345,9880012345', '9845012345'],
  ['080-26543210 98450 12345', '9845012345'],
  ['Father: 098450-12345', '9845012345'],
  ['९८४५०१२३४५', '9845012345'],
  ['080-26543210', '080-26543210'],
  ['12', '12'],
]

test('of several numbers in a cell the first mobile is taken, and one alone stays as it is written', () => {
  for (const [text, phone] of PHONES) assert.equal(firstMobile(text), phone)
})

const tidy = (raw: Record<string, string>) => tidyRow(raw, { classes: school, written: {} })

test('cells that say nothing are empty, names lose their titles, and the other mobile stands in for the first', () => {
  const { raw, problems } = tidy({
    identifier: ' A-1\u00A0',
    fullname: 'Master  Nil   Rao ',
    grade: 'VII-B',
    mother_name: 'N.A.',
    date_of_birth: '--',
    primary_contact_number: '-',
    other_contact_number: '9845012345',
    primary_contact_email: 'a@b.in, c@d.in',
    'fee:TUITION': 'Nil',
    'fee:BUS': 'NA',
  })
  assert.deepEqual(problems, [])
  assert.deepEqual(raw, {
    identifier: 'A-1',
    fullname: 'Nil Rao',
    grade: '7',
    section: 'B',
    primary_contact_number: '9845012345',
    primary_contact_email: 'a@b.in',
    'fee:TUITION': '0',
  })
  assert.equal(tidy({ fullname: 'Kumari Devi', surname: 'Nair' }).raw['fullname'], 'Kumari Devi Nair')
  assert.equal(tidy({ fullname: 'Asha Rao', surname: 'Rao' }).raw['fullname'], 'Asha Rao')
})

test('a class that is none of the year, or contradicts the section beside it, is a row to correct', () => {
  assert.match(
    tidy({ grade: 'Blue' }).problems[0]?.message ?? '',
    /^“Blue” is none of the year’s classes: Nursery, LKG/,
  )
  assert.equal(tidy({ grade: 'VII-B', section: 'C' }).problems[0]?.column, 'section')
  assert.deepEqual(tidy({ grade: 'VII-B', section: 'b' }).problems, [])
  const corrected = tidyRow({ grade: 'LKG' }, { classes: school, written: { grade: 'Blue - B' } })
  assert.deepEqual(corrected, { raw: { grade: 'LKG', section: 'B' }, problems: [] })
})
