import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { yearEnd } from '../../src/app/jobs.ts'
import { advanceRollovers } from '../../src/students/rollover/rollover.service.ts'
import { carryForward } from '../../src/students/rollover/rollover.rules.ts'
import { summariseFees } from '../../src/fees/fees.rules.ts'
import { paiseOf } from '../../src/platform/money.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { sampleRecord, startFakeErp } from '../harness/fakes/erp.ts'
import { ERP, sampleStudent } from '../harness/samples.ts'
import { pull, setErp } from './support.ts'

/** Next year's student records, made of this year's. */
const bursar = await startBursar({ after })
const { demo } = bursar
const ROLLOVER = `${ERP}/academic-years/rollover`
const FLEX = '/api/v1/integrations/flex'
const YEARS = {
  from_academic_year_start: 2026,
  from_academic_year_end: 2027,
  to_academic_year_start: 2027,
  to_academic_year_end: 2028,
}
const OPTIONS = {
  ...YEARS,
  grades: [{ grade: '5', next_grade: '6' }, { grade: '12' }],
  fees: [{ grade: '6', fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 65000 }] }],
  carry_dues_as: 'PREVIOUS_YEAR_DUES',
  carry_advance_as: 'PREVIOUS_YEAR_ADVANCE',
}

async function register(identifier: string, paid: number, grade = '5'): Promise<string> {
  const answer = await demo.post(`${ERP}/users/parent-of-${identifier}/students`, {
    student: sampleStudent({ identifier, grade, house: 'Tagore', new_admission: true }),
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 60000 }],
    payments: [
      {
        amount: paid,
        paid_at: '2026-06-05',
        mode: 'cash',
        transaction_id: 'CASH-1',
        fee_components: [{ component_type: 'TUITION_FEE', amount: paid }],
      },
    ],
  })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data.service_student_id
}

async function studentOf(id: string): Promise<Json> {
  return (await demo.get(`${ERP}/students/${id}`)).body.data
}

async function nextOf(id: string): Promise<Json> {
  const [other, ...more] = (await studentOf(id)).other_years
  assert.deepEqual(more, [])
  return studentOf(other.service_student_id)
}

async function start(options: object = OPTIONS): Promise<Json> {
  const answer = await demo.post(ROLLOVER, options)
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data
}

/** Starts one and does what a worker would; the process's own jobs may take part. */
async function roll(options: object = OPTIONS): Promise<Json> {
  const { id } = await start(options)
  for (;;) {
    await advanceRollovers(bursar.app.ctx, yearEnd)
    const { body } = await demo.get(`${ROLLOVER}/${id}`)
    if (body.data.state === 'done') return body.data
  }
}

test('a rollover is previewed, registers next year with fees of the grade, and carries dues and advance once', async () => {
  const owing = await register('ROLL-OWES', 20000)
  const ahead = await register('ROLL-AHEAD', 61500)
  const leaving = await register('ROLL-LEAVES', 60000, '12')
  const unmapped = await register('ROLL-UNMAPPED', 60000, '9')
  const expected = { students_seen: 4, registered: 2, known: 0, leaving: 1, problem_count: 1 }
  const seen = await start({ ...OPTIONS, preview: true })
  const { students_seen, registered, known, leaving: left, problem_count } = seen
  assert.deepEqual({ students_seen, registered, known, leaving: left, problem_count }, expected)
  assert.deepEqual([seen.state, seen.carried_dues, seen.carried_advance], ['done', 40000, 1500])
  assert.deepEqual(
    seen.grades.map((one: Json) => [
      one.grade,
      one.next_grade,
      one.students,
      one.registered,
      one.fees,
      one.carried_dues,
    ]),
    [
      ['5', '6', 2, 2, 130000, 40000],
      ['9', undefined, 1, 0, 0, 0],
      ['12', undefined, 1, 0, 0, 0],
    ],
  )
  assert.deepEqual([seen.students_total, seen.fees], [4, 130000])
  assert.deepEqual(
    seen.problems.map((one: Json) => [one.service_student_id, one.identifier]),
    [[unmapped, 'ROLL-UNMAPPED']],
  )
  assert.deepEqual((await studentOf(owing)).other_years, [], 'a preview changes nothing')

  const done = await roll()
  assert.deepEqual([done.registered, done.carried_dues, done.carried_advance], [2, 40000, 1500])
  const next = await nextOf(owing)
  assert.deepEqual(
    [next.grade, next.house, next.new_admission, next.registration_ids],
    ['6', 'Tagore', false, ['parent-of-ROLL-OWES']],
  )
  // 40,000 was due, and is due once: on the new record.
  assert.equal((await studentOf(owing)).fee_summary.outstanding, 0)
  assert.equal(next.fee_summary.outstanding, 65000 + 40000)
  // 20,000 by payments and 40,000 carried make the 60,000 that count as paid.
  const { carried, fee_summary } = await studentOf(owing)
  assert.deepEqual(
    [carried[0].component_type, carried[0].amount, carried[0].service_student_id, fee_summary.paid],
    ['TUITION_FEE', 40000, next.service_student_id, 60000],
  )
  const rich = await nextOf(ahead)
  assert.deepEqual(
    [(await studentOf(ahead)).fee_summary.advance, rich.fee_summary.advance, rich.fee_summary.outstanding],
    [0, 1500, 65000],
  )
  assert.deepEqual((await studentOf(leaving)).other_years, [])

  const again = await roll()
  assert.deepEqual([again.registered, again.known, again.carried_dues, again.carried_advance], [0, 2, 0, 0])
  assert.deepEqual((await nextOf(owing)).fee_summary, next.fee_summary)
  const events = (await demo.get(`${ERP}/events?limit=200`)).body.data
  assert.equal(
    events.filter((one: Json) => one.payload.service_student_id === next.service_student_id).length,
    1,
  )
})

