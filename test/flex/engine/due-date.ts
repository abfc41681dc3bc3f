import assert from 'node:assert/strict'
import { createPlan } from '../../../src/flex/plans/plans.service.ts'
import { startMandate } from '../../../src/flex/mandates/setup.service.ts'
import { getInstitute } from '../../../src/institutes/institutes.service.ts'
import { dayOf, startOfDay } from '../../../src/platform/calendar.ts'
import { paiseOf } from '../../../src/platform/money.ts'
import type { Bursar } from '../../../src/app/bursar.ts'
import type { Client } from '../../harness/client.ts'
import { sampleRecord, type FakeErp } from '../../harness/fakes/erp.ts'
import { findUnfinished } from '../../harness/payments.ts'
import { ERP, sampleStudent } from '../../harness/samples.ts'

/** A day on which many instalments are due, and the proof that each was debited once. */
const SANDBOX = '/api/v1/sandbox'
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

type Ask = <Row extends Record<string, unknown>>(text: string) => Promise<Row[]>
type School = { app: Bursar; demo: Client; erp: FakeErp }

export class DueDate {
  readonly #school: School
  readonly instalments: number
  readonly #firstDay: Date
  readonly #dueOn: string

  constructor(school: School, instalments: number) {
    this.#school = school
    this.instalments = instalments
    const monday = new Date(`${new Date().getUTCFullYear() + 1}-04-05T00:00:00+05:30`)
    while (monday.getUTCDay() !== 0) monday.setTime(monday.getTime() + DAY_MS)
    this.#firstDay = monday
    this.#dueOn = dayOf(new Date(monday.getTime() + 15 * DAY_MS))
  }

  /** When everything that follows from it is over. */
  get end(): string {
    return new Date(startOfDay(this.#dueOn).getTime() + 30 * DAY_MS).toISOString()
  }

  /** Up to the day before: plans of one instalment each, on both rails, with their mandates given. */
  async prepare(): Promise<void> {
    const { demo, erp } = this.#school
    await this.#move(this.#firstDay)
    const put = await demo.send('PUT', `${SANDBOX}/erp`, { url: erp.url, max_calls: 8 })
    assert.equal(put.status, 200, put.text)
    for (let n = 0; n < this.instalments; n++) await this.#addPlan(n)
    await this.#move(new Date(startOfDay(this.#dueOn).getTime() - 24 * HOUR_MS))
    erp.requests.length = 0
  }

  async #addPlan(n: number): Promise<void> {
    const { app, demo, erp } = this.#school
    const institute = await getInstitute(app.ctx, 'demo-school')
    const fees = [{ component_type: 'TUITION_FEE', fee_amount: 1_000 + n }]
    const identifier = `DUE-${n}`
    erp.put(sampleRecord({ identifier }, { fee_components: fees }))
    const body = { student: sampleStudent({ identifier }), fee_components: fees }
    const registered = await demo.post(`${ERP}/users/parent-${n}/students`, body)
    assert.equal(registered.status, 201, registered.text)
    const row = {
      dueOn: this.#dueOn,
      isDownpayment: false,
      referenceId: null,
      identifier: null,
      lines: [{ componentType: 'TUITION_FEE', amountPaise: paiseOf((1_000 + n) * 100) }],
    }
    const wanted = { studentId: registered.body.data.service_student_id, rows: [row] }
    const { plan } = await createPlan(app.ctx, { instituteId: institute.id }, institute, wanted)
    const rail = n % 2 === 0 ? 'enach' : 'upi_autopay'
    const asked = { rail, language: 'en', returnUrl: 'http://127.0.0.1/' } as const
    await startMandate(app.ctx, { instituteId: institute.id, planId: plan.id }, asked)
    const authorised = await demo.post(`${SANDBOX}/flex/plans/${plan.id}/authorise`)
    assert.equal(authorised.status, 200, authorised.text)
  }

  async #move(to: Date): Promise<void> {
    const moved = await this.#school.demo.post(`${SANDBOX}/clock`, { to: to.toISOString() })
    assert.equal(moved.status, 200, moved.text)
  }

  /** How far the day has come, of six times the instalments: asked, announced, opened, at the bank, paid, settled. */
  async progress(ask: Ask): Promise<number> {
    const [row] = await ask<{ done: number }>(
      `select ((select count(*) from flex_instalments where state not in ('scheduled', 'skipped'))
         + (select count(distinct instalment_id) from flex_presentations)
         + (select count(distinct p.order_id) from bank_payments b
            join payments p on p.institute_id = b.institute_id and p.id = b.payment_id
            join flex_presentations f on f.institute_id = p.institute_id and f.order_id = p.order_id)
         + (select count(*) from payments p join flex_presentations f on f.institute_id = p.institute_id
            and f.order_id = p.order_id where p.state = 'captured')
         + (select count(*) from flex_instalments where state = 'settled'))::int as done`,
    )
    return Math.min(this.#school.erp.requests.length, this.instalments) + (row?.done ?? 0)
  }

  /** Of the payments of instalments: others may have been made beside them. */
  async assertDebitedOnce(ask: Ask): Promise<void> {
    const count = this.instalments
    assert.deepEqual(await findUnfinished(ask), [])
    const [counts] = await ask(
      `with debits as (select p.* from payments p where exists (select from flex_presentations f
         where f.institute_id = p.institute_id and f.order_id = p.order_id)),
       at_bank as (select b.* from bank_payments b join debits d on d.institute_id = b.institute_id and d.id = b.payment_id)
       select (select count(*)::int from flex_instalments) as instalments,
         (select count(*)::int from flex_instalments where state = 'settled') as settled,
         (select count(*)::int from flex_plans where state = 'closed') as closed,
         (select count(*)::int from debits where state = 'captured') as captured,
         (select count(*)::int from at_bank where state = 'captured') as "captured at the bank",
         (select count(*)::int from at_bank where state <> 'captured') as "other at the bank",
         (select count(*)::int from refunds) as refunds,
         (select count(*)::int from events where event_code = 'flex.instalment.debited') as told,
         (select count(*)::int from flex_presentations f where f.state <> 'debited' and f.return_code <> 'abandoned') as bounced,
         (select (sum(amount_paise) / 100)::int from at_bank where state = 'captured') as rupees`,
    )
    assert.deepEqual(counts, {
      instalments: count,
      settled: count,
      closed: count,
      captured: count,
      'captured at the bank': count,
      'other at the bank': 0,
      refunds: 0,
      told: count,
      bounced: 0,
      rupees: count * 1_000 + (count * (count - 1)) / 2,
    })
    const twice = await ask(
      `select f.order_id, count(b.ref) from flex_presentations f
       join payments p on p.institute_id = f.institute_id and p.order_id = f.order_id
       left join bank_payments b on b.institute_id = p.institute_id and b.payment_id = p.id
       group by f.institute_id, f.order_id having count(*) > 1`,
    )
    assert.deepEqual(twice, [])
  }
}

/** What a dead process holds is free after two minutes of real time, which nobody has to sit through. */
export async function purgeHolds(ask: Ask): Promise<void> {
  for (const table of ['flex_instalments', 'flex_mandates', 'messages'])
    await ask(`update ${table} set held_until = null where held_until is not null`)
}
