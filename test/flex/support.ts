import type { TestContext } from 'node:test'
import { downpaymentOrder } from '../../src/flex/plans/open-setup.service.ts'
import { startMandate } from '../../src/flex/mandates/setup.service.ts'
import type { Rail } from '../../src/flex/rules/rails.rules.ts'
import { getInstitute } from '../../src/institutes/institutes.service.ts'
import { dayOf } from '../../src/platform/calendar.ts'
import { startBursar, type TestBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { sampleRecord, startFakeErp, type FakeErp } from '../harness/fakes/erp.ts'
import { ERP, sampleStudent } from '../harness/samples.ts'

export const FLEX = '/api/v1/integrations/flex'

/** One school, one student with a plan, and an ERP that is asked before every debit. */
export type World = {
  bursar: TestBursar
  erp: FakeErp
  studentId: string
  planId: string
  /** The plan as the API shows it. */
  plan(): Promise<Json>
  advance(duration: string): Promise<Json>
  /** Until something is so, day by day from shortly before the next debit. */
  advanceUntil(isSo: (plan: Json) => boolean, what: string, days?: number): Promise<Json>
  eventsOf(code: string): Promise<Json[]>
  mailbox(): Promise<Json[]>
}

export const FEES = [
  { component_type: 'TUITION_FEE', fee_amount: 60000 },
  { component_type: 'TRANSPORT_FEE', fee_amount: 12000.5 },
]

/** Of all that is owed. The first is magic: the bank says that the account is short, unless somebody decides otherwise. */
export const SHORT_FIRST: readonly Json[] = [
  ...[5000.81, 14000, 14000, 14000, 12999.19].map((amount, index) => ({
    due_date: `2027-0${index + 1}-05`,
    details: [{ component_type: 'TUITION_FEE', amount }],
  })),
  { due_date: '2027-06-05', details: [{ component_type: 'TRANSPORT_FEE', amount: 12000.5 }] },
]

type Options = {
  rail?: Rail
  schedule?: readonly Json[]
  withErp?: boolean
  customSchedule?: boolean
  setUp?: boolean
  env?: Record<string, string>
}

export async function openWorld(t: TestContext, options: Options = {}): Promise<World> {
  const { rail = 'enach', schedule, withErp = true, customSchedule = false, setUp = true } = options
  const bursar = await startBursar(t, options.env)
  const { demo } = bursar
  const erp = await startFakeErp(t)
  erp.put(
    sampleRecord({}, { fee_components: FEES, ...(customSchedule ? { payment_schedule: schedule } : {}) }),
  )
  const registered = await demo.post(`${ERP}/users/parent-1/students`, {
    student: sampleStudent(),
    fee_components: FEES,
  })
  const studentId = registered.body.data.service_student_id
  if (withErp)
    await must(demo.send('PUT', '/api/v1/sandbox/erp', { url: erp.url, custom_schedule: customSchedule }))
  const drafted = await must(
    demo.post(
      `${FLEX}/students/${studentId}/plans`,
      schedule === undefined ? {} : { payment_schedule: schedule },
    ),
  )
  const planId = drafted.body.data.plan_id
  const plan = async (): Promise<Json> => (await must(demo.get(`${FLEX}/plans/${planId}`))).body.data
  const world: World = {
    bursar,
    erp,
    studentId,
    planId,
    plan,
    async advance(duration) {
      return (await must(demo.post('/api/v1/sandbox/clock', { advance: duration }))).body.data
    },
    async advanceUntil(isSo, what, days = 60) {
      const clock = await must(demo.get('/api/v1/sandbox/clock'))
      let today = dayOf(new Date(clock.body.data.now))
      for (let left = days; left > 0;) {
        const now = await plan()
        if (isSo(now)) return now
        const stride = Math.min(quietDays(now, today), left)
        left -= stride
        today = dayOf(new Date((await world.advance(`P${stride}D`)).now))
      }
      throw new Error(`${what} did not come within ${days} days: ${JSON.stringify(await plan())}`)
    },
    eventsOf: code =>
      bursar
        .sql('select payload, sequence from events where event_code = $1 order by sequence', [code])
        .then(rows => rows.map(row => row['payload'])),
    mailbox: async () => (await must(demo.get('/api/v1/sandbox/mailbox?limit=200'))).body.data,
  }
  if (setUp) await setUpPlan(world, rail)
  return world
}

const QUIET = ['scheduled', 'settled', 'covered', 'waived', 'cancelled', 'due']
const DAYS_BEFORE = 3

/** How many days nothing happens to the plan: its next debit is far, and none is under way. */
function quietDays({ status, payment_schedule: rows }: Json, today: string): number {
  if (status !== 'active' || rows.some((one: Json) => !QUIET.includes(one.status))) return 1
  const days = rows
    .filter((one: Json) => one.status === 'scheduled' && !one.is_downpayment)
    .map((one: Json) => Temporal.PlainDate.from(today).until(one.present_on).total('days') - DAYS_BEFORE)
  return Math.max(1, ...(days.length === 0 ? [] : [Math.min(...days)]))
}

export async function setUpPlan({ bursar, planId }: World, rail: Rail): Promise<void> {
  const institute = await getInstitute(bursar.app.ctx, 'demo-school')
  const key = { instituteId: institute.id, planId }
  await startMandate(bursar.app.ctx, key, { rail, language: 'en', returnUrl: `${bursar.url}/` })
  await must(bursar.demo.post(`/api/v1/sandbox/flex/plans/${planId}/authorise`))
}

/** At the checkout, before the mandate. */
export async function payDownPayment({ bursar, planId }: World): Promise<void> {
  const institute = await getInstitute(bursar.app.ctx, 'demo-school')
  const key = { instituteId: institute.id, planId }
  const orderId = await downpaymentOrder(bursar.app.ctx, key, `${bursar.url}/`)
  await must(bursar.demo.post(`/api/v1/sandbox/pay/orders/${orderId}/pay`, { outcome: 'success' }))
}

/** What the bank makes of a debit that is out, or of one that it had paid. */
export async function decide(world: World, plan: Json, outcome: object, n = 0): Promise<void> {
  const { id } = plan.payment_schedule[n]
  await must(world.bursar.demo.post(`/api/v1/sandbox/flex/instalments/${id}/outcome`, outcome))
}

/** Half a minute after the next presentation, before the bank has decided. */
export async function untilPresented(world: World): Promise<Json> {
  const before = await world.plan()
  const { present_on: day } = before.payment_schedule[0]
  const time = before.mandate.rail === 'enach' ? '08:30:30' : '09:00:30'
  await must(world.bursar.demo.post('/api/v1/sandbox/clock', { to: `${day}T${time}+05:30` }))
  const plan = await world.plan()
  if (stateOf(plan) !== 'presented') throw new Error(`it is ${stateOf(plan)} instead of presented`)
  return plan
}

async function must(answering: Promise<{ status: number; text: string; body: Json }>) {
  const answer = await answering
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`)
  return answer
}

/** A day so many days from another, or from today. */
export function dayIn(days: number, from = dayOf(new Date())): string {
  return Temporal.PlainDate.from(from).add({ days }).toString()
}

export const stateOf = (plan: Json, n = 0): string => plan.payment_schedule[n].status
