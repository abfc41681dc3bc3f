import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { WORST_FILES, type WorstFile } from '../harness/worst-files.ts'
import { assertAnswer } from '../console/support.ts'
import { workbook, zip } from '../imports/files/xlsx-support.ts'
import { Statements } from './statement-files.ts'
import { BankDesk } from './support.ts'

const bank = await BankDesk.open(after)
const statements = new Statements(bank, await bank.newAccount())
const fileOf = (wanted: string): WorstFile =>
  WORST_FILES.statement.find(({ name }) => name === wanted) ?? assert.fail(wanted)

for (const name of ['MT940 of the shortest rows that fit', 'CSV of a row too many'])
  test(`a statement that is ${name} is looked at without a stall, or refused in words`, () =>
    statements.assertHarmless(fileOf(name)))

test('a statement without a line that can be read is refused, whatever its bytes are', async () => {
  for (const file of [Buffer.alloc(5_000), Buffer.from(''), Buffer.from('\n\n\n'), Buffer.from(' ,,\n,\n')]) {
    const answer = await statements.send(file, 'bank/statement-previews')
    assertAnswer(answer, '400 HUE00000')
  }
})

test('a small spreadsheet that names one long text 20,000 times takes some megabytes, not gigabytes', async () => {
  const named = '<row><c t="s"><v>0</v></c></row>'.repeat(20_000)
  const file = Buffer.from(zip(workbook(named, { texts: `<si><t>${'x'.repeat(100_000)}</t></si>` })))
  assert.ok(file.length < 200_000)
  let peak = 0
  const before = usedBytes()
  const timer = setInterval(() => (peak = Math.max(peak, usedBytes() - before)), 5)
  const answer = await statements.send(file, 'bank/statement-previews')
  clearInterval(timer)
  assertAnswer(answer, '400 HUE00000')
  assert.match(answer.body.message, /more than 20000000 characters/)
  assert.ok(peak < 100_000_000, `${Math.round(peak / 1e6)} MB`)
})

function usedBytes(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