test('a student that cannot be written is named, the others are registered, and a repetition takes it', async () => {
  const ids = await Promise.all(['A', 'B', 'C', 'D', 'E'].map(name => register(`ROLL-BROKEN-${name}`, 60000)))
  await bursar.sql(
    `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`,
  )
  await bursar.sql(
    `create trigger refuse before insert on students for each row when (new.identifier = 'ROLL-BROKEN-C') execute function refuse()`,
  )
  const { id } = await start()
  await assert.rejects(async () => {
    for (let rows = 1; rows > 0;) rows = await advanceRollovers(bursar.app.ctx, yearEnd)
  }, /refused/)
  await advanceRollovers(bursar.app.ctx, yearEnd)
  const { body } = await demo.get(`${ROLLOVER}/${id}`)
  const broken = body.data.problems.filter((one: Json) => one.identifier.startsWith('ROLL-BROKEN'))
  assert.deepEqual([body.data.state, broken.map((one: Json) => one.identifier)], ['done', ['ROLL-BROKEN-C']])
  assert.equal(body.data.registered, 4)
  await bursar.sql(`drop trigger refuse on students`)
  assert.equal((await roll()).registered, 1)
  for (const one of ids) assert.equal((await nextOf(one)).grade, '6')
})

test('what a running plan collects, or is being paid, stays on the old record until a repetition', async () => {
  const planned = await register('ROLL-PLANNED', 20000)
  const { plan_id } = (await demo.post(`${FLEX}/students/${planned}/plans`, {})).body.data
  const authorised = await demo.post(`/api/v1/sandbox/flex/plans/${plan_id}/authorise`, {})
  assert.equal(authorised.status, 200, authorised.text)
  const done = await roll()
  assert.deepEqual([done.registered, done.not_carried, done.carried_dues], [1, 1, 0])
  assert.match(done.problems.at(-1).message, /plan collects what is due/)
  assert.equal((await nextOf(planned)).fee_summary.outstanding, 65000)
  assert.equal((await studentOf(planned)).fee_summary.outstanding, 40000)
  assert.equal((await demo.post(`${FLEX}/plans/${plan_id}/cancel`, {})).status, 200)
  const again = await roll()
  assert.deepEqual([again.registered, again.not_carried, again.carried_dues], [0, 0, 40000])
  assert.equal((await nextOf(planned)).fee_summary.outstanding, 65000 + 40000)
})

