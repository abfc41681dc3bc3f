import assert from 'node:assert/strict'
import type { Stage } from '../harness/browser.ts'
import { ERP, sampleStudent } from '../harness/samples.ts'
import { officeTask } from './clicks.ts'
import { takePictures } from './pictures.ts'

/** Children of a class, two of them of one family. */
async function registerClass({ bursar }: Stage, count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    const phone = `98${String(Math.max(2, number)).padStart(8, '0')}`
    const answer = await bursar.demo.post(`${ERP}/users/parent-${phone}/students`, {
      student: sampleStudent({
        fullname: `Child ${String(number).padStart(2, '0')}`,
        identifier: `ADM-${number}`,
        primary_contact_number: phone,
        primary_contact_email: `p${phone}@example.in`,
      }),
      fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 12_000 }],
    })
    assert.equal(answer.status, 201, answer.text)
  }
  await bursar.demo.send('PUT', `${ERP}/payment-rules`, {
    late_fees: [{ due_date: '2026-10-10', kind: 'none' }],
  })
}

async function noonTomorrow({ bursar }: Stage): Promise<void> {
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  await bursar.demo.post('/api/v1/sandbox/clock', { to: `${tomorrow}T12:00:00+05:30` })
}

officeTask('defaulters reminded', async office => {
  const { page, go, stage, complaints } = office
  await registerClass(stage, 3)
  await noonTomorrow(stage)
  await go('/i/demo-school')
  await page.getByRole('link', { name: 'Money' }).first().click()
  await page.getByRole('link', { name: 'Dues', exact: true }).click()
  await page.getByRole('cell', { name: /Child 01/ }).waitFor()
  await takePictures(office, 'dues-with-acts')
  await page.getByRole('link', { name: 'Remind families' }).click()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('2 families of 3 students', { exact: false }).waitFor()
  await takePictures(office, 'reminder-preview')
  await page.getByRole('button', { name: 'Remind 2 families' }).click()
  await page.getByRole('heading', { name: 'Reminders', exact: true }).waitFor()
  await stage.bursar.demo.post('/api/v1/sandbox/clock', { advance: 'PT1M' })
  await page.getByText('2 of 2 reminded').waitFor()
  await takePictures(office, 'reminder-run')
  await page.setViewportSize({ width: 390, height: 844 })
  // The menu slides away while the page gets narrow.
  await page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth)
  const mails = await stage.bursar.demo.get('/api/v1/sandbox/mailbox?to=p9800000002@example.in')
  assert.equal(mails.body.data.length, 1)
  assert.match(mails.body.data[0].text, /Child 01[\s\S]*Child 02/)
  assert.deepEqual(complaints, [])
})

officeTask('links to a class of 40', async office => {
  const { page, go, stage, complaints } = office
  await registerClass(stage, 40)
  await noonTomorrow(stage)
  await go('/i/demo-school')
  await page.getByRole('link', { name: 'Students' }).first().click()
  await page.getByRole('checkbox', { name: 'Select all 40 shown' }).click()
  await takePictures(office, 'students-picked')
  await page.getByRole('link', { name: 'Remind the families of 40' }).click()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: 'Remind 39 families' }).click()
  await page.getByRole('heading', { name: 'Reminders', exact: true }).waitFor()
  await stage.bursar.demo.post('/api/v1/sandbox/clock', { advance: 'PT1M' })
  await page.getByText('39 of 39 reminded').waitFor()
  const links = await stage.bursar.sql<{ count: number }>(
    'select count(*)::int as count from reminder_students where order_id is not null',
  )
  assert.equal(links[0]?.count, 40)
  assert.deepEqual(complaints, [])
})

officeTask(
  'the school’s details set',
  async office => {
    const { page, go, complaints } = office
    await go('/i/demo-school/settings/school')
    await page.getByLabel('Address').fill('12 Temple Road, Bengaluru 560011')
    await page.getByLabel('Phone').fill('080-26531234')
    await page.getByLabel('Colour').fill('#ffee00')
    await page.getByRole('button', { name: 'Add an account' }).click()
    await takePictures(office, 'school-settings')
    await page.getByRole('button', { name: 'Remove account 1' }).click()
    await page.getByRole('button', { name: 'Save the details' }).click()
    await page.getByText('too light', { exact: false }).first().waitFor()
    await page.getByLabel('Colour').fill('#1D4ED8')
    await page.getByRole('button', { name: 'Save the details' }).click()
    await page.getByText('The school’s details are saved.').first().waitFor()
    assert.deepEqual(
      complaints.filter(text => !text.includes('400')),
      [],
    )
  },
  { role: 'owner' },
)
