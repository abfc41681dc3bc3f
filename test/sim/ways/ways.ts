import assert from 'node:assert/strict'
import type { OrderKind } from '../../../src/orders/orders.rules.ts'
import { instalmentsOf } from '../../flex/sim/acts.ts'
import { inDays, send } from '../../flex/sim/acts-support.ts'
import { ERP, PAY, sampleOrder, sampleStudent } from '../../harness/samples.ts'
import { Visitor } from '../../harness/visitor.ts'
import { entranceFor, submit } from '../../portal/parents-support.ts'
import { createPage, submit as fillIn } from '../../payment-pages/support.ts'
import type { Json } from '../../harness/client.ts'
import type { Child, School, UnpaidOrder } from './school.ts'

/** One way to pay, used by somebody for one child; answers what came of it. */
export type Way = { weight: number; run: (school: School, child: Child) => Promise<string> }

const CRED = '/api/v1/integrations/cred'
const FLEX = '/api/v1/integrations/flex'
const LOANS = '/api/v1/sandbox/loans'

/** Mostly a component that is owed, and mostly no more than is left of it. */
async function drawLines({ town }: School, child: Child): Promise<Json[]> {
  const { random } = town
  const dues = (await send(town, child, ['GET', `${ERP}/students/${child.studentId}/dues`])).body.data
  const owed = dues.components.filter((line: Json) => line.outstanding_amount > 0)
  const line = random.pick<Json>(owed)
  if (line === undefined) return []
  const all = Math.round(line.outstanding_amount * 100)
  const paise = random.chance(0.6) ? all : random.between(1, all)
  return [{ component_type: line.component_type, amount: paise / 100 }]
}

const sum = (lines: readonly Json[]): number =>
  lines.reduce((total, line) => total + Math.round(line.amount * 100), 0) / 100

/** Makes an order and keeps it in mind, so that somebody pays it, now or much later. */
async function make(school: School, child: Child, path: string, body: object): Promise<string> {
  const { status, body: answer } = await send(school.town, child, ['POST', path, body])
  assert.ok([201, 400, 409].includes(status), JSON.stringify(answer))
  if (status !== 201) return String(status)
  return keep(school, { child, orderId: answer.data.order_id })
}

/** Half of the payers go to the bank at once, the others when they find the time. */
async function keep({ town, orders }: School, order: UnpaidOrder): Promise<string> {
  orders.push(order)
  if (town.random.chance(0.5)) return `made ${order.orderId}`
  return `made ${await startOrder(town, order)}`
}

export async function startOrder(town: School['town'], { child, orderId }: UnpaidOrder): Promise<string> {
  return `${orderId}, at the bank by ${await town.startPaying(child, orderId)}`
}

async function makeNamed(school: School, child: Child, kind: 'orders' | 'payment_links'): Promise<string> {
  const { random } = school.town
  const details = await drawLines(school, child)
  if (details.length === 0) return 'nothing'
  const { academic_year_start, academic_year_end } = sampleStudent()
  const names = random.chance(0.5)
    ? { service_student_id: child.studentId }
    : { settle_dues: true, identifier: child.identifier, academic_year_start, academic_year_end }
  return make(school, child, `${PAY}/${kind}`, sampleOrder({ details, ...names }))
}

async function payDues(school: School, child: Child): Promise<string> {
  if (school.town.random.chance(0.5)) return payInPortal(school, child)
  return make(school, child, `${PAY}/students/${child.studentId}/orders`, {
    take_over: school.town.random.chance(0.3),
  })
}

/** A parent signs in from the ERP and presses Pay on the child's page. */
async function payInPortal(school: School, child: Child): Promise<string> {
  const { town } = school
  const client = town.as(child)
  const visitor = new Visitor(client.url)
  await visitor.open(await entranceFor(client, `parent-${child.identifier}`))
  const path = `/parents/students/${child.studentId}`
  if (!(await visitor.open(path)).text.includes(`action="${path}/pay"`)) return 'nothing to pay on the page'
  const seen = await submit(visitor, path, `${path}/pay`)
  assert.ok(seen.status < 500, seen.text)
  const orderId = /^\/pay\/[\w-]+\/(order_\w+)$/.exec(seen.location ?? '')?.[1]
  if (orderId === undefined) return `the page says ${seen.status}`
  return keep(school, { child, orderId })
}

/** A public page stands by itself: whoever pays it, nothing of the child's fees is paid. */
async function payPage(school: School, child: Child): Promise<string> {
  school.page ??= await createPage(school.town.as(child))
  const { pathname } = new URL(school.page.url)
  const orderId = await fillIn(school.town.as(child).url + pathname)
  return keep(school, { child, orderId })
}

/** A clerk takes what the form offers, or what the family insists on. */
async function payAtCounter(school: School, child: Child, mode: 'cash' | 'cheque'): Promise<string> {
  const { town } = school
  const { random } = town
  const path = `/console/api/institutes/demo-school/students/${child.studentId}`
  const amount = random.between(1, 2 * child.feePaise) / 100
  const { body: spread } = await school.clerk().get(`${path}/spread?amount=${amount}`)
  const offered: Json[] = spread.data.fee_components
  const more = spread.data.excess
  const isAdvance = more > 0 && random.chance(0.3)
  const lines = random.chance(0.25)
    ? await drawLines(school, child)
    : [...offered, ...(isAdvance ? [{ component_type: 'ADVANCE', amount: more }] : [])]
  if (lines.length === 0) return 'nothing'
  const count = ++school.handed
  const paid_at = town.now.toISOString()
  const { status, body: answer } = await school.keepingAdvance(child, () =>
    school.clerk().post(`${path}/payments`, {
      amount: sum(lines),
      paid_at,
      mode,
      transaction_id: `${mode}-${count}`,
      fee_components: lines,
      ...(mode === 'cheque' ? { instrument: { number: `10${count}` } } : {}),
    }),
  )
  assert.ok([200, 201, 409].includes(status), JSON.stringify(answer))
  if (status === 201 && mode === 'cheque') school.cheques.push(answer.data.id)
  return `${JSON.stringify(lines)}: ${status}`
}