test('what is carried never takes the place of a fee, and grades that are not named are left alone', async () => {
  const owing = await register('ROLL-OWN-NAME', 20000)
  const clash = await demo.post(ROLLOVER, { ...OPTIONS, carry_dues_as: 'TUITION_FEE', preview: true })
  assert.deepEqual([clash.status, clash.body.errors[0].key], [400, 'carry_dues_as'])
  // A record of the new year that the ERP has made, with a fee under the name.
  const next = sampleStudent({
    identifier: 'ROLL-OWN-NAME',
    grade: '6',
    academic_year_start: 2027,
    academic_year_end: 2028,
  })
  const fee_components = [{ component_type: 'OLD_DUES', fee_amount: 1300 }]
  await demo.post(`${ERP}/users/parent-of-ROLL-OWN-NAME/students`, { student: next, fee_components })
  const done = await roll({ ...OPTIONS, carry_dues_as: 'OLD_DUES' })
  assert.match(
    done.problems.find((one: Json) => one.service_student_id === owing).message,
    /has a fee OLD_DUES already/,
  )
  assert.equal((await nextOf(owing)).fee_summary.outstanding, 1300)
  assert.equal((await studentOf(owing)).fee_summary.outstanding, 40000)
  const others = await roll({ ...OPTIONS, grades: [{ grade: '11', next_grade: '12' }] })
  assert.deepEqual([others.known, others.carried_dues], [0, 0])
  assert.match(
    others.problems.find((one: Json) => one.service_student_id === owing).message,
    /not among the classes/,
  )
  assert.equal((await studentOf(owing)).fee_summary.outstanding, 40000)
  // Leaves nothing for the tests below to carry.
  await roll()
})

test('an advance that is carried under the name of a fee pays that fee', async () => {
  const ahead = await register('ROLL-PAYS', 61500)
  await roll({ ...OPTIONS, carry_advance_as: 'TUITION_FEE' })
  const { outstanding, advance } = (await nextOf(ahead)).fee_summary
  assert.deepEqual({ outstanding, advance }, { outstanding: 65000 - 1500, advance: 0 })
})

test('a rollover that is stopped leaves what it did, and another goes on from there', async () => {
  await register('ROLL-STOPPED', 60000)
  const { id } = await start()
  const stopped = await demo.delete(`${ROLLOVER}/${id}`)
  assert.deepEqual([stopped.status, stopped.body.data.state], [200, 'stopped'])
  assert.equal(await advanceRollovers(bursar.app.ctx, yearEnd), 0)
  assert.equal((await demo.delete(`${ROLLOVER}/${id}`)).status, 409)
  assert.equal((await roll()).registered, 1)
})

test('dues that were carried stay due when the ERP answers for the new year without them', async () => {
  const erp = await startFakeErp({ after })
  const owing = await register('ROLL-PULLED', 20000)
  await roll()
  const next = await nextOf(owing)
  await setErp(demo, erp)
  const year = { grade: '6', academic_year_start: 2027, academic_year_end: 2028 }
  const fees = [{ component_type: 'TUITION_FEE', fee_amount: 65000 }]
  erp.put(sampleRecord({ identifier: 'ROLL-PULLED', ...year }, { fee_components: fees }))
  assert.equal((await pull(bursar, next.service_student_id)).kind, 'found')
  assert.equal((await studentOf(next.service_student_id)).fee_summary.outstanding, 65000 + 40000)
})

test('a new year that is not after the old one, and a grade twice, are 400; an unknown rollover is 404', async () => {
  const backwards = await demo.post(ROLLOVER, { ...OPTIONS, to_academic_year_start: 2026 })
  assert.deepEqual([backwards.status, backwards.body.code], [400, 'HUE00000'])
  const grades = [...OPTIONS.grades, { grade: '5', next_grade: '7' }]
  assert.equal((await demo.post(ROLLOVER, { ...OPTIONS, grades })).status, 400)
  assert.equal((await demo.get(`${ROLLOVER}/roll_unknown`)).status, 404)
})

test('what is carried leaves nothing due and nothing in advance behind, to the paisa', () => {
  const paise = fc.integer({ min: 0, max: 1_000_000 }).map(paiseOf)
  const types = ['A', 'B', 'C']
  fc.assert(
    fc.property(
      fc.array(paise, { minLength: 2, maxLength: 3 }),
      fc.array(paise, { minLength: 3, maxLength: 3 }),
      (prices, sums) => {
        const fees = prices.map((feePaise, index) => ({
          componentType: types[index] ?? '',
          position: index + 1,
          feePaise,
          discounts: [],
        }))
        const paid = new Map(types.map((type, index) => [type, sums[index] ?? paiseOf(0)]))
        const before = summariseFees(fees, paid)
        const carried = carryForward(fees, paid, {
          duesComponent: 'D',
          advanceComponent: 'V',
          deposits: [],
        })
        for (const { componentType, amountPaise } of carried.transfers)
          paid.set(componentType, paiseOf((paid.get(componentType) ?? 0) + amountPaise))
        const { outstandingPaise, advancePaise } = summariseFees(fees, paid)
        assert.deepEqual([outstandingPaise, advancePaise], [0, 0])
        assert.deepEqual(
          [carried.duesPaise, carried.advancePaise],
          [before.outstandingPaise, before.advancePaise],
        )
      },
    ),
  )
})
