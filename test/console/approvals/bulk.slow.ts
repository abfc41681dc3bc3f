import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { yearEnd } from '../../../src/app/jobs.ts'
import { finishImport } from '../../../src/imports/engine/steps.service.ts'
import { advanceRollovers } from '../../../src/students/rollover/rollover.service.ts'
import { startBursar } from '../../harness/bursar.ts'
import type { Answer } from '../../harness/client.ts'
import { ERP } from '../../harness/samples.ts'
import { instituteId, registerStudent } from '../../students/support.ts'
import { AT, uploadFile } from '../orders/support.ts'
import { assertAnswer, createPerson } from '../support.ts'

/** Fees that are lowered for many students at once wait for a second person too. */
const bursar = await startBursar({ after })
const { demo } = bursar
const [meera, head] = await Promise.all([
  createPerson(bursar, { email: 'meera@school.example', institute: 'demo-school', role: 'finance' }),
  createPerson(bursar, { email: 'head@school.example', institute: 'demo-school', role: 'owner' }),
])
const WHY = { reason: 'As the board decided' }

before(async () =>
  assertAnswer(await head.send('PUT', `${AT}/approval-limit`, { above: 5_000, ...WHY }), '200'),
)

async function kept(asking: Promise<Answer>): Promise<string> {
  const { body, text } = await asking
  assert.equal(body.data.status, 'waiting', text)
  return body.data.approval_id
}

const decide = (who: typeof meera, id: string, how: string): Promise<Answer> =>
  who.post(`${AT}/approvals/${id}/${how}`, {})

const TITLES = ['identifier', 'fullname', 'grade', 'primary_contact_number', 'fee:TUITION_FEE']

/** Checked, with one student of class 8. */
const checkedList = (fee: number): Promise<string> =>
  check(`No,Pupil,Std,Cell,Tuition\r\nLIST-1,Asha Rao,8,9876500091,${fee}\r\n`, TITLES)

/** Checked, with one student of this class and no fees. */
const listOf = (grade: string): Promise<string> =>
  check(`No,Pupil,Std,Cell\r\nMOVE-1,Ravi Rao,${grade},9876500092\r\n`, TITLES.slice(0, 4))

async function check(text: string, titles: readonly string[]): Promise<string> {
  const columns = JSON.stringify(titles)
  const year = { academic_year_start: '2026', academic_year_end: '2027' }
  const query = new URLSearchParams({ columns, ...year }).toString()
  const sent = await uploadFile(meera, text, { name: 'class-8.csv', to: 'student-files', query })
  assertAnswer(sent, '201')
  const { id } = sent.body.data
  await finish(id)
  return id
}

const finish = async (id: string): Promise<unknown> =>
  finishImport(bursar.app.ctx, { instituteId: await instituteId(bursar), id })

const startList = (id: string, body = {}): Promise<Answer> =>
  meera.post(`${AT}/student-files/${id}/start`, body)

async function tuitionOf(identifier: string, year = 2026): Promise<number | undefined> {
  const [row] = await bursar.sql<{ fee: number }>(
    `select f.fee_paise::int / 100 as fee from fee_components f join students s
       on s.institute_id = f.institute_id and s.id = f.student_id
     where s.identifier = $1 and s.academic_year_start = $2 and f.component_type = 'TUITION_FEE'`,
    [identifier, year],
  )
  return row?.fee
}

