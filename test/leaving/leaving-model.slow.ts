import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeOptionalFee, monthlyBus, type MadeFee } from '../console/students/optional-fee.ts'
import { SCHOOL, STUDENTS, StudentDesk, TUITION } from '../console/students/support.ts'
import { FLEX } from '../flex/support.ts'
import { dataOf, dataUnlessRefused, type Json } from '../harness/client.ts'
import { drawFrom } from '../harness/random.ts'
import { findBroken } from '../harness/payments.ts'
import { ERP } from '../harness/samples.ts'

/** Random acts around a leaving: whatever meets it, nothing goes on asking for money, and no paisa is lost. */
const desk = await StudentDesk.open(after)
const { bursar, owner, finance } = desk
const { demo } = bursar
const REGISTER = `${SCHOOL}/counter/post-dated-cheques`
const CHILDREN = 12
const STEPS = 14

const MONTHS = ['2026-11', '2026-12', '2027-01'] as const

class Child {
  readonly id: string
  readonly #pick: (below: number) => number
  readonly #bus: MadeFee
  /** A payment at the bank's page, of which the bank has said nothing. */
  #pending: string | null = null
  #cheques: string[] = []
  hasLeft = false

  constructor(id: string, bus: MadeFee, pick: (below: number) => number) {
    this.id = id
    this.#bus = bus
    this.#pick = pick
  }

