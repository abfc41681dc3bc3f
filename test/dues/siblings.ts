import assert from 'node:assert/strict'
import type { TestBursar } from '../harness/bursar.ts'
import { ERP, sampleStudent } from '../harness/samples.ts'

/** Registers a brother or sister who still owes something, so that an advance is of use to the family. */
export async function addSibling(
  { demo, sql }: { demo: TestBursar['demo']; sql: TestBursar['sql'] },
  id: string,
): Promise<void> {
  const [user] = await sql<{ registration_id: string }>(
    'select registration_id from student_users where student_id = $1 limit 1',
    [id],
  )
  const student = sampleStudent({ identifier: `SIB-${id.slice(-8)}` })
  const fee_components = [{ component_type: 'TUITION_FEE', fee_amount: 1000 }]
  const answer = await demo.post(`${ERP}/users/${user?.registration_id}/students`, {
    student,
    fee_components,
  })
  assert.equal(answer.status, 201, answer.text)
}
