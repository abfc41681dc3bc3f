import assert from 'node:assert/strict'
import { ERP, sampleStudent } from '../harness/samples.ts'
import { confirm } from '../browser/console/support.ts'
import { officeTask } from './clicks.ts'
import { takePictures } from './pictures.ts'

officeTask(
  'mark a child as dropped, and see first what stays owed',
  async ({ page, go, complaints, stage }) => {
    const { body } = await stage.bursar.demo.post(`${ERP}/users/rao/students`, {
      student: sampleStudent(),
      fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 12_000 }],
    })
    const next = { grade: '6', academic_year_start: '2027', academic_year_end: '2028' }
    await stage.bursar.demo.post(`${ERP}/users/rao/students`, {
      student: sampleStudent(next),
      fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 13_000 }],
    })
    await go(`/i/demo-school/students/${body.data.service_student_id}`)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Mark as dropped' }).click()
    await page.getByText(/₹12,000\.00 of the year stays owed by the family\./).waitFor()
    const other = page
      .getByRole('dialog')
      .getByText(/^The record of 2027-28 is active too and owes ₹13,000\.00\./)
    await other.getByRole('link', { name: '2027-28' }).waitFor()
    await takePictures({ page }, 'leaving-owes')
    await confirm(page, 'Mark as dropped')
    await page
      .getByText(/is marked as dropped\./)
      .first()
      .waitFor()
    assert.deepEqual(complaints, [])
  },
)