test('a list of students that lowers fees by more than the amount waits; one that raises them does not', async () => {
  for (const fee of [40_000, 35_000]) {
    const id = await checkedList(fee)
    assertAnswer(await startList(id), '200')
    await finish(id)
    assert.equal(await tuitionOf('LIST-1'), fee)
  }
  const lowered = await checkedList(29_000)
  const { rows, lowered_amount } = (await meera.get(`${AT}/student-files/${lowered}`)).body.data
  assert.deepEqual([rows.lowered, lowered_amount], [1, 6_000])
  assertAnswer(await startList(lowered), '400 HUE00000')
  const approval = await kept(startList(lowered, WHY))
  assertAnswer(await startList(lowered, WHY), '409 HUE00002')
  assert.equal((await meera.get(`${AT}/student-files/${lowered}`)).body.data.state, 'checked')
  const { title, amount, students, reason } = (await head.get(`${AT}/approvals`)).body.data[0]
  assert.deepEqual([title, amount], ['Lower fees by the list of students class-8.csv', 6_000])
  assert.deepEqual([students, reason], [1, WHY.reason])
  assertAnswer(await decide(head, approval, 'approve'), '200')
  await finish(lowered)
  assert.equal(await tuitionOf('LIST-1'), 29_000)
  const discarded = await checkedList(9_000)
  const late = await kept(startList(discarded, WHY))
  assertAnswer(await meera.send('DELETE', `${AT}/student-files/${discarded}`), '200')
  assertAnswer(await decide(head, late, 'approve'), '409 HUE00002')
  assert.equal(await tuitionOf('LIST-1'), 29_000)
})

const YEAR = `${AT}/fee-structures/2026/2027`

async function setFees(...[third, fourth]: [number, number]): Promise<void> {
  const amounts = [
    { grade: '3', component_type: 'TUITION_FEE', term: 1, amount: third },
    { grade: '4', component_type: 'TUITION_FEE', term: 1, amount: fourth },
  ]
  const heads = { fee_heads: ['TUITION_FEE'], grades: ['3', '4'], amounts, concessions: [] }
  const terms = [{ name: 'Year', due_date: '2026-06-10' }]
  const saved = await meera.send('PUT', YEAR, { terms, ...heads, ...WHY })
  if (saved.status === 201) assertAnswer(await decide(head, saved.body.data.approval_id, 'approve'), '200')
  else assertAnswer(saved, '200')
}

test('a list that moves a student to a cheaper class waits like one that lowers its fee', async () => {
  await setFees(20_000, 50_000)
  const first = await listOf('4')
  assertAnswer(await startList(first), '200')
  await finish(first)
  assert.equal(await tuitionOf('MOVE-1'), 50_000)
  const moved = await listOf('3')
  const { rows, lowered_amount } = (await meera.get(`${AT}/student-files/${moved}`)).body.data
  assert.deepEqual([rows.lowered, lowered_amount], [1, 30_000])
  const approval = await kept(startList(moved, WHY))
  assert.equal(await tuitionOf('MOVE-1'), 50_000)
  assertAnswer(await decide(head, approval, 'approve'), '200')
  await finish(moved)
  assert.equal(await tuitionOf('MOVE-1'), 20_000)
})

test('what was checked or asked for before the fees were lowered further is not done by it', async () => {
  await setFees(50_000, 50_000)
  const raised = await listOf('4')
  assertAnswer(await startList(raised), '200')
  await finish(raised)
  const harmless = await listOf('3')
  await setFees(1_000, 50_000)
  assertAnswer(await startList(harmless, WHY), '409 HUE00002')
  const waiting = await kept(startList(await listOf('3'), WHY))
  await setFees(500, 50_000)
  assertAnswer(await decide(head, waiting, 'approve'), '409 HUE00002')
  assert.equal(await tuitionOf('MOVE-1'), 50_000)

  await setFees(500, 44_000)
  const apply = { grade: '4', ...WHY }
  const approval = await kept(meera.post(`${YEAR}/apply`, apply))
  await setFees(500, 10_000)
  const refused = await decide(head, approval, 'approve')
  assertAnswer(refused, '409 HUE00002')
  assert.match(refused.body.message, /₹40,000\.00, and was asked for with ₹6,000\.00/)
  assert.equal(await tuitionOf('MOVE-1'), 50_000)
  await setFees(500, 44_000)
  assertAnswer(await decide(head, approval, 'approve'), '200')
  assert.equal(await tuitionOf('MOVE-1'), 44_000)
})

