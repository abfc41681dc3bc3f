import assert from 'node:assert/strict'
import { ERP, sampleStudent } from '../harness/samples.ts'
import { officeTask } from './clicks.ts'
import { takePictures } from './pictures.ts'

officeTask(
  'defaulters of each class printed and mailed to the class teachers every Monday',
  async office => {
    const { page, go, stage, complaints } = office
    const { demo } = stage.bursar
    for (const [number, section] of ['A', 'A', 'A', 'B', 'B'].entries()) {
      const student = sampleStudent({ fullname: `Child ${number}`, identifier: `ADM-${number}`, section })
      const fee_components = [{ component_type: 'TUITION_FEE', fee_amount: 12_000 }]
      const made = await demo.post(`${ERP}/users/parent-${number}/students`, { student, fee_components })
      assert.equal(made.status, 201, made.text)
    }
    await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [{ due_date: '2026-10-10', kind: 'none' }] })

    await go('/i/demo-school')
    await page.getByRole('link', { name: 'Money' }).first().click()
    await page.getByRole('link', { name: 'By class', exact: true }).click()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'All classes (PDF)' }).click()
    assert.match((await saved).suggestedFilename(), /^fees-overdue-.*\.pdf$/)
    await page.getByRole('button', { name: 'Enter teacher' }).first().click()
    await page.getByLabel('Name').fill('Meena Pillai')
    await page.getByLabel('E-mail').fill('meena@school.example')
    await takePictures(office, 'class-teacher')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('meena@school.example').waitFor()
    await takePictures(office, 'classes')
    await page.getByRole('button', { name: 'Mail to class teachers' }).click()
    await takePictures(office, 'classes-mail')
    await page.getByRole('button', { name: 'Mail the class teachers' }).click()
    await page.getByText('Every Monday').first().waitFor()
    assert.deepEqual(complaints, [])
  },
  { role: 'owner' },
)
