import { finishImport } from '../../src/imports/engine/steps.service.ts'
import type { TestBursar } from '../harness/bursar.ts'
import type { Answer } from '../harness/client.ts'
import { instituteId } from '../students/support.ts'
import { uploadFile } from './orders/support.ts'
import type { Visitor } from './support.ts'

type Listed = { identifier: string; fullname?: string; grade: string; component?: string; fee: number }

/** A list of one student with a fee, checked; the answer to its upload and what goes on with it. */
export async function checkList(
  bursar: TestBursar,
  by: Visitor,
  { identifier, fullname = 'Kabir Rao', grade, component = 'TUITION_FEE', fee }: Listed,
): Promise<{ sent: Answer; finish: () => Promise<void> }> {
  const text = `No,Pupil,Std,Cell,Fee\r\n${identifier},${fullname},${grade},9876543210,${fee}\r\n`
  const names = ['identifier', 'fullname', 'grade', 'primary_contact_number', `fee:${component}`]
  const year = { academic_year_start: '2026', academic_year_end: '2027' }
  const query = new URLSearchParams({ columns: JSON.stringify(names), ...year }).toString()
  const sent = await uploadFile(by, text, { name: 'list.csv', to: 'student-files', query })
  const instituteOf = await instituteId(bursar)
  const finish = (): Promise<void> =>
    finishImport(bursar.app.ctx, { instituteId: instituteOf, id: sent.body.data.id })
  if (sent.status === 201) await finish()
  return { sent, finish }
}
