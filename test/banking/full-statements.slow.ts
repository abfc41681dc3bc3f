import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { guessColumns, HEAD_ROWS } from '../../src/banking/statements/columns.rules.ts'
import { ROW } from '../../src/platform/limits.rules.ts'
import { assertAnswer } from '../console/support.ts'
import { assertNoStall } from '../harness/processes/stalls.ts'
import { WORST_FILES, type WorstFile } from '../harness/worst-files.ts'
import { Statements } from './statement-files.ts'
import { BankDesk } from './support.ts'

const bank = await BankDesk.open(after)
const statements = new Statements(bank, await bank.newAccount())

const fileOf = (wanted: string): WorstFile =>
  WORST_FILES.statement.find(({ name }) => name === wanted) ?? assert.fail(wanted)

/** What each parser does longest for; `worst-statements.long.ts` has every other file. */
for (const name of ['XLSX of all its rows', 'MT940 of lines that name very many references'])
  test(`a statement that is ${name} is looked at without a stall`, () =>
    statements.assertHarmless(fileOf(name)))

const add = async (file: Uint8Array<ArrayBuffer>): Promise<number> => {
  const answer = await statements.send(file, 'bank/statements', '&similar=add')
  assertAnswer(answer, '201')
  return answer.body.data.new_line_count
}

test('a full statement is added, compared with another of the same days and matched without a stall', async () => {
  const [csv, mt940] = [fileOf('CSV of all its rows').bytes(), fileOf('MT940 of all its rows').bytes()]
  // The first time makes 20,000 lines, and each further time looks at all of them.
  assert.equal(await add(csv), 20_000)
  await assertNoStall(() => add(mt940))
  await assertNoStall(() => add(csv))
})

const fullRow = (row: number): string[] =>
  Array.from({ length: ROW.columns }, (_, column) => `cell ${row} ${column} `.repeat(15))

test('the titles of a statement are looked for in rows full of long texts without a stall', () => {
  const rows = Array.from({ length: HEAD_ROWS }, (_, row) => ({ rowNo: row + 1, cells: fullRow(row) }))
  return assertNoStall(async () => assert.equal(guessColumns(rows), null))
})
