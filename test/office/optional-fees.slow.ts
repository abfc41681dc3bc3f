import assert from 'node:assert/strict'
import { yearEnd } from '../../src/app/jobs.ts'
import { advanceRollovers } from '../../src/students/rollover/rollover.service.ts'
import { memberOf } from '../browser/console/support.ts'
import { makeOptionalFee, monthlyBus } from '../console/students/optional-fee.ts'
import { assertAnswer, type Visitor } from '../console/support.ts'
import type { Json } from '../harness/client.ts'
import { ERP, sampleStudent } from '../harness/samples.ts'
import { officeTask, type Office } from './clicks.ts'
import { takePictures } from './pictures.ts'

const BUS = monthlyBus(
  ['2027-01', '2027-02'],
  [
    { name: 'Route 4', stop: 'Station', amount: 1_800 },
    { name: 'Route 4', stop: 'Gandhi Chowk', amount: 1_500 },
  ],
)

async function setSchool({
  stage,
}: Office): Promise<{ owner: Visitor; bus: string; stop: string; ids: string[] }> {
  const owner = await memberOf(stage, 'owner')
  const ids: string[] = []
  for (const [no, fullname] of ['Arjun Nair', 'Kabir Rao', 'Meera Iyer'].entries()) {
    const student = sampleStudent({ fullname, identifier: `ADM-${no}` })
    const fee_components = [{ component_type: 'TUITION_FEE', fee_amount: 12_000 }]
    const made = await stage.bursar.demo.post(`${ERP}/users/parent-${no}/students`, {
      student,
      fee_components,
    })
    assertAnswer(made, '201')
    ids.push(made.body.data.service_student_id)
  }
  const { at: bus, options } = await makeOptionalFee(owner, BUS)
  const [stop = ''] = options
  return { owner, bus, stop, ids }
}

officeTask(
  'give a bus to children that are ticked in the list, and print the driver’s sheet',
  async office => {
    const { page, go } = office
    const { owner, bus, stop, ids } = await setSchool(office)
    // One of them rides already.
    const had = { student_ids: [ids[0]], option_id: stop }
    assertAnswer(await owner.post(`${bus}/children`, had), '200')
    await go('/i/demo-school')
    await page.getByRole('link', { name: 'Students' }).first().click()
    await page.getByLabel('Select Arjun Nair').check()
    await page.getByLabel('Select Kabir Rao').check()
    await page.getByRole('button', { name: 'Optional fee', exact: true }).click()
    const dialogue = page.getByRole('dialog')
    await dialogue
      .getByLabel('Option', { exact: true })
      .selectOption({ label: 'Route 4, Gandhi Chowk: ₹1,500.00' })
    await dialogue.getByRole('button', { name: 'Preview' }).click()
    // Who gets it and what it costs, and who has it.
    await dialogue.getByRole('row', { name: /Kabir Rao .* ₹0\.00 ₹3,000\.00 Changes/ }).waitFor()
    await dialogue.getByRole('row', { name: /Arjun Nair .*Cannot: has Route 4, Station from/ }).waitFor()
    await takePictures(office, 'optional-fee-picked')
    await dialogue.getByRole('button', { name: 'Do it: 1 child' }).click()
    await page.getByText('Done for 1 child.').waitFor()
    await page.getByRole('link', { name: 'Optional fees' }).click()
    await page.getByRole('link', { name: 'School bus' }).click()
    await page.getByRole('row', { name: /Kabir Rao/ }).waitFor()
    for (const [button, name] of [
      ['Drivers’ sheets (PDF)', /^roll-2027-01-01\.pdf$/],
      ['Drivers’ sheets (XLSX)', /^roll-2027-01-01\.xlsx$/],
    ] as const) {
      const saved = page.waitForEvent('download')
      await page.getByRole('button', { name: button }).click()
      assert.match((await saved).suggestedFilename(), name)
    }
    await takePictures(office, 'optional-fee-sheets')
    assert.deepEqual(office.complaints, [])
  },
)

officeTask('take the bus on into the new year', async office => {
  const { page, go, stage } = office
  const { owner, bus, stop, ids } = await setSchool(office)
  const given = { student_ids: ids.slice(0, 2), option_id: stop }
  assertAnswer(await owner.post(`${bus}/children`, given), '200')
  await go('/i/demo-school/students/rollover')
  await page.getByLabel('Start 2027-28 without it').check()
  const ahead = page.getByRole('group', { name: 'Optional fees' })
  await ahead.getByRole('row', { name: /School bus Transport 2/ }).waitFor()
  await takePictures(office, 'new-year-optional-ahead')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: 'Start the year 2027-28' }).click()
  await page.getByRole('dialog').getByLabel('Reason').fill('A new year')
  await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click()
  await page.getByText('0 of 3 students are done.').waitFor()
  for (let rows = 1; rows > 0;) rows = await advanceRollovers(stage.bursar.app.ctx, yearEnd)
  await page.getByText('It is done.').waitFor()
  await page.getByRole('heading', { name: 'Do the optional fees go on?' }).waitFor()
  await page.getByRole('button', { name: 'Add School bus for 2027-28 at the same amounts' }).click()
  const form = page.getByRole('form', { name: 'Carry on School bus' })
  await form.getByRole('button', { name: 'Preview' }).click()
  await form.getByText('₹0.00 now, ₹7,200.00 afterwards', { exact: false }).waitFor()
  await takePictures(office, 'new-year-optional')
  await form.getByRole('button', { name: 'Carry on: 2 children' }).click()
  await page.getByText('Done for 2 children.').waitFor()
  const { data } = (await stage.bursar.demo.get(`${ERP}/students?academic_year_start=2027`)).body
  const withBus: number[] = data.map((one: Json) => one.fee_summary.outstanding)
  assert.equal(withBus.filter(sum => sum % 12_000 === 7_200).length, 2)
  assert.deepEqual(office.complaints, [])
})
