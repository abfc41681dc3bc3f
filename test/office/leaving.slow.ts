import assert from 'node:assert/strict'
import { makeOptionalFee, monthlyBus } from '../console/students/optional-fee.ts'
import { SCHOOL } from '../console/students/support.ts'
import { createPerson } from '../console/support.ts'
import { dataOf, type Answer, type Json } from '../harness/client.ts'
import { ERP, PAY, sampleStudent } from '../harness/samples.ts'
import { officeTask } from './clicks.ts'
import { takePictures } from './pictures.ts'

const BUS = monthlyBus(['2026-11', '2026-12'], [{ name: 'Route 4', amount: 1_500 }])

const made = async (answer: Promise<Answer>): Promise<Json> => dataOf(await answer)

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

officeTask(
  'end a bus and a cheque with a leaving, and write down that the family has its cheque',
  async office => {
    const { page, go, complaints, stage } = office
    const { demo } = stage.bursar
    const finance = await createPerson(stage.bursar, {
      email: 'bus@school.example',
      institute: 'demo-school',
      role: 'finance',
    })
    const { service_student_id: id } = await made(
      demo.post(`${ERP}/users/rao/students`, {
        student: sampleStudent(),
        fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 12_000 }],
      }),
    )
    const { now } = await made(demo.get('/api/v1/sandbox/clock'))
    const later = Temporal.PlainDate.from(now.slice(0, 10)).add({ days: 20 }).toString()
    const { at, options } = await makeOptionalFee(finance, BUS)
    const [option_id] = options
    await made(finance.post(`${at}/children`, { student_ids: [id], option_id, first_day: '2026-11-01' }))
    await made(
      finance.post(`${SCHOOL}/counter/post-dated-cheques`, {
        service_student_id: id,
        cheques: [{ number: '004512', bank: 'Canara Bank', date: later, amount: 6_000 }],
      }),
    )
    await made(demo.post(`${PAY}/students/${id}/orders`, { amount: 12_000 }))
    await go(`/i/demo-school/students/${id}`)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Leaving' }).click()
    const dialogue = page.getByRole('dialog')
    await dialogue.getByLabel('Last day at school').fill('2026-11-15')
    await dialogue.getByText('School bus ends on 15 Nov 2026: ₹750.00 of the year instead of').waitFor()
    await dialogue.getByText('1 open link or order can be paid no more: ₹12,000.00.').waitFor()
    await dialogue.getByLabel(/^Give the post-dated cheques back: 004512 over ₹6,000\.00 of /).waitFor()
    await takePictures(office, 'leaving-ends')
    await dialogue.getByRole('textbox', { name: /^Reason/ }).fill('Moves to Pune')
    await dialogue.getByRole('button', { name: 'Settle the leaving' }).click()
    await page.getByText('Cheques to hand back to the family: 004512 over ₹6,000.00.').waitFor()
    await takePictures(office, 'leaving-ended')
    await page.getByRole('link', { name: 'Post-dated cheques' }).click()
    await page.getByText('To hand back').first().waitFor()
    await takePictures(office, 'leaving-cheques')
    await page.getByRole('button', { name: 'Give back cheque 004512' }).click()
    await page.getByRole('dialog').getByLabel('Reason').fill('The mother has it')
    await page.getByRole('button', { name: 'Give it back' }).click()
    await page.getByText('Cheque 004512 is given back.').waitFor()
    await go('/i/demo-school/students/leavers')
    await page.getByText('To collect').first().waitFor()
    await takePictures(office, 'leavers')
    assert.deepEqual(complaints, [])
  },
)
