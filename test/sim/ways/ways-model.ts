import assert from 'node:assert/strict'
import { reconcile } from '../../../src/payments/reconcile/reconcile.service.ts'
import { BursarError, isUnavailable } from '../../../src/platform/errors.ts'
import { gatewayBank, type AccountOf } from '../../flex/sim/gateway-bank.ts'
import { patchFees } from '../../flex/sim/acts.ts'
import { sandboxBank } from '../../flex/sim/bank.ts'
import { send } from '../../flex/sim/acts-support.ts'
import { findBrokenPlans } from '../../flex/sim/rules.ts'
import { Town } from '../../flex/sim/town.ts'
import { findBroken, findUnfinished } from '../../harness/payments.ts'
import { ERP } from '../../harness/samples.ts'
import type { GatewayName } from '../gateways.ts'
import type { StormOptions } from '../payments-model.ts'
import { School, type Child } from './school.ts'
import { startOrder, WAYS, type Way } from './ways.ts'

/**
 * Families pay one fee in every way that there is, at once and in any order, while debits are at the bank and the process
 * dies in between. No fee is collected twice, every rupee is in the books, and nothing stays on the way for ever.
 */
export type WaysOptions = StormOptions & {
  gateway?: GatewayName | undefined
  accountOf?: AccountOf | undefined
}

export type WaysResult = { acts: Record<string, number>; counts: Record<string, number> }

type Act = Way & { name: string }

const ACTS: readonly Act[] = [
  ...Object.entries(WAYS).map(([name, way]: [string, Way]) => ({ ...way, name })),
  { name: 'new fee', weight: 6, run: addFee },
  { name: 'start', weight: 6, run: start },
  { name: 'answer', weight: 12, run: answer },
  { name: 'cheque decided', weight: 1, run: decideCheque },
  { name: 'disburse', weight: 1, run: disburse },
]

const [PLANNED, OTHERS] = [4, 2]
const ACTS_A_DAY = 5
const CROWD = 0.25
const CRASH = 0.1
const MOST_STATEMENTS = 60
const DAY_MS = 86_400_000
const REST_DAYS = 16
const SHOWN = 40

export async function runWays({
  seed,
  acts,
  owner,
  onProgress,
  gateway,
  accountOf,
}: WaysOptions): Promise<WaysResult> {
  const openBank = gateway === undefined ? async () => sandboxBank : gatewayBank(gateway, accountOf)
  const town = await Town.open(owner, seed, openBank)
  const history: string[] = []
  const counts: Record<string, number> = {}
  const note = (name: string, said: string): void => {
    history.push(`${town.now.toISOString()} ${name}: ${said}`)
    if (!said.endsWith(' nothing')) counts[name] = (counts[name] ?? 0) + 1
  }
  try {
    const school = await School.open(town, PLANNED, OTHERS)
    for (let done = 0; done < acts;) {
      done += await act(school, note)
      await check(school)
      if (done % ACTS_A_DAY < 2) await passDay(school)
      onProgress?.(done, `${town.world.crashes} crashes`)
    }
    await comeToRest(school)
    return { acts: counts, counts: await count(school) }
  } catch (error) {
    const last = history.slice(-SHOWN).join('\n  ')
    throw new Error(`seed ${seed} broke on ${town.today}; before that:\n  ${last}\n${town.world.errors}`, {
      cause: error,
    })
  }
}

/** One act, or some for the same child at once; now and then the process dies under them. */
async function act(school: School, note: (name: string, said: string) => void): Promise<number> {
  const { town, children } = school
  const { random } = town
  // What collides is what happens to one child within days.
  if (random.chance(0.2)) school.child = random.pick(children) ?? school.child
  const { child } = school
  const chosen = Array.from({ length: random.chance(CROWD) ? random.between(2, 4) : 1 }, () =>
    random.weighed(ACTS),
  )
  const perform = async (): Promise<unknown> =>
    Promise.all(
      chosen.map(async one => {
        const said = await one.run(school, child).catch((error: unknown) => refusedOrThrow(school, error))
        if (/409|refused/.test(said)) school.refusals++
        note(one.name, `${child.identifier} ${said}`)
      }),
    )
  if (!random.chance(CRASH)) await perform()
  else note('crash', String(await town.crashDuring(MOST_STATEMENTS, perform)))
  await school.sendAgain()
  return chosen.length
}

/** A refusal is an answer; what breaks when the line is cut is seen in the books. */
function refusedOrThrow({ town }: School, error: unknown): string {
  if (town.world.line.isCut()) return 'cut off'
  if (error instanceof BursarError && (error.httpStatus < 500 || isUnavailable(error)))
    return `refused: ${error.message}`
  throw error
}

/** Somebody opens the page of an order, made just now or long ago, and is led to the bank. */
async function start({ town, orders }: School, child: Child): Promise<string> {
  const own = orders.filter(order => order.child === child)
  const order = town.random.pick(own)
  return order === undefined ? 'nothing' : startOrder(town, order)
}

/** A new term begins for a child that owes nothing: fees are only ever added, so that what was collected has a bound. */
async function addFee({ town }: School, child: Child): Promise<string> {
  const { random } = town
  const { body } = await send(town, child, ['GET', `${ERP}/students/${child.studentId}/dues`])
  if (body.data.outstanding_amount > 0) return 'nothing'
  const type = random.pick([...child.fees.keys()]) ?? 'TUITION_FEE'
  const paise = random.between(500_00, 5_000_00)
  child.fees.set(type, (child.fees.get(type) ?? 0) + paise)
  child.feePaise += paise
  await patchFees(town, child)
  return `${paise} more of ${type}`
}