/** The ERP reports money that its own counter has taken: a fact that cannot be refused. */
async function report(school: School, child: Child): Promise<string> {
  const { town } = school
  const lines = await drawLines(school, child)
  if (lines.length === 0) return 'nothing'
  const payment = {
    amount: sum(lines),
    paid_at: town.now.toISOString(),
    mode: 'cash',
    transaction_id: `erp-${++school.handed}`,
    fee_components: lines,
  }
  const path = `${ERP}/students/${child.studentId}/payments`
  const { status, text } = await school.keepingAdvance(child, () =>
    send(town, child, ['POST', path, payment]),
  )
  assert.equal(status, 201, text)
  return JSON.stringify(lines)
}

/** A family that has no plan any more asks for another; its debits come by themselves. */
async function plan(school: School, child: Child): Promise<string> {
  const { town } = school
  if ((await instalmentsOf(town, child, 'scheduled confirmed presented skipped')).length > 0) return 'nothing'
  const { outstanding_amount: owed, components } = (
    await send(town, child, ['GET', `${ERP}/students/${child.studentId}/dues`])
  ).body.data
  if (owed === 0) return 'nothing'
  const details = components
    .filter((line: Json) => line.outstanding_amount > 0)
    .map((line: Json) => ({ component_type: line.component_type, amount: line.outstanding_amount }))
  const payment_schedule = [{ due_date: inDays(town, town.random.between(9, 16)), details }]
  const path = `${FLEX}/students/${child.studentId}/plans`
  const { status, text, body } = await send(town, child, ['POST', path, { payment_schedule }])
  assert.ok([201, 400, 409].includes(status), text)
  if (status !== 201) return String(status)
  child.planId = body.data.plan_id
  await town.giveMandate(child, owed <= 15_000 && town.random.chance(0.5) ? 'upi_autopay' : 'enach')
  return `plan ${child.planId}`
}

/** A lender promises what is owed and transfers it some days later. */
async function borrow({ town }: School, child: Child): Promise<string> {
  const path = `${CRED}/students/${child.studentId}/applications`
  const { status, text, body } = await send(town, child, ['POST', path, {}])
  assert.ok([201, 400, 409].includes(status), text)
  if (status !== 201) return String(status)
  const id: string = body.data.application_id
  for (const verb of ['fill', 'approve', 'sign']) {
    const done = await send(town, child, ['POST', `${LOANS}/${id}/${verb}`, {}])
    if (done.status >= 300) return `${id} ended at ${verb}: ${done.status}`
  }
  return `${id} is signed`
}

/** A family sends what it likes to the child's account number; a bank that hears no answer sends it again. */
async function transfer(school: School, child: Child): Promise<string> {
  const { town } = school
  const path = `${PAY}/students/${child.studentId}/virtual_account`
  const opened = await send(town, child, ['POST', path, {}])
  if (opened.status >= 300) return String(opened.status)
  const sent = { paise: town.random.between(1, 2 * child.feePaise), utr: `SIM${++school.handed}` }
  await school.untilAnswered(() => town.bank.transfer(town, child, sent))
  return `${sent.paise} under ${sent.utr}`
}

/**
 * A family pays its bill in an app of Bharat Connect, which takes the money at once; the unit posts what it has not posted when it
 * comes to it, some twice and in whatever order.
 */
async function payBill(school: School, child: Child): Promise<string> {
  const { random } = school.town
  const unit = await school.unit()
  const bill = await unit.fetchBill({ admission_number: child.identifier, date_of_birth: '20-06-2015' })
  if (typeof bill === 'string') return bill
  const paid = unit.pay(bill, random.chance(0.6) ? bill.amount : random.between(1, 2 * bill.amount))
  school.unposted.push(paid)
  if (random.chance(0.4)) return `${paid.amount} under ${paid.reference}, to be posted`
  const posted = random.pick(school.unposted) ?? paid
  school.unposted.splice(school.unposted.indexOf(posted), random.chance(0.2) ? 0 : 1)
  await school.untilAnswered(async () => (await school.unit()).post(posted))
  return `${paid.amount} under ${paid.reference}; posted ${posted.reference}`
}

/**
 * Every way in which money comes. A kind of order that is added to the product does not compile until it is here, and a down
 * payment is paid when its plan is set up.
 */
export const WAYS = {
  order: { weight: 4, run: (school, child) => makeNamed(school, child, 'orders') },
  link: { weight: 4, run: (school, child) => makeNamed(school, child, 'payment_links') },
  student: { weight: 6, run: payDues },
  page: { weight: 1, run: payPage },
  instalment: { weight: 3, run: plan },
  downpayment: { weight: 0, run: async () => 'nothing' },
  loan: { weight: 1, run: borrow },
  cash: { weight: 4, run: (school, child) => payAtCounter(school, child, 'cash') },
  cheque: { weight: 2, run: (school, child) => payAtCounter(school, child, 'cheque') },
  reported: { weight: 1.5, run: report },
  transfer: { weight: 2, run: transfer },
  bill: { weight: 3, run: payBill },
} satisfies Record<OrderKind | 'cash' | 'cheque' | 'reported' | 'transfer' | 'bill', Way>
