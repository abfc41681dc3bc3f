import assert from 'node:assert/strict'
import { ERP, sampleStudent } from '../harness/samples.ts'
import { officeTask } from './clicks.ts'
import { takePictures } from './pictures.ts'

officeTask(
  'settle a child who leaves, and see first what stays owed',
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
    await page.getByRole('menuitem', { name: 'Leaving' }).click()
    const dialogue = page.getByRole('dialog')
    await dialogue.getByText('₹12,000.00 stays owed by the family.').waitFor()
    const other = dialogue.getByText(/^The record of 2027-28 is active too and owes ₹13,000\.00\./)
    await other.getByRole('link', { name: '2027-28' }).waitFor()
    await takePictures({ page }, 'leaving-owes')
    await dialogue.getByRole('checkbox', { name: /^Write off what stays owed/ }).check()
    await dialogue.getByText('Nothing stays owed by the family.').waitFor()
    await dialogue.getByRole('textbox', { name: /^Reason/ }).fill('Moves to Pune')
    await dialogue.getByRole('button', { name: 'Settle the leaving' }).click()
    await page.getByText('₹12,000.00 written off').waitFor()
    await page.getByText(/^No certificate of no dues yet: ₹13,000\.00/).waitFor()
    await takePictures({ page }, 'leaving-settled')
    assert.deepEqual(complaints, [])
  },
)
