import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setFlexSettings } from '../../src/flex/settings/settings.service.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { startBursar } from '../harness/bursar.ts'
import { newFamily, visitAs } from './parents-support.ts'

const bursar = await startBursar({ after })
const { demo, app } = bursar
const FLEX = '/api/v1/integrations/flex'

test('a plan that a family begins ends inside the academic year, one that the ERP asks for is the school’s own, and a draft that is not offered any more is drawn anew', async () => {
  await demo.post('/api/v1/sandbox/clock', { to: '2027-11-17T12:00:00+05:30' })
  const year = { academic_year_start: 2027, academic_year_end: 2028 }
  const { user, students } = await newFamily(demo, { students: [year, year] })
  const [asked = '', begun = ''] = students
  const daysOf = async (planId: string): Promise<string[]> =>
    (await demo.get(`${FLEX}/plans/${planId}`)).body.data.payment_schedule.map(
      (row: { due_date: string }) => row.due_date,
    )
  const byErp = (await demo.post(`${FLEX}/students/${asked}/plans`, {})).body.data.plan_id
  assert.equal((await daysOf(byErp)).length, 10)

  const parent = await visitAs(bursar, user)
  const path = `/parents/students/${begun}/plan`
  const { location: setup } = await parent.post(`${path}/start`, { csrf: await parent.csrf(path) })
  const planId = setup?.split('/').at(-1) ?? ''
  const inYear = ['2027-12-05', '2028-01-05', '2028-02-05', '2028-03-05']
  assert.deepEqual(await daysOf(planId), inYear)

  // The school offers two lengths from now on, of which one fits: both drafts become that one when they are opened.
  await setFlexSettings(app.ctx, await getInstitute(app.ctx, 'demo-school'), { offered: [3, 6] })
  for (const id of [planId, byErp]) {
    assert.equal((await parent.get(`/flex/demo-school/${id}`)).status, 200)
    assert.deepEqual(await daysOf(id), inYear.slice(0, 3))
  }
})