type AtBank = { id: string; state: string }

/** Payers who are at the bank's page, or whose bank takes its time; debits are decided by the bank alone. */
async function payersAtBank(town: Town, child: Child): Promise<AtBank[]> {
  return town.sql<AtBank>(
    `select p.id, p.state from payments p join orders o on o.institute_id = p.institute_id and o.id = p.order_id
     where p.state in ('created', 'pending') and p.mode not in ('enach', 'upi_autopay', 'bank_transfer')
       and o.kind <> 'loan' and (o.student_id = $1 or o.student_id is null) order by p.id`,
    [child.studentId],
  )
}

async function answer({ town }: School, child: Child): Promise<string> {
  const { random, bank } = town
  const one = random.pick(await payersAtBank(town, child))
  if (one === undefined) return 'nothing'
  if (one.state === 'created' && bank.payer.leavePending !== undefined && random.chance(0.4)) {
    await bank.payer.leavePending(town, child, one.id)
    return `${one.id} is pending`
  }
  const isPaid = random.chance(0.8)
  await (isPaid ? bank.payer.pay(town, child, one.id) : bank.payer.fail(town, child, one.id))
  return `${one.id} ${isPaid ? 'is paid' : 'fails'}`
}

async function decideCheque(school: School): Promise<string> {
  const id = school.cheques.pop()
  if (id === undefined) return 'nothing'
  const isBounced = school.town.random.chance(0.4)
  const path = `/console/api/institutes/demo-school/counter/cheques/${id}`
  const { status, text } = await school
    .clerk()
    .post(`${path}/${isBounced ? 'bounce' : 'clear'}`, isBounced ? { reason: 'Funds insufficient' } : {})
  assert.ok(status < 500, text)
  return `${id} ${isBounced ? 'bounced' : 'cleared'}: ${status}`
}

/** A lender transfers what it has promised for somebody. */
async function disburse({ town, children }: School): Promise<string> {
  const promised = await town.sql<{ id: string; studentId: string; paise: number }>(
    `select application_id as id, student_id as "studentId", sum(amount_paise)::bigint as paise from lent_fees
     group by 1, 2 order by 1`,
  )
  const loan = town.random.pick(promised)
  const child = children.find(one => one.studentId === loan?.studentId)
  if (loan === undefined || child === undefined) return 'nothing'
  const { body } = await send(town, child, ['GET', `${ERP}/students/${child.studentId}/dues`])
  // A lender cannot be sent its money back: what its transfer finds paid already stays as an advance.
  child.chosenPaise += Math.max(0, loan.paise - Math.round(body.data.outstanding_amount * 100))
  const { status } = await send(town, child, ['POST', `/api/v1/sandbox/loans/${loan.id}/disburse`, {}])
  return `${loan.id}: ${status}`
}

async function passDay({ town }: School): Promise<void> {
  await town.bank.passDay?.(town)
  const to = new Date(town.now.getTime() + town.random.between(6, 40) * 3_600_000)
  await (town.random.chance(CRASH) ? town.hurryThroughCrash(to) : town.hurryTo(to))
}

async function check(school: School): Promise<void> {
  const { town } = school
  await school.expectNothingTwice()
  assert.deepEqual(await findBroken(town.sql), [])
  assert.deepEqual(await findBrokenPlans(town.sql, town.now), [])
}

/** Nobody does anything new. Every bank and lender answers in its time, and then nothing is under way any more. */
async function comeToRest(school: School): Promise<void> {
  const { town, children } = school
  town.isCalm = true
  while ((await disburse(school)) !== 'nothing');
  await school.endBills()
  for (const child of children)
    for (const { id } of await payersAtBank(town, child)) await town.bank.payer.pay(town, child, id)
  for (let day = 0; day < REST_DAYS; day++) {
    await town.bank.passDay?.(town)
    await town.moveTo(new Date(town.now.getTime() + DAY_MS))
  }
  // Plans that go on would be debited again next month.
  for (const child of children)
    if (child.planId !== '')
      await send(town, child, ['POST', `/api/v1/integrations/flex/plans/${child.planId}/cancel`])
  for (let day = 0; day < REST_DAYS; day++) {
    await town.bank.passDay?.(town)
    await town.moveTo(new Date(town.now.getTime() + DAY_MS))
  }
  await check(school)
  await town.bank.expectSame?.(town)
  assert.deepEqual(await findUnfinished(town.sql), [])
  for (const child of children) {
    const { body } = await send(town, child, ['GET', `${ERP}/students/${child.studentId}/dues`])
    assert.equal(body.data.on_the_way_amount, 0, `${child.identifier} has money on the way for ever`)
  }
  for (const institute of town.institutes)
    assert.deepEqual((await reconcile(town.ctx, institute)).differences, [], institute.code)
}

/** How much the storm has seen of what it is for. */
async function count({ town, refusals }: School): Promise<Record<string, number>> {
  const rows = await town.sql<{ what: string; count: number }>(
    `select 'captured ' || o.kind as what, count(*)::int from payments p
       join orders o on o.institute_id = p.institute_id and o.id = p.order_id where p.state = 'captured' group by 1
     union all select 'refund ' || coalesce(cause, kind), count(*)::int from refunds group by 1
     union all select 'instalment ' || state, count(*)::int from flex_instalments group by 1`,
  )
  const counts = Object.fromEntries(rows.map(({ what, count: n }) => [what, n]))
  return { ...counts, refusals, crashes: town.world.crashes }
}
