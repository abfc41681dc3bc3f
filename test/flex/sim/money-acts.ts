import assert from 'node:assert/strict'
import { ERP, sampleStudent } from '../../harness/samples.ts'
import { inDays, send } from './acts-support.ts'
import type { FlexAct } from './town.ts'
import type { Pupil } from './erp.ts'
import type { Town } from './town.ts'

/** What goes back, what an ERP loses, what a bank halts, and what a new academic year brings. */
/** Of an instalment or a down payment, whole or in part. One that the bank takes back too is a case for a person. */
async function refund(town: Town, pupil: Pupil): Promise<string> {
  const { random } = town
  const paid = await town.sql<{ order_id: string; paise: number }>(
    `select i.order_id, (select sum(amount_paise)::bigint from order_lines l
       where l.institute_id = i.institute_id and l.order_id = i.order_id) as paise
     from flex_instalments i where i.plan_id = $1 and i.state in ('debited', 'settled') order by i.number`,
    [pupil.planId],
  )
  const one = random.pick(paid)
  if (one === undefined || (await town.bank.isGoingBack(town, one.order_id))) return 'nothing'
  const body = random.chance(0.3) ? {} : { amount: random.between(1, one.paise) / 100 }
  pupil.touchedAt = town.now.getTime()
  const path = `/api/v1/integrations/pay/orders/${one.order_id}/refunds`
  const { status, text } = await send(town, pupil, ['POST', path, body])
  assert.ok(status < 300 || status === 409, text)
  return `${one.order_id} ${JSON.stringify(body)}: ${status}`
}

/** The ERP has the student and none of its fees. */
async function emptyFees(town: Town, pupil: Pupil): Promise<string> {
  pupil.emptyUntil = inDays(town, town.random.between(0, 5))
  return `until ${pupil.emptyUntil}`
}

/** Registered for the year after, with fees of its own: nothing of it is this year's plan's. */
async function nextYear(town: Town, pupil: Pupil): Promise<string> {
  const { academic_year_start: start, academic_year_end: end } = sampleStudent()
  const year = { academic_year_start: String(Number(start) + 1), academic_year_end: String(Number(end) + 1) }
  const names = { identifier: pupil.identifier, fullname: `Pupil ${pupil.identifier}` }
  const student = sampleStudent({ ...year, ...names, collector_code: pupil.branch, grade: '6' })
  const fees = [{ component_type: 'TUITION_FEE', fee_amount: town.random.between(10_000, 90_000) }]
  const path = `${ERP}/users/parent-${pupil.identifier}/students`
  const { status, text } = await send(town, pupil, ['POST', path, { student, fee_components: fees }])
  assert.ok(status < 300, text)
  return JSON.stringify(fees)
}

/** The whole school goes on; what is due may go along, and then this year's plans have nothing left to take. */
async function rollOver(town: Town, pupil: Pupil): Promise<string> {
  const { academic_year_start: start, academic_year_end: end } = sampleStudent()
  const carried = town.random.chance(0.5) ? { carry_dues_as: 'PREVIOUS_YEAR_DUES' } : {}
  const body = {
    from_academic_year_start: Number(start),
    from_academic_year_end: Number(end),
    to_academic_year_start: Number(start) + 1,
    to_academic_year_end: Number(end) + 1,
    grades: [{ grade: '5', next_grade: '6' }],
    fees: [{ grade: '6', fee_components: [{ component_type: 'TUITION_FEE', fee_amount: 65_000 }] }],
    ...carried,
  }
  const { status, text } = await send(town, pupil, ['POST', `${ERP}/academic-years/rollover`, body])
  assert.ok(status < 300 || status === 409, text)
  for (const one of town.pupils)
    if (one.school === pupil.school) one.touchedAt = town.now.getTime() + 3_600_000
  return `${pupil.school} ${JSON.stringify(carried)}: ${status}`
}

export const MONEY_ACTS: readonly FlexAct[] = [
  { name: 'refund', weight: 4, run: refund },
  { name: 'empty fees', weight: 2, run: emptyFees },
  { name: 'next year', weight: 1.5, run: nextYear },
  { name: 'rollover', weight: 0.3, run: rollOver },
]
