import assert from 'node:assert/strict'
import { readFile, readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { chooseHead, type FileRow, type Head } from '../../../src/imports/files/columns.rules.ts'
import { readCsv } from '../../../src/imports/files/csv.ts'
import { runInSteps } from '../../../src/platform/concurrency.ts'
import { ColumnGuesser } from '../../../src/imports/kinds/matched-columns.rules.ts'
import { SchoolClasses, LINE_TITLE, RosterLines } from '../../../src/imports/kinds/roster/classes.rules.ts'
import { ROSTER_TITLES } from '../../../src/imports/kinds/roster/roster.rules.ts'

const FOLDER = new URL('odd-files/', import.meta.url)

type Expected = { headRow: number; guesses: (string | null)[]; children: number; lines?: string[] }

const [ADM, NAME, CLASS, PHONE] = ['identifier', 'fullname', 'grade', 'primary_contact_number'] as const

/** What each file of the folder is understood as. */
const FILES: Record<string, Expected> = {
  '01-plain.csv': { headRow: 1, guesses: [ADM, NAME, CLASS, 'section', PHONE], children: 2 },
  '02-title-with-semicolon.csv': { headRow: 4, guesses: [ADM, NAME, CLASS, PHONE], children: 2 },
  '03-semicolons-and-amounts.csv': {
    headRow: 2,
    guesses: [ADM, NAME, CLASS, PHONE, 'fee:TUITION_FEE'],
    children: 3,
  },
  '04-tabs.csv': { headRow: 2, guesses: [ADM, NAME, CLASS, PHONE], children: 1 },
  '05-two-rows.csv': {
    headRow: 3,
    guesses: [null, ADM, null, NAME, CLASS, 'father_name', PHONE],
    children: 2,
  },
  '06-numbered-columns.csv': {
    headRow: 2,
    guesses: [null, ADM, NAME, CLASS, 'date_of_birth', PHONE, 'other_contact_number'],
    children: 1,
  },
  '07-hindi.csv': {
    headRow: 2,
    guesses: [ADM, NAME, CLASS, 'date_of_birth', 'father_name', PHONE],
    children: 1,
  },
  '08-classes-between.csv': {
    headRow: 2,
    guesses: [ADM, NAME, 'surname', PHONE, null, null],
    children: 3,
    lines: ['CLASS VI - A', 'CLASS VI - A', 'Class VII'],
  },
  '09-years-in-headings.csv': {
    headRow: 3,
    guesses: [ADM, NAME, CLASS, 'fee:TUITION_2026_27', 'fee:BUS_2026_27', PHONE],
    children: 1,
  },
  '10-headings-far-down.csv': {
    headRow: 10,
    guesses: [ADM, NAME, CLASS, PHONE, 'primary_contact_email'],
    children: 1,
  },
  '11-blank-first-columns.csv': {
    headRow: 2,
    guesses: [null, null, 'custom_identifier', NAME, ADM, CLASS, PHONE],
    children: 1,
  },
  '12-unknown-headings.csv': { headRow: 2, guesses: [null, null, null, null], children: 0 },
}

const NO_CLASSES = new SchoolClasses({ ofYear: [], ever: [] })

const guessesOf = ({ titles, lower }: Head): (string | null)[] =>
  new ColumnGuesser({ fields: ROSTER_TITLES, fees: [] }).guess(titles, lower)

async function understand(name: string): Promise<Expected> {
  const rows: FileRow[] = []
  for await (const part of readCsv([await readFile(new URL(name, FOLDER))])) rows.push(...part.rows)
  const known = (one: Head): number => guessesOf(one).filter(guess => guess !== null).length
  const head = (await runInSteps(chooseHead(rows, known))) ?? assert.fail('no headings were found')
  const guesses = guessesOf(head)
  const lines = new RosterLines({ titles: [...head.titles, LINE_TITLE], names: guesses }, NO_CLASSES)
  const children = rows.flatMap(({ rowNo, cells }) => {
    const line = rowNo > head.lastRowNo ? lines.take(cells) : null
    return line?.kind === 'child' ? [line.cells.at(-1)] : []
  })
  const above = children.filter(one => typeof one === 'string' && one.toLowerCase().startsWith('class'))
  const found = { headRow: head.lastRowNo, guesses, children: children.length }
  return above.length > 0 ? { ...found, lines: above.map(String) } : found
}

for (const [name, expected] of Object.entries(FILES))
  test(`the headings, columns and children of ${name} are found`, async () => {
    assert.deepEqual(await understand(name), expected)
  })

test('every odd file is understood by a test', async () => {
  assert.deepEqual((await readdir(FOLDER)).toSorted(), Object.keys(FILES).toSorted())
})
