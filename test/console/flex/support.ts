import { startMandate } from '../../../src/flex/mandates/setup.service.ts'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import { startBursar, type TestBursar } from '../../harness/bursar.ts'
import type { Answer, Json } from '../../harness/client.ts'
import { sampleRecord, startFakeErp, type FakeErp } from '../../harness/fakes/erp.ts'
import { ERP, sampleStudent } from '../../harness/samples.ts'

/** A school with plans of every kind on the day after their first debit. */
export type FlexSchool = {
  bursar: TestBursar
  erp: FakeErp
  /** Ids of plans by the first name of their student. */
  plans: Record<Child, string>
  /** The day on which the first instalments were to be presented. */
  day: string
  advance(duration: string): Promise<void>
  planOf(child: Child): Promise<Json>
}

const CHILDREN = {
  Kabir: 'Kabir Rao',
  Asha: 'Asha Menon',
  Ravi: 'Ravi Iyer',
  Meera: 'Meera Nair',
  Dev: 'Dev Shah',
  Om: 'Om Jain',
  Isha: 'Isha Bose',
} as const
type Child = keyof typeof CHILDREN

const FEES = [
  { component_type: 'TUITION_FEE', fee_amount: 60_000 },
  { component_type: 'TRANSPORT_FEE', fee_amount: 12_000.5 },
]
const FLEX = '/api/v1/integrations/flex'

/**
 * Kabir pays, Asha has not enough money, Ravi's mandate has ended, the ERP does not know Meera, Dev is held, Om paid at the
 * counter, and Isha's plan is a draft.
 */
export async function openFlexSchool(owner: {
  after(done: () => Promise<void> | void): void
}): Promise<FlexSchool> {
  const bursar = await startBursar(owner)
  const { demo, app } = bursar
  const erp = await startFakeErp(owner)
  await must(demo.send('PUT', '/api/v1/sandbox/erp', { url: erp.url }))
  const institute = await getInstitute(app.ctx, 'demo-school')
  const plans: Partial<Record<Child, string>> = {}
  for (const [child, fullname] of Object.entries(CHILDREN) as [Child, string][]) {
    const identifier = `ADM-${child.toUpperCase()}`
    erp.put(sampleRecord({ identifier, fullname }, { fee_components: FEES }))
    const student = sampleStudent({ identifier, fullname })
    const registered = await must(
      demo.post(`${ERP}/users/parent-of-${child}/students`, { student, fee_components: FEES }),
    )
    const studentId = registered.body.data.service_student_id
    const drafted = await must(demo.post(`${FLEX}/students/${studentId}/plans`, {}))
    const planId = drafted.body.data.plan_id
    plans[child] = planId
    if (child === 'Isha') continue
    const key = { instituteId: institute.id, planId }
    const chargeComponents = ['PICNIC_FEE']
    await startMandate(app.ctx, key, {
      rail: 'enach',
      language: 'en',
      returnUrl: `${bursar.url}/`,
      chargeComponents,
    })
    await must(demo.post(`/api/v1/sandbox/flex/plans/${planId}/authorise`))
  }
  const school: Omit<FlexSchool, 'day'> = {
    bursar,
    erp,
    plans: plans as Record<Child, string>,
    advance: async duration => void (await must(demo.post('/api/v1/sandbox/clock', { advance: duration }))),
    planOf: async child => (await must(demo.get(`${FLEX}/plans/${plans[child]}`))).body.data,
  }
  return { ...school, day: await firstRun(school) }
}

async function firstRun(school: Omit<FlexSchool, 'day'>): Promise<string> {
  const { bursar, erp, plans, advance, planOf } = school
  await must(bursar.demo.post(`${FLEX}/plans/${plans.Dev}/hold`))
  erp.refuse('ADM-MEERA', 'student_not_found', 'No such student in our books.')
  await must(
    bursar.demo.post(`${ERP}/users/parent-of-Om/students`, {
      student: sampleStudent({ identifier: 'ADM-OM', fullname: CHILDREN.Om }),
      fee_components: FEES,
      payments: [
        {
          amount: 7_200.05,
          paid_at: '2026-06-01',
          mode: 'cash',
          transaction_id: 'CASH-OM',
          fee_components: [
            { component_type: 'TUITION_FEE', amount: 6_000 },
            { component_type: 'TRANSPORT_FEE', amount: 1_200.05 },
          ],
        },
      ],
    }),
  )
  // Half a minute after the presentation, before the bank has decided.
  const day = (await planOf('Kabir')).payment_schedule[0].present_on
  await must(bursar.demo.post('/api/v1/sandbox/clock', { to: `${day}T08:30:30+05:30` }))
  for (const [child, code] of [
    ['Asha', '04'],
    ['Ravi', '08'],
  ] as const) {
    const [first] = (await planOf(child)).payment_schedule
    const path = `/api/v1/sandbox/flex/instalments/${first.id}/outcome`
    await must(bursar.demo.post(path, { outcome: 'bounced', code }))
  }
  await advance('P1D')
  return day
}

export async function must(answering: Promise<Answer>): Promise<Answer> {
  const answer = await answering
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`)
  return answer
}