  get #own(): string {
    return `${STUDENTS}/${this.id}`
  }

  readonly acts: Record<string, () => Promise<unknown>> = {
    ride: async () =>
      dataUnlessRefused(
        await finance.post(`${this.#bus.at}/children`, {
          student_ids: [this.id],
          option_id: this.#bus.options[0],
          first_day: `${MONTHS[this.#pick(3)]}-01`,
          change: true,
          reason: 'Moved',
        }),
      ),
    alight: async () =>
      dataUnlessRefused(
        await finance.post(`${this.#bus.at}/endings`, {
          student_ids: [this.id],
          last_day: '2026-12-10',
          reason: 'Walks',
        }),
      ),
    plan: async () => dataUnlessRefused(await demo.post(`${FLEX}/students/${this.id}/plans`, {})),
    link: async () => dataUnlessRefused(await finance.post(`${this.#own}/orders`, {})),
    payOnline: async () => {
      if (this.#pending !== null) return
      const order = dataUnlessRefused(await finance.post(`${this.#own}/orders`, {}))
      if (order === null) return
      const at = `/api/v1/sandbox/pay/orders/${order.order_id}/pay`
      this.#pending = dataUnlessRefused(await demo.post(at, { outcome: 'pending' }))?.payment_id ?? null
    },
    bankSays: async () => {
      if (this.#pending === null) return
      const outcome = this.#pick(3) === 0 ? 'fail' : 'capture'
      dataOf(await demo.post(`/api/v1/sandbox/payments/${this.#pending}/${outcome}`))
      this.#pending = null
    },
    payCash: () => this.#payAtCounter({ mode: 'cash' }),
    payByCheque: async () => {
      const instrument = { number: String(100_000 + this.#pick(900_000)), date: '2026-11-10' }
      const paid = await this.#payAtCounter({ mode: 'cheque', instrument })
      if (paid !== null) this.#cheques.push(paid.id)
    },
    bounce: async () => {
      const id = this.#cheques.pop()
      if (id !== undefined)
        dataUnlessRefused(
          await finance.post(`${SCHOOL}/counter/cheques/${id}/bounce`, { reason: 'Funds insufficient' }),
        )
    },
    handCheque: async () =>
      dataUnlessRefused(
        await finance.post(REGISTER, {
          service_student_id: this.id,
          cheques: [
            { number: String(this.#pick(1_000_000)).padStart(6, '0'), date: '2026-12-20', amount: 500 },
          ],
        }),
      ),
    returnDeposit: async () =>
      dataUnlessRefused(
        await finance.post(`${this.#own}/deposit-returns`, {
          component_type: 'CAUTION_DEPOSIT',
          reason: 'Too early',
        }),
      ),
    undoReturn: async () =>
      dataUnlessRefused(
        await finance.post(`${this.#own}/deposit-returns/undo`, {
          component_type: 'CAUTION_DEPOSIT',
          reason: 'A mistake',
        }),
      ),
    drop: async () => {
      dataOf(await demo.post(`${ERP}/students/${this.id}/drop`))
    },
    leave: () => this.leave(),
    comeBack: async () => {
      dataOf(await demo.post(`${ERP}/students/${this.id}/activate`))
      this.hasLeft = false
    },
  }

  async #payAtCounter(how: Json): Promise<Json> {
    const { components } = dataOf(await demo.get(`${ERP}/students/${this.id}/dues`))
    const open = components.filter((one: Json) => one.outstanding_amount > (one.on_the_way_amount ?? 0))
    const one = open[this.#pick(Math.max(open.length, 1))]
    if (one === undefined) return null
    const amount = Math.max(1, Math.floor(one.outstanding_amount / (1 + this.#pick(2))))
    const fee_components = [{ component_type: one.component_type, amount }]
    return dataUnlessRefused(
      await finance.post(`${this.#own}/payments`, { amount, paid_at: '2026-11-10', fee_components, ...how }),
    )
  }

  /** What the preview shows is what comes of it. */
  async leave(): Promise<void> {
    const left_on = ['2026-11-15', '2026-12-05', '2027-01-31'][this.#pick(3)]
    const decisions = { left_on, write_off: this.#pick(3) === 0 }
    const seen = dataUnlessRefused(await finance.post(`${this.#own}/leaving/preview`, decisions))
    if (seen === null) return
    const shown = {
      shown_owed_amount: seen.owed_before_amount,
      shown_advance_amount: seen.advance_before_amount,
    }
    const made = dataUnlessRefused(
      await finance.post(`${this.#own}/leaving`, { ...decisions, ...shown, reason: 'Moves to Pune' }),
    )
    if (made === null) return
    this.hasLeft = true
    const given = seen.settlement.cheques.map((one: Json) => ({ ...one, is_given_back: true }))
    assert.deepEqual(made.settlement, { ...seen.settlement, cheques: given })
    await this.#assertNothingAsks(left_on ?? '')
  }

  async #assertNothingAsks(leftOn: string): Promise<void> {
    const [found] = await bursar.sql(
      `select (select count(*)::int from enrolments where student_id = $1 and last_day > $2 and first_day <= last_day) as rides,
         (select count(*)::int from orders where student_id = $1 and state = 'unpaid'
            and kind in ('student', 'order', 'link')) as orders,
         (select count(*)::int from post_dated_cheques where student_id = $1 and payment_id is null
            and ended_at is null) as cheques,
         (select count(*)::int from flex_plans where student_id = $1
            and state not in ('cancelled', 'closed')) as plans`,
      [this.id, leftOn],
    )
    assert.deepEqual(found, { rides: 0, orders: 0, cheques: 0, plans: 0 })
  }
}

test('whatever meets a leaving, it asks for nothing any more, its preview was true, and the books agree', async () => {
  const caution = { component_type: 'CAUTION_DEPOSIT', fee_amount: 2_000 }
  await desk.register({}, { fees: [caution] })
  dataOf(await owner.send('PUT', `${SCHOOL}/deposit-fees`, { component_types: ['CAUTION_DEPOSIT'] }))
  const bus = await makeOptionalFee(finance, monthlyBus(MONTHS, [{ name: 'Route 1', amount: 1_000 }]))
  const pick = drawFrom(36)
  let left = 0
  for (let no = 0; no < CHILDREN; no++) {
    const child = new Child(await desk.register({}, { fees: [TUITION, caution] }), bus, pick)
    const done: string[] = []
    for (let step = 0; step < STEPS; step++) {
      const names = Object.keys(child.acts)
      const name = names[pick(names.length)] ?? 'leave'
      done.push(name)
      await child.acts[name]?.()
    }
    await child.leave()
    if (child.hasLeft) left++
    assert.deepEqual(await findBroken(text => bursar.sql(text)), [], done.join(', '))
  }
  assert.ok(left > CHILDREN / 2, `${left} of ${CHILDREN} left`)
})
