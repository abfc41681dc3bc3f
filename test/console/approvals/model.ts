import assert from 'node:assert/strict'
import type { TestBursar } from '../../harness/bursar.ts'
import type { Answer, Json } from '../../harness/client.ts'
import { ERP } from '../../harness/samples.ts'
import { pay } from '../../payment-pages/support.ts'
import { Random } from '../../sim/random.ts'
import { instituteId, registerStudent } from '../../students/support.ts'
import { AT } from '../orders/support.ts'
import { checkList } from '../student-list.ts'
import { assertAnswer, createPerson, type Visitor } from '../support.ts'

/**
 * Two people of the office do whatever gives money away, several acts at once and in any order, and nobody approves any of
 * it. What each child was given is then read from the books themselves, without what Bursar wrote down when it weighed.
 */
const AT_ONCE = 6
const PER_ACT = 5_000
const PER_CHILD = 8_000
/** More than one person may give: whoever switches it off has given it. */
const LATE_FEE = 9_000
const FEES = { TUITION_FEE: 40_000, BUS_FEE: 10_000 }
const PAYABLE = FEES.TUITION_FEE + FEES.BUS_FEE
const WHY = { reason: 'The family asked for it' }
const RULE = { component_type: 'TUITION_FEE', due_date: '2025-06-10', kind: 'per_day', amount_per_day: 100 }
const FULL_RULE = { ...RULE, max_amount: LATE_FEE }

type Office = { bursar: TestBursar; school: number; owner: Visitor; people: readonly Visitor[] }

type Child = { id: string; identifier: string; grade: string; orders: string[]; cash: string[] }

async function register({ bursar }: Office, identifier: string, grade: string): Promise<Child> {
  const fees = Object.entries(FEES).map(([type, amount]) => ({ component_type: type, fee_amount: amount }))
  const id = await registerStudent(bursar.demo, { identifier, grade }, { fee_components: fees })
  return { id, identifier, grade, orders: [], cash: [] }
}

/** Has paid a part online and a part at the counter. */
async function registerPaid(office: Office, identifier: string, grade: string): Promise<Child> {
  const { bursar, owner } = office
  const child = await register(office, identifier, grade)
  for (const amount of [9_000, 6_000]) {
    const made = await owner.post(`${AT}/students/${child.id}/orders`, { amount })
    assertAnswer(made, '201')
    await pay(bursar.demo, made.body.data.order_id)
    child.orders.push(made.body.data.order_id)
  }
  for (const no of [1, 2, 3]) {
    const transactionId = `${identifier}-CASH-${no}`
    const lines = { fee_components: [{ component_type: 'BUS_FEE', amount: 2_000 }] }
    const cash = { mode: 'cash', amount: 2_000, paid_at: '2026-06-01', transaction_id: transactionId }
    assertAnswer(await owner.post(`${AT}/students/${child.id}/payments`, { ...cash, ...lines }), '201')
    child.cash.push(transactionId)
  }
  return child
}

type World = Office & { random: Random; children: Child[]; next: number }
type Act = { weight: number; name: string; run(world: World, by: Visitor): Promise<Answer> }

const anyOf = <Item>(random: Random, items: readonly Item[]): Item => {
  const item = random.pick(items)
  assert.ok(item !== undefined)
  return item
}

const STRUCTURE = `${AT}/fee-structures/2026/2027`

