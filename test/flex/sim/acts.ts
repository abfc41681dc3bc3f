import assert from 'node:assert/strict'
import { ERP } from '../../harness/samples.ts'
import { doLater, inDays, send } from './acts-support.ts'
import type { FlexAct } from './town.ts'
import type { Pupil } from './erp.ts'
import type { Town } from './town.ts'

const FLEX = '/api/v1/integrations/flex'

async function payAtCounter(town: Town, pupil: Pupil): Promise<string> {
  const { random } = town
  const [type, total] = random.pick([...pupil.fees]) ?? ['TUITION_FEE', 0]
  const paise = random.between(1, Math.max(1, Math.floor(total / random.between(1, 9))))
  const amount = paise / 100
  pupil.receipts += 1
  pupil.payments.push({
    amount,
    paid_at: town.now.toISOString(),
    mode: 'cash',
    transaction_id: `CASH-${pupil.identifier}-${pupil.receipts}`,
    fee_components: [{ component_type: type, amount }],
  })
  pupil.touchedAt = town.now.getTime()
  await town.register(pupil)
  return `${amount} of ${type}`
}

/** A cheque that bounced, or a payment that somebody recorded by mistake. */
async function cancelPayment(town: Town, pupil: Pupil): Promise<string> {
  const payment = town.random.pick(pupil.payments) as { transaction_id: string } | undefined
  if (payment === undefined) return 'nothing'
  pupil.payments = pupil.payments.filter(one => one !== payment)
  pupil.touchedAt = town.now.getTime()
  const path = `${ERP}/students/${pupil.studentId}/payments/${payment.transaction_id}`
  const { status, text } = await send(town, pupil, ['DELETE', path])
  assert.equal(status, 200, text)
  return payment.transaction_id
}

/** The ERP says for some days that nothing is owed, and then that it was a mistake. */
async function loseFees(town: Town, pupil: Pupil): Promise<string> {
  if (pupil.isCustom || pupil.fees.values().every(paise => paise === 0)) return 'nothing'
  const lost = new Map(pupil.fees)
  for (const type of lost.keys()) pupil.fees.set(type, 0)
  pupil.touchedAt = town.now.getTime()
  await patchFees(town, pupil)
  doLater(town, town.random.between(1, 20), async () => {
    for (const [type, paise] of lost) pupil.fees.set(type, paise)
    pupil.touchedAt = town.now.getTime()
    await patchFees(town, pupil)
  })
  return JSON.stringify([...lost])
}

/** Somebody drops a student by mistake; a plan that was to be debited meanwhile ends. */
async function drop(town: Town, pupil: Pupil): Promise<string> {
  const path = `${ERP}/students/${pupil.studentId}`
  const { status } = await send(town, pupil, ['POST', `${path}/drop`, {}])
  doLater(town, town.random.between(0, 3), async () => {
    await send(town, pupil, ['POST', `${path}/activate`, {}])
  })
  return String(status)
}

function drawFee({ random }: Town, pupil: Pupil): string {
  const [type, total] = random.pick([...pupil.fees]) ?? ['TUITION_FEE', 0]
  const isNew = random.chance(0.15)
  const change = random.pick([0, 0.5, 0.8, 0.95, 1.05, 1.3, 2]) ?? 1
  if (isNew) pupil.fees.set('EXAM_FEE', random.between(1, 3_000_00))
  else pupil.fees.set(type, Math.round(total * (random.chance(0.8) && change === 0 ? 0.9 : change)))
  if (pupil.isCustom) fitRows(pupil)
  return JSON.stringify([...pupil.fees])
}

/** The ERP's own schedule follows its own fees: the last row takes what is left. */
function fitRows(pupil: Pupil): void {
  const last = pupil.rows.at(-1)
  if (last === undefined) return
  last.details = [...pupil.fees].map(([type, total]) => {
    const others = pupil.rows
      .slice(0, -1)
      .flatMap(({ details }) => details)
      .filter(one => one.component_type === type)
    const taken = others.reduce((sum, one) => sum + one.paise, 0)
    return { component_type: type, paise: Math.max(total - taken, 0) }
  })
}

/** Bursar hears of it when it asks. */
async function changeFeeAtErp(town: Town, pupil: Pupil): Promise<string> {
  return drawFee(town, pupil)
}

async function pushFee(town: Town, pupil: Pupil): Promise<string> {
  const drawn = drawFee(town, pupil)
  pupil.touchedAt = town.now.getTime()
  await patchFees(town, pupil)
  return drawn
}

export async function patchFees(town: Town, pupil: Pupil): Promise<void> {
  const fees = [...pupil.fees].map(([type, paise]) => ({ component_type: type, fee_amount: paise / 100 }))
  const path = `${ERP}/students/${pupil.studentId}/fee`
  const { status, text } = await send(town, pupil, ['PATCH', path, { fee_components: fees }])
  assert.equal(status, 200, text)
}

async function refuseForDays(town: Town, pupil: Pupil): Promise<string> {
  const code =
    town.random.pick(['student_not_found', 'data_error', 'student_transferred', 'fees_frozen']) ?? ''
  pupil.refusal = { code, until: inDays(town, town.random.between(0, 9)) }
  return `${code} until ${pupil.refusal.until}`
}

async function leave(town: Town, pupil: Pupil): Promise<string> {
  pupil.refusal = { code: 'student_discontinued', until: '9999-12-31' }
  return `for good on ${town.today}`
}

