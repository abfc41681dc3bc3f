import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SCHOOL, STUDENTS, StudentDesk, TUITION } from '../console/students/support.ts'
import { FLEX } from '../flex/support.ts'
import type { Answer, Json } from '../harness/client.ts'
import { findBroken } from '../harness/payments.ts'
import { ERP } from '../harness/samples.ts'

/** Random acts around a leaving: whatever meets it, nothing goes on asking for money, and no paisa is lost. */
const desk = await StudentDesk.open(after)
const { bursar, owner, finance } = desk
const { demo } = bursar
const REGISTER = `${SCHOOL}/counter/post-dated-cheques`
const CHILDREN = 12
const STEPS = 14

/** Numbers that are the same in every run. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

/** Done, or refused for a reason of the state that a person would be told. */
function tried(answer: Answer): Json {
  assert.ok(answer.status < 300 || [400, 409].includes(answer.status), `${answer.status} ${answer.text}`)
  return answer.status < 300 ? answer.body.data : null
}

function ok(answer: Answer): Json {
  assert.ok(answer.status < 300, `${answer.status} ${answer.text}`)
  return answer.body.data
}

const MONTHS = [
  ['November', '2026-11-01', '2026-11-30'],
  ['December', '2026-12-01', '2026-12-31'],
  ['January', '2027-01-01', '2027-01-31'],
] as const

async function makeBus(): Promise<{ at: string; optionId: string }> {
  const fee = ok(
    await finance.post(`${SCHOOL}/optional-fees`, {
      academic_year_start: 2026,
      academic_year_end: 2027,
      kind: 'transport',
      name: 'Bus',
      component_type: 'TRANSPORT_FEE',
      rhythm: 'month',
      periods: MONTHS.map(([name, first_day, last_day]) => ({
        name,
        first_day,
        last_day,
        due_date: first_day,
      })),
      options: [{ name: 'Route 1', amount: 1_000 }],
    }),
  )
  const at = `${SCHOOL}/optional-fees/${fee.optional_fee_id}`
  return { at, optionId: ok(await finance.get(at)).options[0].option_id }
}

class Child {
  readonly id: string
  readonly #pick: (below: number) => number
  readonly #bus: { at: string; optionId: string }
  /** A payment at the bank's page, of which the bank has said nothing. */
  #pending: string | null = null
  #cheques: string[] = []
  hasLeft = false

  constructor(id: string, bus: { at: string; optionId: string }, pick: (below: number) => number) {
    this.id = id
    this.#bus = bus
    this.#pick = pick
  }

  get #own(): string {
    return `${STUDENTS}/${this.id}`
  }

  readonly acts: Record<string, () => Promise<unknown>> = {
    ride: async () =>
      tried(
        await finance.post(`${this.#bus.at}/children`, {
          student_ids: [this.id],
          option_id: this.#bus.optionId,
          first_day: MONTHS[this.#pick(3)]?.[1],
          change: true,
          reason: 'Moved',
        }),
      ),
    alight: async () =>
      tried(
        await finance.post(`${this.#bus.at}/endings`, {
          student_ids: [this.id],
          last_day: '2026-12-10',
          reason: 'Walks',
        }),
      ),
    plan: async () => tried(await demo.post(`${FLEX}/students/${this.id}/plans`, {})),
    link: async () => tried(await finance.post(`${this.#own}/orders`, {})),
    payOnline: async () => {
      if (this.#pending !== null) return
      const order = tried(await finance.post(`${this.#own}/orders`, {}))
      if (order === null) return
      const at = `/api/v1/sandbox/pay/orders/${order.order_id}/pay`
      this.#pending = tried(await demo.post(at, { outcome: 'pending' }))?.payment_id ?? null
    },
    bankSays: async () => {
      if (this.#pending === null) return
      const outcome = this.#pick(3) === 0 ? 'fail' : 'capture'
      ok(await demo.post(`/api/v1/sandbox/payments/${this.#pending}/${outcome}`))
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
        tried(await finance.post(`${SCHOOL}/counter/cheques/${id}/bounce`, { reason: 'Funds insufficient' }))
    },
    handCheque: async () =>
      tried(
        await finance.post(REGISTER, {
          service_student_id: this.id,
          cheques: [
            { number: String(this.#pick(1_000_000)).padStart(6, '0'), date: '2026-12-20', amount: 500 },
          ],
        }),
      ),
    returnDeposit: async () =>
      tried(
        await finance.post(`${this.#own}/deposit-returns`, {
          component_type: 'CAUTION_DEPOSIT',
          reason: 'Too early',
        }),
      ),
    undoReturn: async () =>
      tried(
        await finance.post(`${this.#own}/deposit-returns/undo`, {
          component_type: 'CAUTION_DEPOSIT',
          reason: 'A mistake',
        }),
      ),
    drop: async () => {
      ok(await demo.post(`${ERP}/students/${this.id}/drop`))
    },
    leave: () => this.leave(),
    comeBack: async () => {
      ok(await demo.post(`${ERP}/students/${this.id}/activate`))
      this.hasLeft = false
    },
  }

  async #payAtCounter(how: Json): Promise<Json> {
    const { components } = ok(await demo.get(`${ERP}/students/${this.id}/dues`))
    const open = components.filter((one: Json) => one.outstanding_amount > (one.on_the_way_amount ?? 0))
    const one = open[this.#pick(Math.max(open.length, 1))]
    if (one === undefined) return null
    const amount = Math.max(1, Math.floor(one.outstanding_amount / (1 + this.#pick(2))))
    const fee_components = [{ component_type: one.component_type, amount }]
    return tried(
      await finance.post(`${this.#own}/payments`, { amount, paid_at: '2026-11-10', fee_components, ...how }),
    )
  }

  /** What the preview shows is what comes of it. */
  async leave(): Promise<void> {
    const left_on = ['2026-11-15', '2026-12-05', '2027-01-31'][this.#pick(3)]
    const decisions = { left_on, write_off: this.#pick(3) === 0 }
    const seen = tried(await finance.post(`${this.#own}/leaving/preview`, decisions))
    if (seen === null) return
    const shown = {
      shown_owed_amount: seen.owed_before_amount,
      shown_advance_amount: seen.advance_before_amount,
    }
    const made = tried(
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
  ok(await owner.send('PUT', `${SCHOOL}/deposit-fees`, { component_types: ['CAUTION_DEPOSIT'] }))
  const bus = await makeBus()
  const pick = randomFrom(36)
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
