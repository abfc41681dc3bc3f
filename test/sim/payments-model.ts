import { findBroken, findUnfinished, type Broken } from '../harness/payments.ts'
import { LATER } from './acts-after.ts'
import { PAYING, type Command } from './acts.ts'
import { Random } from './random.ts'
import { World } from './world.ts'

/**
 * A storm of acts against a running Bursar, one after another, several at once, and cut off at any statement. After
 * each the books are asked whether everything still holds, and in the end whether everything came to its end.
 */
export type StormOptions = {
  seed: number
  acts: number
  owner: { after(done: () => Promise<void> | void): void }
  onProgress?: (done: number, summary: string) => void
}

export type StormResult = { acts: number; crashes: number; counts: Record<string, number>; unheard: number }

const ALL = [...PAYING, ...LATER]
/** Those that move money most, and so are the worst to be cut off in. */
const MOVING = ALL.filter(({ name }) => /^(pay|pay double|refund|due work|settle)$/.test(name))
const SHOWN = 25
const CROWD = 0.08
const CRASH = 0.07
const LONGEST_ACT = 40

type Performed = { what: string }

export async function runStorm({ seed, acts, owner, onProgress }: StormOptions): Promise<StormResult> {
  const random = new Random(seed)
  const world = await World.open(owner)
  const history: string[] = []
  let done = 0
  try {
    for (; done < acts; done++) {
      history.push(`${done}: ${(await perform(world, random)).what}`)
      await check(world, findBroken)
      if (done % 50 === 0) onProgress?.(done, `${world.crashes} crashes`)
    }
    const unheard = await comeToRest(world)
    return { acts, crashes: world.crashes, counts: await countAll(world), unheard }
  } catch (error) {
    const last = history.slice(-SHOWN).join('\n  ')
    throw new Error(`the model broke at act ${done} of seed ${seed}; the acts before it:\n  ${last}`, {
      cause: error,
    })
  }
}

async function perform(world: World, random: Random): Promise<Performed> {
  if (random.chance(CRASH)) return crashDuring(world, random)
  const isCrowd = random.chance(CROWD)
  return isCrowd ? crowd(world, random) : alone(world, random)
}

async function alone(world: World, random: Random): Promise<Performed> {
  const act = random.weighed(ALL)
  return { what: `${act.name} ${await run(act, { world, random, isAlone: true })}` }
}

async function crowd(world: World, random: Random): Promise<Performed> {
  const acts = Array.from({ length: random.between(3, 8) }, () => random.weighed(ALL))
  const said = await Promise.all(
    acts.map(async act => `${act.name} ${await run(act, { world, random, isAlone: false })}`),
  )
  return { what: `at once: ${said.join(' | ')}` }
}

/** Several acts are under way when the line to the database breaks; what they say after that is not heard. */
async function crashDuring(world: World, random: Random): Promise<Performed> {
  const acts = [
    random.weighed(MOVING),
    ...Array.from({ length: random.between(0, 2) }, () => random.weighed(ALL)),
  ]
  const isAnswerLost = random.chance(0.5)
  const statement = random.between(1, LONGEST_ACT)
  world.line.cutAt(statement, isAnswerLost)
  const said = await Promise.all(
    acts.map(async act => {
      try {
        return `${act.name} ${await run(act, { world, random, isAlone: false })}`
      } catch (error) {
        if (!world.line.isCut()) throw error
        return `${act.name}, cut off`
      }
    }),
  )
  await world.crash()
  return {
    what: `crash at statement ${statement}${isAnswerLost ? ', answer lost' : ''}: ${said.join(' | ')}`,
  }
}

async function run(
  act: Command,
  context: { world: World; random: Random; isAlone: boolean },
): Promise<string> {
  return act.run({ ...context, seen: await context.world.latest() })
}

async function check(world: World, find: typeof findBroken): Promise<void> {
  const broken = [...(await find(world.sql)), ...(await findForgotten(world))]
  if (broken.length === 0) return
  throw new Error(broken.map(({ rule, subject, detail }) => `${rule}: ${subject} ${detail}`).join('\n'))
}

/** What was answered is there, and a create that was sent twice made one order. */
async function findForgotten({ sql, promised }: World): Promise<Broken[]> {
  return sql<Broken>(
    `select 'an acknowledged order is kept' as rule, k.id as subject, 'gone' as detail from unnest($1::text[]) as k (id)
       where not exists (select 1 from orders o where o.id = k.id)
     union all select 'an acknowledged capture is kept', k.id, 'gone' from unnest($2::text[]) as k (id)
       where not exists (select 1 from payments p where p.id = k.id and p.state = 'captured')
     union all select 'an acknowledged refund is kept', k.id, 'gone' from unnest($3::text[]) as k (id)
       where not exists (select 1 from refunds r where r.id = k.id)
     union all select 'a create is done once', identifier, count(*)::text from orders group by identifier having count(*) > 1`,
    [[...promised.orders], [...promised.captured], [...promised.refunds]],
  )
}

/**
 * Time goes by with nobody doing anything. What failed here and was captured at the bank without a word to us is told
 * at last, as banks repeat what was not acknowledged; answers how many there were.
 */
async function comeToRest(world: World): Promise<number> {
  await letTimePass(world)
  await check(world, findBroken)
  const unheard = await world.sql<{ id: string }>(
    `select p.id from payments p join bank_payments b on b.institute_id = p.institute_id
       and b.payment_id = coalesce(p.group_id, p.id)
     where p.state = 'failed' and b.state = 'captured'`,
  )
  for (const { id } of unheard) await world.tell(await world.bankReport(id))
  await letTimePass(world)
  await check(world, findUnfinished)
  return unheard.length
}

async function letTimePass(world: World): Promise<void> {
  for (const advance of ['PT2H', 'PT2H', 'P1D', 'P1D', 'P1D', 'P1D', 'PT2H']) {
    const { status, text } = await world.send('demo-school', 'POST', '/api/v1/sandbox/clock', { advance })
    if (status !== 200) throw new Error(text)
  }
}

async function countAll({ sql }: World): Promise<Record<string, number>> {
  const [row] = await sql<Record<string, number>>(
    `select (select count(*) from orders) as orders, (select count(*) from orders where state = 'paid') as paid,
       (select count(*) from payments) as payments, (select count(*) from payments where is_duplicate) as duplicates,
       (select count(*) from refunds) as refunds, (select count(*) from refunds where state = 'failed') as "failed refunds",
       (select count(*) from settlements) as settlements, (select count(*) from settlement_exceptions) as exceptions,
       (select count(*) from ledger_transfers) as transfers, (select count(*) from events) as events`,
  )
  return row ?? {}
}