const ACTS: readonly Act[] = [
  {
    weight: 5,
    name: 'refund',
    run({ random, children }, by) {
      const order = anyOf(
        random,
        anyOf(
          random,
          children.filter(one => one.orders.length > 0),
        ).orders,
      )
      const amount = random.between(1, 5_500)
      return by.post(`${AT}/orders/${order}/refunds`, { ...WHY, ...(random.chance(0.9) ? { amount } : {}) })
    },
  },
  {
    weight: 5,
    name: 'concession',
    run: ({ random, children }, by) =>
      by.post(`${AT}/students/${anyOf(random, children).id}/concessions`, {
        component_type: anyOf(random, Object.keys(FEES)),
        discount_type: `KIND_${random.between(1, 12)}`,
        amount: random.between(0, 3_000),
        ...WHY,
      }),
  },
  {
    weight: 2,
    name: 'waiver',
    run: ({ random, children }, by) =>
      by.post(`${AT}/students/${anyOf(random, children).id}/late-fee-waivers`, {
        ...(random.chance(0.5) ? { amount: random.between(1, 4_000) } : {}),
        ...WHY,
      }),
  },
  {
    weight: 2,
    name: 'cancelled counter money',
    run({ random, children }, by) {
      const child = anyOf(
        random,
        children.filter(one => one.cash.length > 0),
      )
      return by.send('DELETE', `${AT}/students/${child.id}/payments/${anyOf(random, child.cash)}`, WHY)
    },
  },
  {
    weight: 2,
    name: 'late fees lowered, off and on again',
    run({ random }, by) {
      const ways = [[], [FULL_RULE], [{ ...FULL_RULE, max_amount: LATE_FEE - random.between(1, 400) }]]
      return by.send('PUT', `${AT}/payment-rules`, { late_fees: anyOf(random, ways), ...WHY })
    },
  },
  {
    weight: 2,
    name: 'everything paid at the counter',
    async run({ random, children }, by) {
      const child = anyOf(random, children)
      const { dues } = (await by.get(`${AT}/students/${child.id}`)).body.data
      const owed = dues.components.filter((one: Json) => one.outstanding > 0)
      const lines: Json[] = owed.map((one: Json) => {
        return { component_type: one.component_type, amount: one.outstanding }
      })
      const known = lines.find(one => one['component_type'] === 'LATE_FEE')
      if (known !== undefined) known['amount'] += dues.late_fee_amount
      else if (dues.late_fee_amount > 0)
        lines.push({ component_type: 'LATE_FEE', amount: dues.late_fee_amount })
      const amount = lines.reduce((sum, one) => sum + one['amount'], 0)
      return by.post(`${AT}/students/${child.id}/payments`, {
        mode: 'cash',
        amount,
        paid_at: anyOf(random, ['2025-05-01', '2026-06-01']),
        fee_components: lines,
        ...(random.chance(0.5) ? { waive_late_fee_reason: 'Kind' } : {}),
      })
    },
  },
  {
    weight: 1,
    name: 'structure',
    run: ({ random }, by) =>
      by.send('PUT', STRUCTURE, {
        terms: [{ name: 'Year', due_date: '2025-06-10' }],
        fee_heads: ['TUITION_FEE'],
        grades: ['5', '6'],
        amounts: ['5', '6'].map(grade => {
          const amount = FEES.TUITION_FEE - random.between(0, 2_000)
          return { grade, component_type: 'TUITION_FEE', term: 1, amount }
        }),
        ...WHY,
      }),
  },
  {
    weight: 2,
    name: 'structure applied',
    run: ({ random }, by) =>
      by.post(`${STRUCTURE}/apply`, {
        grade: anyOf(random, ['5', '6']),
        limit: random.between(1, 3),
        ...WHY,
      }),
  },
  { weight: 2, name: 'list', run: applyList },
]

/** A list that lowers a fee, of a child that there is or that the ERP registers between its check and its start. */
async function applyList(world: World, by: Visitor): Promise<Answer> {
  const { random, bursar } = world
  const isNew = random.chance(0.5)
  const child = anyOf(random, world.children)
  const identifier = isNew ? `${child.identifier}-NEW-${++world.next}` : child.identifier
  const { grade } = child
  const fee = random.chance(0.5) ? 1 : FEES.TUITION_FEE - random.between(0, 3_000)
  const { sent, finish } = await checkList(bursar, by, { identifier, grade, fee })
  if (sent.status !== 201) return sent
  if (isNew) world.children.push(await register(world, identifier, grade))
  const path = `${AT}/student-files/${sent.body.data.id}`
  const started = await by.post(`${path}/start`, WHY)
  if (started.status === 200) await finish()
  else await by.send('DELETE', path)
  return started
}

