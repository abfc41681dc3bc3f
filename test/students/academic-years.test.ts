import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertAnswer } from '../console/support.ts'
import { StudentDesk } from '../console/students/support.ts'
import type { Json } from '../harness/client.ts'
import { sampleRecord, startFakeErp } from '../harness/fakes/erp.ts'
import { ERP, sampleStudent } from '../harness/samples.ts'
import { Visitor } from '../harness/visitor.ts'
import { textOf, visitAs } from '../portal/parents-support.ts'
import { fetchesOf, pull, setErp } from './support.ts'

/** A new academic year is a new student record: linked to the old one, never mixed with it. */
const desk = await StudentDesk.open(after)
const { bursar } = desk
const { demo } = bursar
const erp = await startFakeErp({ after })
const NEXT = { grade: '6', academic_year_start: 2027, academic_year_end: 2028 }
const FLEX = '/api/v1/integrations/flex'

async function studentOf(id: string): Promise<Json> {
  const answer = await demo.get(`${ERP}/students/${id}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

/** Last year's record, on which 20,000 of 60,000 is paid. */
async function lastYear(identifier: string, parent: string): Promise<string> {
  const answer = await demo.post(`${ERP}/users/${parent}/students`, {
    student: sampleStudent({ identifier }),
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 60000 }],
    payments: [
      {
        amount: 20000,
        paid_at: '2026-06-05',
        mode: 'cash',
        transaction_id: 'CASH-1',
        fee_components: [{ component_type: 'TUITION_FEE', amount: 20000 }],
      },
    ],
  })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data.service_student_id
}

async function assertUntouched(id: string): Promise<void> {
  const student = await studentOf(id)
  assert.deepEqual(
    [student.grade, student.academic_year_start, student.fee_summary.paid, student.fee_summary.outstanding],
    ['5', 2026, 20000, 40000],
  )
}

test('a PATCH to another academic year is 409 and says what to do, and nothing changes', async () => {
  const id = await lastYear('YEAR-PATCH', 'year-patch')
  const answer = await demo.patch(`${ERP}/students/${id}`, { ...NEXT, fullname: 'Kabir S. Rao' })
  assertAnswer(answer, '409 HUE00002')
  assert.match(answer.body.message, /Register the student for that year, or roll the academic year over/)
  await assertUntouched(id)
  assert.equal((await studentOf(id)).fullname, 'Kabir Rao')
})

test('the next year is a record of its own; API, console and parents see both, and last year stays due', async () => {
  const id = await lastYear('YEAR-BOTH', 'year-both')
  const answer = await demo.post(`${ERP}/users/year-both/students`, {
    student: sampleStudent({ identifier: 'YEAR-BOTH', ...NEXT }),
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 65000 }],
  })
  assertAnswer(answer, '201')
  const next = answer.body.data.service_student_id
  assert.notEqual(next, id)
  await assertUntouched(id)
  const view = await studentOf(next)
  assert.equal(view.fee_summary.outstanding, 65000)
  assert.deepEqual(view.other_years, [
    {
      service_student_id: id,
      academic_year_start: 2026,
      academic_year_end: 2027,
      grade: '5',
      status: 'active',
      outstanding: 40000,
      on_the_way_amount: 0,
    },
  ])
  assert.deepEqual(
    (await studentOf(id)).other_years.map((one: Json) => one.service_student_id),
    [next],
  )
  const page = await desk.page(next)
  const family = page.family
  assert.deepEqual((await desk.page(id)).family, family, 'the same from both years')
  assert.deepEqual(
    family.children.map((one: Json) => [one.service_student_id, one.total_amount]),
    [[next, family.total_amount]],
    'a child stands once, with all of its years',
  )
  assert.deepEqual(
    page.other_years.map((one: Json) => [one.service_student_id, one.academic_year_end, one.total_amount]),
    [[id, 2027, 40000]],
  )
  const visitor = await visitAs(bursar, 'year-both')
  const home = textOf((await visitor.open('/parents')).text)
  assert.match(home, /2026-27/)
  assert.match(home, /2027-28/)
})

test('a stranger with the same identifier in another year is no year of this student', async () => {
  const id = await lastYear('YEAR-SHARED', 'year-one')
  await demo.post(`${ERP}/users/year-two/students`, {
    student: sampleStudent({ identifier: 'YEAR-SHARED', ...NEXT }),
  })
  assert.deepEqual((await studentOf(id)).other_years, [])
})

test('for a presentation or reminder of the old year the next year is a data_error that says what to switch on', async () => {
  const id = await lastYear('YEAR-PULL', 'year-pull')
  await setErp(demo, erp)
  erp.put(sampleRecord({ identifier: 'YEAR-PULL', ...NEXT }))
  for (const reason of ['presentation', 'reminder', 'console'] as const) {
    const pulled = await pull(bursar, id, reason)
    assert.ok(pulled.kind === 'refused')
    assert.deepEqual([pulled.code, pulled.actsAs], ['academic_year_changed', 'data_error'])
    assert.match(pulled.message, /lookup parameters academic_year_start and academic_year_end/)
  }
  assert.equal((await fetchesOf(demo, id))[0].code, 'academic_year_changed')
  await assertUntouched(id)
  assert.deepEqual((await studentOf(id)).other_years, [])
})

test('when a plan is set up the record of the year that the ERP answers is registered, found again and used', async () => {
  const id = await lastYear('YEAR-FLEX', 'year-flex')
  await setErp(demo, erp)
  erp.put(
    sampleRecord(
      { identifier: 'YEAR-FLEX', ...NEXT },
      { fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 65000 }] },
    ),
  )
  const draft = await demo.post(`${FLEX}/students/${id}/plans`, {})
  assertAnswer(draft, '201')
  const visitor = new Visitor(bursar.url)
  const path = `/flex/demo-school/${draft.body.data.plan_id}`
  const first = await visitor.get(path)
  assert.equal(first.status, 303)
  const [other, ...more] = (await studentOf(id)).other_years
  assert.deepEqual([more, other.academic_year_start, other.outstanding], [[], 2027, 65000])
  const { plan_id: planId } = (await demo.get(`${FLEX}/students/${other.service_student_id}/plans`)).body.data
  assert.equal(first.location, `/flex/demo-school/${planId}`)
  assert.equal((await visitor.get(path)).location, first.location)
  assert.equal((await visitor.get(first.location ?? '')).status, 200)
  await assertUntouched(id)
})

test('init with the next year in the ERP opens a record of that year and leaves the old one', async () => {
  const id = await lastYear('YEAR-INIT', 'year-init')
  await setErp(demo, erp)
  const user = { name: 'Asha Rao', phone: '9876543210' }
  erp.put(sampleRecord({ identifier: 'YEAR-INIT', ...NEXT }, { user }))
  const answer = await demo.post(`${ERP}/init`, { student: { identifier: 'YEAR-INIT' }, options: {} })
  assertAnswer(answer, '201')
  await assertUntouched(id)
  const { body } = await demo.get(`${ERP}/students?identifier=YEAR-INIT`)
  assert.deepEqual(
    body.data.map((one: Json) => one.academic_year_start),
    [2027, 2026],
  )
})
