import assert from 'node:assert/strict'
import { dayOf } from '../../../src/platform/calendar.ts'
import type { SetuUnit, UnitPayment } from '../../../emulators/setu/unit.ts'
import { openUnit } from '../../bharat-connect/support.ts'
import { demoVisitor, Visitor as ConsoleVisitor } from '../../console/support.ts'
import type { Pupil } from '../../flex/sim/erp.ts'
import type { Town } from '../../flex/sim/town.ts'
import type { Answer } from '../../harness/client.ts'
import type { MadePage } from '../../payment-pages/support.ts'

/** A child whose family pays in any way that there is. */
export type Child = Pupil & {
  feePaise: number
  /** What came on top of the fees because somebody chose so: an advance at the counter, or a report of the ERP's. */
  chosenPaise: number
}

/** Made, and not known to be paid. */
export type UnpaidOrder = { child: Child; orderId: string }

const DAY_MS = 86_400_000

/** The school, its clerk, and what is under way: orders that can be paid, cheques. */
export class School {
  readonly town: Town
  readonly children: Child[] = []
  readonly orders: UnpaidOrder[] = []
  readonly cheques: string[] = []
  /** What apps of Bharat Connect took and the unit has not posted. */
  readonly unposted: UnitPayment[] = []
  page: MadePage | undefined
  handed = 0
  refusals = 0
  #child: Child | undefined
  #unit: SetuUnit | undefined
  readonly #unanswered: (() => Promise<unknown>)[] = []
  readonly #session: ConsoleVisitor

  private constructor(town: Town, session: ConsoleVisitor) {
    this.town = town
    this.#session = session
  }

  static async open(town: Town, planned: number, others: number): Promise<School> {
    const school = new School(town, await demoVisitor(town.as({ school: 'demo-school' }).url))
    await town.enrol(planned, (_, n) => school.#draw(n, true))
    for (let n = planned; n < planned + others; n++) {
      const child = school.#draw(n, false)
      town.pupils.push(child)
      child.studentId = await town.register(child)
    }
    return school
  }

  /** The one whose family is busy now. */
  get child(): Child {
    const child = this.#child ?? this.children[0]
    assert.ok(child)
    return child
  }

  set child(child: Child) {
    this.#child = child
  }

  /** Signed in once; after a crash the same session goes on at another address. */
  clerk(): ConsoleVisitor {
    const { cookie, device, csrf } = this.#session
    return Object.assign(new ConsoleVisitor(this.town.as({ school: 'demo-school' }).url), {
      cookie,
      device,
      csrf,
    })
  }

  /** The operating unit of the school, which finds it at its address of now. */
  async unit(): Promise<SetuUnit> {
    const { town } = this
    const { url } = town.as({ school: 'demo-school' })
    this.#unit ??= await openUnit({ app: { ctx: town.ctx }, url })
    this.#unit.settings.baseUrl = `${url}/bharat-connect/demo-school`
    this.#unit.settings.clock = { now: () => town.now }
    return this.#unit
  }

  /** The unit posts what is left and pays everything out. */
  async endBills(): Promise<void> {
    const unit = await this.unit()
    for (const paid of this.unposted.splice(0)) await unit.post(paid)
    if (unit.payments.length > 0) await unit.notify(unit.payOut(unit.payments, 100))
  }

  /** Counts what the answer says is more than was due. */
  async keepingAdvance(child: Child, record: () => Promise<Answer>): Promise<Answer> {
    const send = async (): Promise<Answer> => {
      const answer = await record()
      if (answer.status < 300) child.chosenPaise += Math.round(answer.body.data.advance * 100)
      return answer
    }
    return this.untilAnswered(send)
  }

  /** What a crash swallowed is sent again after it. */
  async untilAnswered<Said>(send: () => Promise<Said>): Promise<Said> {
    try {
      return await send()
    } catch (error) {
      this.#unanswered.push(send)
      throw error
    }
  }

  async sendAgain(): Promise<void> {
    for (const send of this.#unanswered.splice(0)) await send()
  }

  #draw(n: number, hasPlan: boolean): Child {
    const { random, now } = this.town
    const fees = new Map([['TUITION_FEE', random.between(1_000_00, 14_000_00)]])
    if (random.chance(0.5)) fees.set('TRANSPORT_FEE', random.between(100_00, 3_000_00))
    const start = now.getTime() + 9 * DAY_MS
    const count = random.between(1, 3)
    const rows = Array.from({ length: hasPlan ? count : 0 }, (_, row) => ({
      reference_id: `W-${n}-${row}`,
      due_date: dayOf(new Date(start + row * 11 * DAY_MS + random.between(0, 5) * DAY_MS)),
      details: [...fees].map(([component_type, total]) => {
        const part = Math.floor(total / count)
        return { component_type, paise: row === count - 1 ? total - part * (count - 1) : part }
      }),
    }))
    const child: Child = {
      school: 'demo-school',
      branch: 'MAIN',
      isCustom: false,
      identifier: `W-${n}`,
      studentId: '',
      planId: '',
      fees,
      rows,
      payments: [],
      receipts: 0,
      refusal: null,
      emptyUntil: '',
      asked: 0,
      touchedAt: 0,
      feePaise: [...fees.values()].reduce((sum, paise) => sum + paise, 0),
      chosenPaise: 0,
    }
    this.children.push(child)
    return child
  }

  /** What came for each child less what went back, what its fees are, and what came by transfer beyond what was left of them. */
  async kept(): Promise<{ studentId: string; keptPaise: number; feePaise: number; unaskedPaise: number }[]> {
    return this.town.sql(
      `select s.id as "studentId",
         (coalesce((select sum(p.amount_paise) from payments p join orders o on o.institute_id = p.institute_id and o.id = p.order_id
             where o.student_id = s.id and p.state = 'captured'), 0)
           + coalesce((select sum(d.amount_paise) from direct_payments d where d.student_id = s.id and d.cancelled_at is null), 0)
           - coalesce((select sum(r.amount_paise) from refunds r join orders o on o.institute_id = r.institute_id and o.id = r.order_id
             where o.student_id = s.id and r.state <> 'failed'), 0))::bigint as "keptPaise",
         (select sum(f.fee_paise)::bigint from fee_components f where f.student_id = s.id) as "feePaise",
         (select coalesce(sum(l.amount_paise), 0)::bigint from virtual_account_credits c
            join payments p on p.institute_id = c.institute_id and p.id = c.payment_id
            join orders o on o.institute_id = p.institute_id and o.id = p.order_id
            join order_lines l on l.institute_id = o.institute_id and l.order_id = o.id
          where o.student_id = s.id and l.component_type = 'ADVANCE') as "unaskedPaise"
       from students s where s.id = any ($1)`,
      [this.children.map(child => child.studentId)],
    )
  }

  /** Collected − returned ≤ fees + advances that somebody chose or nobody was asked for. */
  async expectNothingTwice(): Promise<void> {
    const chosen = new Map(this.children.map(child => [child.studentId, child.chosenPaise]))
    const over = (await this.kept()).filter(
      ({ studentId, keptPaise, feePaise, unaskedPaise }) =>
        keptPaise > feePaise + unaskedPaise + (chosen.get(studentId) ?? 0),
    )
    assert.deepEqual(over, [], 'more was collected than the fees and the advances that families chose')
  }
}
