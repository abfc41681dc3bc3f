import type { Client, Json } from '../test/harness/client.ts'
import { ERP, sampleStudent } from '../test/harness/samples.ts'

const FLEX = '/api/v1/integrations/flex'
const SANDBOX = '/api/v1/sandbox'
const FEE = 1_000

type School = { client: Client; collectorCode: string }

/** Plans of one instalment each, all due on one day, and what happens on that day. */
export class Instalments {
  readonly #schools: readonly [School, ...School[]]
  readonly #dueOn: Temporal.PlainDate

  constructor(schools: readonly [School, ...School[]]) {
    this.#schools = schools
    // A Wednesday: no weekend moves what comes before and after it.
    const then = Temporal.Now.plainDateISO('Asia/Kolkata').add({ days: 30 })
    this.#dueOn = then.add({ days: (10 - then.dayOfWeek) % 7 })
  }

  /** Up to three days before: what else the schools had to do is over, and every mandate is given. */
  async prepare(addAll: (add: (index: number) => Promise<void>) => Promise<void>): Promise<void> {
    await this.#moveTo(-20)
    await addAll(index => this.#addPlan(index))
    await this.#moveTo(-3)
  }

  /** Reminded of, announced, presented, debited and settled. */
  async debit(): Promise<void> {
    await this.#moveTo(1)
  }

  async #addPlan(index: number): Promise<void> {
    const { client, collectorCode } = this.#schools[index % this.#schools.length]!
    const fee = { component_type: 'TUITION_FEE', fee_amount: FEE + index }
    const student = sampleStudent({ identifier: `DUE-${index}`, collector_code: collectorCode })
    const registered = await must(
      client.post(`${ERP}/users/parent-${index}/students`, { student, fee_components: [fee] }),
    )
    const details = [{ component_type: fee.component_type, amount: fee.fee_amount }]
    const plan = await must(
      client.post(`${FLEX}/students/${registered.service_student_id}/plans`, {
        payment_schedule: [{ due_date: this.#dueOn.toString(), details }],
      }),
    )
    await must(client.post(`${SANDBOX}/flex/plans/${plan.plan_id}/authorise`, { rail: 'enach' }))
  }

  async #moveTo(days: number): Promise<void> {
    const to = `${this.#dueOn.add({ days }).toString()}T00:00:00+05:30`
    const { summary } = await must(this.#schools[0].client.post(`${SANDBOX}/clock`, { to }))
    if (summary.work_failed !== undefined) throw new Error(JSON.stringify(summary))
  }
}

async function must(answering: ReturnType<Client['get']>): Promise<Json> {
  const { status, text, body } = await answering
  if (status >= 300) throw new Error(`${status} ${text}`)
  return body.data
}