test('a new year that costs a class less than now by more than the amount waits, and is started once approved', async () => {
  await registerStudent(demo, { identifier: 'ROLL-9', grade: '9' })
  await registerStudent(demo, { identifier: 'ROLL-10', grade: '10' })
  const thisYear = (await tuitionOf('ROLL-10')) ?? 0
  const roll = (fee: number, preview = false): Promise<Answer> =>
    meera.post(`${AT}/rollovers`, {
      from_academic_year_start: 2026,
      from_academic_year_end: 2027,
      to_academic_year_start: 2027,
      to_academic_year_end: 2028,
      grades: [{ grade: '9', next_grade: '10' }],
      fees: [{ grade: '10', fee_components: [{ component_type: 'TUITION_FEE', fee_amount: fee }] }],
      without_structure: true,
      ...(preview ? { preview } : WHY),
    })
  assertAnswer(await roll(thisYear - 5_001, true), '201')
  const approval = await kept(roll(thisYear - 5_001))
  assert.deepEqual((await meera.get(`${AT}/rollovers`)).body.data, [])
  assertAnswer(await decide(meera, approval, 'approve'), '409 HUE00002')
  assertAnswer(await decide(head, approval, 'approve'), '200')
  await finishAll()
  assert.equal(await tuitionOf('ROLL-9', 2027), thisYear - 5_001)
  // Nobody is registered by a repetition, so it lets nobody off anything.
  assertAnswer(await roll(thisYear - 5_001), '201')
})

const finishAll = async (): Promise<void> => {
  for (let rows = 1; rows > 0;) rows = await advanceRollovers(bursar.app.ctx, yearEnd)
}

const LATE_RULES = {
  late_fees: [{ due_date: '2026-01-10', kind: 'slab', slabs: [{ from_day: 1, amount: 4_000 }] }],
}

test('a late fee that falls away because a list takes the fee off is counted with the list', async () => {
  const first = await checkedList(2_000)
  assertAnswer(await decide(head, await kept(startList(first, WHY)), 'approve'), '200')
  await finish(first)
  assertAnswer(await demo.send('PUT', `${ERP}/payment-rules`, LATE_RULES), '200')
  const freed = await checkedList(0)
  await kept(startList(freed, WHY))
  const [{ amount }] = (await head.get(`${AT}/approvals`)).body.data
  assert.equal(amount, 6_000, '2,000 of the fee, and 4,000 of its late fee')
  assert.equal(await tuitionOf('LIST-1'), 2_000)
  assertAnswer(await demo.send('PUT', `${ERP}/payment-rules`, { late_fees: [] }), '200')
})

test('a rollover lets nobody off what was not weighed when it was started: not by a structure of later, nor a child of later', async () => {
  const body = {
    from_academic_year_start: 2026,
    from_academic_year_end: 2027,
    to_academic_year_start: 2028,
    to_academic_year_end: 2029,
    grades: [{ grade: '11', next_grade: '12' }],
    fees: [],
    without_structure: true,
    ...WHY,
  }
  await registerStudent(demo, { identifier: 'ROLL-11', grade: '11' })
  const roll = async (): Promise<string> => {
    const started = await meera.post(`${AT}/rollovers`, body)
    assertAnswer(started, '201')
    return started.body.data.id
  }
  const setFee = async (amount: number): Promise<void> => {
    const amounts = [{ grade: '12', component_type: 'TUITION_FEE', term: 1, amount }]
    const terms = [{ name: 'Year', due_date: '2028-06-10' }]
    const structure = { terms, fee_heads: ['TUITION_FEE'], grades: ['12'], amounts, concessions: [] }
    assertAnswer(await meera.send('PUT', `${AT}/fee-structures/2028/2029`, { ...structure, ...WHY }), '200')
  }
  await finishAll()
  await setFee(100)
  const stopped = await roll()
  await setFee(90_000)
  await finishAll()
  assert.equal((await meera.get(`${AT}/rollovers/${stopped}`)).body.data.state, 'stopped')
  assert.equal(await tuitionOf('ROLL-11', 2028), undefined)

  const done = await roll()
  await registerStudent(demo, { identifier: 'ROLL-LATER', grade: '11' })
  await finishAll()
  assert.equal((await meera.get(`${AT}/rollovers/${done}`)).body.data.state, 'done')
  assert.deepEqual(
    [await tuitionOf('ROLL-11', 2028), await tuitionOf('ROLL-LATER', 2028)],
    [90_000, undefined],
  )
  await roll()
  await finishAll()
  assert.equal(await tuitionOf('ROLL-LATER', 2028), 90_000)
})