/** The ERP plans anew: other amounts, other days, one more, one less, one for nothing. */
async function replan(town: Town, pupil: Pupil): Promise<string> {
  const { random } = town
  if (!pupil.isCustom) return 'nothing'
  const row = random.pick(pupil.rows)
  switch (random.between(0, 5)) {
    case 0:
      for (const one of row?.details ?? []) one.paise = Math.round(one.paise * 1.1)
      break
    case 1:
      if (row !== undefined) row.due_date = inDays(town, random.between(0, 60))
      break
    case 2:
      pupil.rows.push({
        reference_id: `${pupil.identifier}-${pupil.rows.length}-${town.today}`,
        due_date: inDays(town, random.between(0, 90)),
        details: [{ component_type: 'TUITION_FEE', paise: random.between(0, 4) * 700_11 }],
      })
      break
    case 3:
      if (pupil.rows.length > 2) pupil.rows = pupil.rows.filter(one => one !== row)
      break
    case 4:
      for (const one of row?.details ?? []) one.paise = 0
      break
    default:
      // By its day instead of its name.
      if (row !== undefined) row.reference_id = `${row.reference_id}x`
  }
  return JSON.stringify(pupil.rows)
}

const onPlan = (verb: string) => async (town: Town, pupil: Pupil) => {
  const { status, text } = await send(town, pupil, ['POST', `${FLEX}/plans/${pupil.planId}/${verb}`])
  assert.ok(status === 200 || status === 409, text)
  return String(status)
}

export const holdPlan = onPlan('hold')
export const cancelPlan = onPlan('cancel')

type Row = { id: string; due_on: string; state: string; rail: string | null }

export async function instalmentsOf(town: Town, pupil: Pupil, states: string): Promise<Row[]> {
  return town.sql<Row>(
    `select i.id, i.due_on, i.state, m.rail from flex_instalments i
     left join lateral (select rail from flex_mandates m where m.institute_id = i.institute_id
       and m.plan_id = i.plan_id order by created_at desc limit 1) m on true
     where i.plan_id = $1 and not i.is_downpayment and i.state = any ($2) order by i.number`,
    [pupil.planId, states.split(' ')],
  )
}

async function reschedule(town: Town, pupil: Pupil): Promise<string> {
  const open = await instalmentsOf(town, pupil, 'scheduled confirmed skipped bounced reversed due')
  const soon = open.slice(0, 3)
  const one =
    town.random.pick(open.filter(({ state }) => /bounced|reversed/.test(state))) ?? town.random.pick(soon)
  if (one === undefined) return 'nothing'
  const body = { due_date: one.due_on, new_due_date: inDays(town, town.random.between(0, 25)) }
  const path = `${FLEX}/students/${pupil.studentId}/reschedule`
  const { status, text } = await send(town, pupil, ['PATCH', path, body])
  assert.ok([200, 400, 409].includes(status), text)
  return `${one.state} ${JSON.stringify(body)}: ${status}`
}

export const FLEX_ACTS: readonly FlexAct[] = [
  { name: 'counter', weight: 6, run: payAtCounter },
  { name: 'payment cancelled', weight: 3, run: cancelPayment },
  { name: 'fees lost', weight: 1.5, run: loseFees },
  { name: 'dropped', weight: 0.6, run: drop },
  { name: 'fee at ERP', weight: 6, run: changeFeeAtErp },
  { name: 'fee pushed', weight: 4, run: pushFee },
  { name: 'refused', weight: 6, run: refuseForDays },
  { name: 'leaves', weight: 0.4, run: leave },
  { name: 'replan', weight: 8, run: replan },
  { name: 'hold', weight: 4, run: holdPlan },
  { name: 'resume', weight: 3, run: onPlan('resume') },
  { name: 'cancel', weight: 0.4, run: cancelPlan },
  { name: 'reschedule', weight: 8, run: reschedule },
]

/** What follows by itself: holds end, and parents whose mandate ended give another. */
export async function followUp(town: Town, isAll: boolean): Promise<string[]> {
  const said: string[] = []
  const plans = await town.sql<{ id: string; is_held: boolean; state: string; mandate: string | null }>(
    `select p.id, p.is_held, p.state, m.state as mandate from flex_plans p
     left join lateral (select state from flex_mandates m where m.institute_id = p.institute_id and m.plan_id = p.id
       order by created_at desc, id desc limit 1) m on true
     where p.is_held and p.state in ('setup', 'active', 'locked')
       or p.state in ('setup', 'locked') and m.state not in ('active', 'pending') order by p.id`,
  )
  const byId = new Map(plans.map(plan => [plan.id, plan]))
  for (const pupil of town.pupils) {
    const plan = byId.get(pupil.planId)
    if (plan === undefined || !(isAll || town.random.chance(0.15))) continue
    if (plan.is_held) said.push(`resumed ${pupil.planId} ${await onPlan('resume')(town, pupil)}`)
    if (plan.mandate !== 'active' && plan.mandate !== 'pending') {
      await town.giveMandate(pupil, await railFor(town, pupil))
      said.push(`new mandate for ${pupil.planId}`)
    }
  }
  return said
}

async function railFor(town: Town, pupil: Pupil): Promise<'enach' | 'upi_autopay'> {
  const [largest] = await town.sql<{ paise: number }>(
    `select max((select sum((l ->> 'amountPaise')::bigint) from jsonb_array_elements(i.lines) l))::bigint as paise
     from flex_instalments i where plan_id = $1 and not is_downpayment`,
    [pupil.planId],
  )
  return (largest?.paise ?? 0) <= 15_000_00 && town.random.chance(0.5) ? 'upi_autopay' : 'enach'
}
