import assert from 'node:assert/strict'
import type { TestBursar } from '../harness/bursar.ts'
import { csv, feeRow, importFile, studentRow } from '../imports/support.ts'

/** A large school with more kinds of fees than anyone keeps. */
const STUDENTS = 4_000
const KINDS_OF_FEES = 400

const childOf = (no: number): { identifier: string; grade: string } => ({
  identifier: `FULL-${no}`,
  grade: `${(no % 12) + 1}`,
})

/** What is cheap for each row of a file is dear once the school has thousands of what each row is compared with. */
export async function fillSchool(bursar: TestBursar): Promise<void> {
  const numbers = Array.from({ length: STUDENTS }, (_, no) => no)
  const files = {
    students: numbers.map(no => studentRow({ ...childOf(no), fullname: `Child ${no}` })),
    fees: numbers.map(no =>
      feeRow({ ...childOf(no), component_type: `FEE_OF_KIND_${no % KINDS_OF_FEES}`, fee_amount: 1_000 + no }),
    ),
  }
  for (const [kind, rows] of Object.entries(files)) {
    const ended = await importFile(bursar, `kind=${kind}&mode=all`, csv(rows))
    assert.equal(ended.state, 'done', JSON.stringify(ended))
  }
}