/** In rupees, by the books: what was sent back, what does not count any more, what is asked less, what was let off. */
async function givenTo({ bursar, school, owner }: Office, { id }: Child): Promise<Record<string, number>> {
  const [sums] = await bursar.sql<{ refunded: number; cancelled: number; payable: number; charged: number }>(
    `select
       (select coalesce(sum(r.amount_paise), 0) from refunds r join orders o on o.institute_id = r.institute_id and o.id = r.order_id
        where o.institute_id = $1 and o.student_id = $2 and r.kind = 'requested' and r.state <> 'failed' and r.cause is null)::float8 / 100
        as refunded,
       (select coalesce(sum(p.amount_paise), 0) from direct_payments p
        where p.institute_id = $1 and p.student_id = $2 and p.cancelled_at is not null)::float8 / 100 as cancelled,
       (select coalesce(sum(f.fee_paise - (select coalesce(sum((d ->> 'valuePaise')::bigint), 0) from jsonb_array_elements(f.discounts) d)), 0)
        from fee_components f where f.institute_id = $1 and f.student_id = $2 and f.component_type <> 'LATE_FEE')::float8 / 100 as payable,
       (select coalesce(sum(e.amount_paise), 0) from late_fee_entries e
        where e.institute_id = $1 and e.student_id = $2 and e.kind = 'charged')::float8 / 100 as charged`,
    [school, id],
  )
  assert.ok(sums !== undefined)
  const { dues } = (await owner.get(`${AT}/students/${id}`)).body.data
  return {
    refunded: sums.refunded,
    cancelled: sums.cancelled,
    lowered: Math.max(0, PAYABLE - sums.payable),
    late: Math.max(0, LATE_FEE - sums.charged - dues.late_fee_amount),
  }
}

/** So many rounds of acts, some at once; after each of them no child may have been given more than one person may give. */
async function runRounds(office: Office, { seed, rounds }: { seed: number; rounds: number }): Promise<void> {
  const random = new Random(seed)
  const world: World = { ...office, random, children: [], next: 0 }
  const setRules = async (lateFees: Json[]): Promise<void> =>
    assertAnswer(await office.bursar.demo.send('PUT', `${ERP}/payment-rules`, { late_fees: lateFees }), '200')
  await setRules([])
  for (const [no, grade] of ['5', '6', '6'].entries())
    world.children.push(await registerPaid(office, `M${seed}-${no}`, grade))
  await setRules([FULL_RULE])
  const log: string[] = []
  let kept = 0
  for (let round = 0; round < rounds; round++) {
    const acts = Array.from({ length: AT_ONCE }, () => random.weighed(ACTS))
    const answers = await Promise.all(acts.map(act => act.run(world, anyOf(random, office.people))))
    for (const [index, { status, body, text }] of answers.entries()) {
      const said = `${acts[index]?.name}: ${status} ${text.slice(0, 200)}`
      log.push(`${round} ${said}`)
      assert.ok([200, 201, 400, 409].includes(status), `seed ${seed}: ${said}`)
      if (body.data?.approval_id !== undefined) kept++
    }
    for (const child of world.children) {
      const given = await givenTo(office, child)
      const sum = Object.values(given).reduce((total, one) => total + one, 0)
      assert.ok(
        sum <= PER_CHILD,
        `seed ${seed}, round ${round}: ${child.identifier} was given ${JSON.stringify(given)}\n${log.join('\n')}`,
      )
    }
  }
  // A model that asks for too little would show nothing.
  assert.ok(kept > 0, 'nothing was more than one person may give')
}

/** For each seed three new children, in one school. */
export async function runApprovalModel(
  bursar: TestBursar,
  { seeds, rounds }: { seeds: readonly number[]; rounds: number },
): Promise<void> {
  const person = (name: string, role: 'owner' | 'finance'): Promise<Visitor> =>
    createPerson(bursar, { email: `${name}@school.example`, institute: 'demo-school', role })
  const owner = await person('head', 'owner')
  const people = [await person('meera', 'finance'), await person('ravi', 'finance')]
  const limits = { above: PER_ACT, above_per_child: PER_CHILD, ...WHY }
  assertAnswer(await owner.send('PUT', `${AT}/approval-limit`, limits), '200')
  const office = { bursar, school: await instituteId(bursar), owner, people }
  for (const seed of seeds) await runRounds(office, { seed, rounds })
}
