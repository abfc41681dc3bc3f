import { startMandate } from '../../../src/flex/mandates/setup.service.ts'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import type { Json } from '../../harness/client.ts'
import { assertStatus, newStudent, openContract, type Contract } from '../../http/support.ts'

/** A Bursar with students who owe, and plans over it. */
export const FLEX = '/api/v1/integrations/flex'
export const SANDBOX = '/api/v1/sandbox'

const FEES = [
  { component_type: 'TUITION_FEE', fee_amount: 10000.01 },
  { component_type: 'TRANSPORT_FEE', fee_amount: 333.33 },
]

export const TRANSPORT = { component_type: 'TRANSPORT_FEE', amount: 333.33 }

export const plansOf = (studentId: string): string => `${FLEX}/students/${studentId}/plans`

export class FlexContract {
  readonly contract: Contract
  readonly #schoolId: number

  private constructor(contract: Contract, schoolId: number) {
    this.contract = contract
    this.#schoolId = schoolId
  }

  static async open(): Promise<FlexContract> {
    const contract = await openContract()
    return new FlexContract(contract, (await getInstitute(contract.app.ctx, 'demo-school')).id)
  }

  /** So many days from today in India, by the sandbox's clock. */
  dayIn(days: number): string {
    const now = Temporal.Instant.fromEpochMilliseconds(this.contract.app.ctx.clock.now().getTime())
    return now.toZonedDateTimeISO('Asia/Kolkata').toPlainDate().add({ days }).toString()
  }

  student(): Promise<string> {
    return newStudent(this.contract.demo, { fee_components: FEES })
  }

  row(days: number, tuition: number | string, changes: Record<string, unknown> = {}): Json {
    const details = [{ component_type: 'TUITION_FEE', amount: tuition }]
    return { due_date: this.dayIn(days), details, ...changes }
  }

  /** Takes exactly what such a student owes. */
  wholeSchedule(): Json[] {
    const last = this.row(60, 5000.01, { reference_id: 'SECOND' })
    return [this.row(30, 5000, { reference_id: 'FIRST' }), { ...last, details: [...last.details, TRANSPORT] }]
  }

  async newPlan(studentId: string, payment_schedule?: Json[]): Promise<Json> {
    const answer = await this.contract.demo.post(plansOf(studentId), { payment_schedule })
    assertStatus(answer, 201)
    return answer.body.data
  }

  async wholePlan(planId: string): Promise<Json> {
    const answer = await this.contract.demo.get(`${FLEX}/plans/${planId}`)
    assertStatus(answer, 200)
    return answer.body.data
  }

  /** The payer chooses UPI and says yes at the bank, which confirms it at once. */
  async setUp(planId: string): Promise<void> {
    const { demo, app, url } = this.contract
    await startMandate(
      app.ctx,
      { instituteId: this.#schoolId, planId },
      { rail: 'upi_autopay', language: 'en', returnUrl: url },
    )
    assertStatus(await demo.post(`${SANDBOX}/flex/plans/${planId}/authorise`, {}), 200)
  }

  async activePlan(): Promise<Json> {
    const { plan_id } = await this.newPlan(await this.student(), this.wholeSchedule())
    await this.setUp(plan_id)
    return this.wholePlan(plan_id)
  }
}
