import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBursar } from '../../harness/bursar.ts'
import type { Answer, Json } from '../../harness/client.ts'
import { ERP, sampleStudent } from '../../harness/samples.ts'
import { AT } from '../orders/support.ts'
import { assertAnswer, createPerson } from '../support.ts'

const bursar = await startBursar({ after })
const [meera, head] = await Promise.all([
  createPerson(bursar, { email: 'meera@school.example', institute: 'demo-school', role: 'finance' }),
  createPerson(bursar, { email: 'head@school.example', institute: 'demo-school', role: 'owner' }),
])
const reason = 'The teacher asked for it'

test('a child who is moved to a class that is cheaper by more than the amount waits, unchanged, for a second person', async () => {
  assertAnswer(await head.send('PUT', `${AT}/approval-limit`, { above: 5_000, reason }), '200')
  const prices = Object.entries({ 1: 60_000, 2: 55_000, 3: 40_000 })
  const structure = {
    terms: [{ name: 'Year', due_date: '2026-06-10' }],
    fee_heads: ['TUITION_FEE'],
    grades: ['1', '2', '3'],
    amounts: prices.map(([grade, amount]) => ({ grade, component_type: 'TUITION_FEE', term: 1, amount })),
    concessions: [],
  }
  assertAnswer(await meera.send('PUT', `${AT}/fee-structures/2026/2027`, structure), '200')
  const added = await meera.post(`${AT}/students`, sampleStudent({ fullname: 'Asha Rao', grade: '1' }))
  assertAnswer(added, '201')
  const id = added.body.data.service_student_id
  const isNow = async (grade: string, owed: number): Promise<void> => {
    const { data } = (await bursar.demo.get(`${ERP}/students/${id}`)).body
    assert.deepEqual([data.grade, data.fee_summary.outstanding], [grade, owed])
  }
  const move = (grade: string, more: Json = {}): Promise<Answer> =>
    meera.send('PATCH', `${AT}/students/${id}`, { grade, reason, ...more })
  await isNow('1', 60_000)
  // Up to the amount it is done at once.
  assertAnswer(await move('2'), '200')
  await isNow('2', 55_000)
  const asked = await move('3', { section: 'C' })
  assertAnswer(asked, '201')
  const { status, approval_id, amount, title } = asked.body.data
  assert.deepEqual(
    [status, amount, title],
    ['waiting', 15_000, 'Asha Rao moved from class 2 to 3, with lower fees'],
  )
  await isNow('2', 55_000)
  assertAnswer(await move('3'), '409 HUE00002')
  assertAnswer(await meera.post(`${AT}/approvals/${approval_id}/approve`, {}), '409 HUE00002')
  assertAnswer(await head.post(`${AT}/approvals/${approval_id}/approve`, {}), '200')
  await isNow('3', 40_000)
  // What makes nothing cheaper never waits.
  assertAnswer(await move('1'), '200')
  await isNow('1', 60_000)
})
