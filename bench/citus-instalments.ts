import type { Bursar } from '../src/app/bursar.ts'
import { startOfDay } from '../src/platform/calendar.ts'
import { writeSetting } from '../src/platform/db/instance-settings.ts'
import type { Client, Json } from '../test/harness/client.ts'
import { ERP, sampleStudent } from '../test/harness/samples.ts'

const FLEX = '/api/v1/integrations/flex'
const SANDBOX = '/api/v1/sandbox'
const FEE = 1_000
const HOUR_MS = 3_600_000

type School = { client: Client; collectorCode: string }
type Process = Pick<Bursar, 'ctx' | 'worker' | 'sandboxClock'>

/** Plans of one instalment each, all due on one day, and what happens on that day. */
export class Instalments {
  readonly #process: Process
  readonly #schools: readonly School[]
  readonly #dueOn: Temporal.PlainDate

  constructor(process: Process, schools: readonly School[]) {
    this.#process = process
    this.#schools = schools
    // A Wednesday: no weekend moves what comes before and after it.
    const then = Temporal.Now.plainDateISO('Asia/Kolkata').add({ days: 30 })
    this.#dueOn = then.add({ days: (10 - then.dayOfWeek) % 7 })
  }

  /** Up to three days before: what else the schools had to do is over, and every mandate is given. */
  async prepare(addAll: (add: (index: number) => Promise<void>) => Promise<void>): Promise<void> {
    await this.#moveTo(this.#dayOf(-20))
    await addAll(index => this.#addPlan(index))
    await this.#moveTo(this.#dayOf(-3))
  }

  /**
   * Reminded of, announced, presented, debited and settled. Six hours at a time, so that each step finds all of them, as on
   * the due date of a large school; the clock of the API would stop at the moment of each.
   */
  async debit(): Promise<void> {
    const end = this.#dayOf(2)
    for (let at = this.#dayOf(-3) + 3 * HOUR_MS; at <= end; at += 6 * HOUR_MS) await this.#moveTo(at)
  }

  #dayOf(days: number): number {
    return startOfDay(this.#dueOn.add({ days }).toString()).getTime()
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
    await must(client.post(`${SANDBOX}/flex/plans/${plan.plan_id}/authorise`, { rail: 'upi_autopay' }))
  }

  async #moveTo(at: number): Promise<void> {
    const { ctx, worker, sandboxClock } = this.#process
    const offset = at - Date.now()
    await writeSetting(ctx.db, 'clock_offset_ms', String(offset))
    sandboxClock?.advanceTo(offset)
    const { failed } = await worker.finishAllDue()
    if (Object.keys(failed).length > 0) throw new Error(JSON.stringify(failed))
  }
}

async function must(answering: ReturnType<Client['get']>): Promise<Json> {
  const { status, text, body } = await answering
  if (status >= 300) throw new Error(`${status} ${text}`)
  return body.data
}
