import assert from 'node:assert/strict'
import { VARIABLE } from '../../../src/messages/messages.rules.ts'
import { reconcile } from '../../../src/payments/reconcile/reconcile.service.ts'
import { dayAfter, startOfDay } from '../../../src/platform/calendar.ts'
import { smsTemplates } from '../../../src/app/context.ts'
import { findBroken, findUnfinished, type Broken } from '../../harness/payments.ts'
import { waitFor } from '../../harness/wait.ts'
import { cancelPlan, FLEX_ACTS, followUp, holdPlan } from './acts.ts'
import { doWhatWasLeft } from './acts-support.ts'
import { Town, type FlexAct, type OpenBank } from './town.ts'
import { sandboxBank } from './bank.ts'
import type { Pupil } from './erp.ts'
import { CHARGE_ACTS } from './charge-acts.ts'
import { MONEY_ACTS } from './money-acts.ts'
import { PRESENTATIONS, wrongWith, type SeenPresentation } from './presentations.ts'
import { findBrokenPlans, findWrongSums } from './rules.ts'
import { findOffences, watchPresentations } from './watch.ts'

/**
 * A year of instalment plans, day by day. In the course of a day people, ERPs and the bank do what they like; at some
 * moment of the next the books are asked whether everything holds. In the end nobody does anything any more, and
 * everything comes to its end.
 */
export type YearOptions = {
  seed: number
  plans: number
  days: number
  /** The sandbox's own unless another is named. */
  openBank?: OpenBank
  /** How likely the process dies on a day. */
  crashes?: number
  owner: { after(done: () => Promise<void> | void): void }
  /** So often the books of payments are asked too, which costs more the more there is. */
  booksEveryDays?: number
  /** How much happens, and how likely something happens between a notice and its presentation. */
  actsPerPlanAndDay?: number
  lastMoment?: number
  checkEveryDays?: number
  onProgress?: (day: number, summary: string) => void
}

export type YearResult = {
  plans: number
  days: number
  acts: Record<string, number>
  counts: Record<string, number>
}

/** What must still count after the notice. */
const LAST_MOMENT = [
  'dropped',
  'hold',
  'counter',
  'payment cancelled',
  'fee pushed',
  'fees lost',
  'revoke',
  'charge stopped',
  'charge called off',
]
/** What is out has to come to its end all the same. */
const CANCEL_AT_BANK: FlexAct = { name: 'cancel at the bank', weight: 1, run: cancelPlan }
const ACTS_PER_PLAN_AND_DAY = 0.06
const MOST_CALM_DAYS = 45
const HOLIDAYS_KNOWN_FOR_MS = 10_500
const SHOWN = 40
const REST_DAYS = 14

export async function runYear(options: YearOptions): Promise<YearResult> {
  const { seed, plans, days, owner, onProgress } = options
  const calmDays = Math.min(MOST_CALM_DAYS, Math.round(days / 2))
  const town = await Town.open(owner, seed, options.openBank ?? (async () => sandboxBank))
  const history: string[] = []
  const year = new Year(town, history, options)
  try {
    await watchPresentations(town.sql)
    await town.addHolidays(3, 200, 8)
    await town.enrol(plans)
    // Some become holidays after the days of the instalments were set.
    await town.addHolidays(200, 410, 12)
    const heard = performance.now() + HOLIDAYS_KNOWN_FOR_MS
    for (let day = 0; day < days + calmDays; day++) {
      if (day === 190) await waitFor(async () => performance.now() > heard, 'the holidays to be heard of')
      // As the database does by itself, if it is given the minutes that a year takes elsewhere.
      if (day % 30 === 0) await town.sql('analyze')
      await year.passDay(day < days)
      if (day % (options.checkEveryDays ?? 1) === 0)
        await year.check(day % (options.booksEveryDays ?? 1) === 0)
      if (day % 30 === 0) onProgress?.(day, `${year.presentations} presentations`)
    }
    await year.finish()
    return { plans, days, acts: year.acts, counts: await year.count() }
  } catch (error) {
    const last = history.slice(-SHOWN).join('\n  ')
    throw new Error(
      `the year of seed ${seed} broke on ${town.today}; before that:\n  ${last}\n${town.world.errors}`,
      { cause: error },
    )
  }
}

class Year {
  readonly acts: Record<string, number> = {}
  presentations = 0
  fitted = 0
  readonly #town: Town
  readonly #history: string[]
  readonly #actsPerPlanAndDay: number
  readonly #lastMoment: number
  readonly #crashes: number
  readonly #allActs: readonly FlexAct[]
  readonly #lastActs: readonly FlexAct[]
  #seenUpTo: Date

  constructor(town: Town, history: string[], options: YearOptions) {
    const { actsPerPlanAndDay, lastMoment = 0, crashes = 0 } = options
    this.#town = town
    this.#crashes = crashes
    this.#allActs = [...FLEX_ACTS, ...CHARGE_ACTS, ...MONEY_ACTS, ...town.bank.acts]
    this.#lastActs = this.#allActs
      .filter(({ name }) => LAST_MOMENT.includes(name))
      .map(act => ({ ...act, weight: act.name === 'dropped' ? 2 : 1 }))
    this.#actsPerPlanAndDay = actsPerPlanAndDay ?? ACTS_PER_PLAN_AND_DAY
    this.#lastMoment = lastMoment
    this.#history = history
    this.#seenUpTo = town.now
  }

  async passDay(isStormy: boolean): Promise<void> {
    const town = this.#town
    const { random } = town
    if (isStormy) await this.#act()
    else await this.#calmDown()
    await doWhatWasLeft(town, !isStormy)
    this.#history.push(...(await followUp(town, !isStormy)).map(text => `${town.today} ${text}`))
    const tomorrow = startOfDay(dayAfter(town.today)).getTime()
    const to = new Date(tomorrow + random.between(0, 24 * 60 - 1) * 60_000)
    await town.bank.passDay?.(town)
    if (isStormy && random.chance(this.#crashes)) await town.hurryThroughCrash(to)
    else await (random.chance(0.1) ? town.moveTo(to) : town.hurryTo(to))
  }

  async #act(): Promise<void> {
    const town = this.#town
    const { random, pupils } = town
    const wanted = pupils.length * this.#actsPerPlanAndDay
    const count = Math.floor(wanted) + (random.chance(wanted % 1) ? 1 : 0)
    for (let n = 0; n < count; n++) await this.#perform(random.weighed(this.#allActs), random.pick(pupils))
    if (this.#lastMoment === 0) return
    for (const pupil of await this.#pupilsWith('confirmed'))
      if (random.chance(this.#lastMoment)) await this.#perform(random.weighed(this.#lastActs), pupil)
    for (const pupil of await this.#pupilsWith('presented'))
      if (random.chance(this.#lastMoment / 2)) await this.#perform(CANCEL_AT_BANK, pupil)
  }

  async #pupilsWith(state: 'confirmed' | 'presented'): Promise<Pupil[]> {
    const { pupils } = this.#town
    const found = await this.#town.sql<{ plan_id: string }>(
      'select distinct plan_id from flex_instalments where state = $1',
      [state],
    )
    const plans = new Set(found.map(one => one.plan_id))
    return pupils.filter(({ planId }) => plans.has(planId))
  }

  async #perform(act: FlexAct, pupil: Pupil | undefined): Promise<void> {
    const town = this.#town
    assert.ok(pupil)
    const at = town.now.toISOString()
    const said = await act.run(town, pupil)
    if (said !== 'nothing') this.acts[act.name] = (this.acts[act.name] ?? 0) + 1
    this.#history.push(`${at} ${act.name} ${pupil.identifier} ${pupil.planId}: ${said}`)
  }

  /** Nobody refuses any more, but for those who left. */
  async #calmDown(): Promise<void> {
    if (this.#town.isCalm) return
    this.#town.isCalm = true
    for (const pupil of this.#town.pupils) {
      if (pupil.refusal?.code !== 'student_discontinued') pupil.refusal = null
      pupil.emptyUntil = ''
    }
  }

  async check(hasBooks: boolean): Promise<void> {
    const town = this.#town
    const touched = new Map(town.pupils.map(({ planId, touchedAt }) => [planId, touchedAt]))
    const sums = await findWrongSums(town.sql, touched)
    this.fitted += sums.fitted
    fail([
      ...(await findBrokenPlans(town.sql, town.now)),
      ...sums.broken,
      ...(await findOffences(town.sql)),
      ...(await this.#checkPresentations()),
      ...(hasBooks ? await findBroken(town.sql) : []),
    ])
  }

  async #checkPresentations(): Promise<Broken[]> {
    const { sql, holidays } = this.#town
    const seen = await sql<SeenPresentation>(PRESENTATIONS, [this.#seenUpTo])
    this.presentations += seen.length
    for (const { presentedAt } of seen) if (presentedAt > this.#seenUpTo) this.#seenUpTo = presentedAt
    return seen.flatMap(one =>
      wrongWith(one, holidays).map(rule => ({ rule, subject: one.orderId, detail: JSON.stringify(one) })),
    )
  }

  async finish(): Promise<void> {
    const town = this.#town
    // Nothing new begins, so that what is out comes to its end.
    for (const pupil of town.pupils) await holdPlan(town, pupil)
    for (let day = 0; day < REST_DAYS; day++) {
      await town.bank.passDay?.(town)
      await town.moveTo(new Date(town.now.getTime() + 86_400_000))
    }
    await town.bank.expectSame?.(town)
    fail(await findUnfinished(town.sql))
    fail(await findBrokenPlans(town.sql, town.now))
    fail(await findUnregistered(town.sql))
    for (const institute of town.institutes) {
      const { differences } = await reconcile(town.ctx, institute)
      assert.deepEqual(differences, [], institute.code)
    }
  }

  async count(): Promise<Record<string, number>> {
    const rows = await this.#town.sql<{ what: string; count: string }>(
      `select 'plan ' || state as what, count(*) from flex_plans group by state
       union all select 'instalment ' || state, count(*) from flex_instalments group by state
       union all select 'presented by ' || mode, count(*) from payments where mode in ('enach', 'upi_autopay') group by mode
       union all select 'return codes', count(distinct return_code) from flex_presentations
       union all select 'returned late', count(*) from flex_presentations where state = 'reversed'
       union all select 'fetch ' || outcome, count(*) from erp_fetches group by outcome
       union all select 'mandates', count(*) from flex_mandates union all select 'events', count(*) from events`,
    )
    const counts = Object.fromEntries(rows.map(({ what, count }) => [what, Number(count)]))
    return { ...counts, 'sums compared': this.fitted, crashes: this.#town.world.crashes }
  }
}

/** Operators drop a text that is not, word for word, the template that it names. */
async function findUnregistered(sql: Town['sql']): Promise<Broken[]> {
  const registered = new Map(
    smsTemplates().map(({ name, text }) => [
      name,
      new RegExp(
        `^${text
          .split(VARIABLE)
          .map(part => RegExp.escape(part))
          .join('.+')}$`,
      ),
    ]),
  )
  const texts = await sql<{ template: string; body: string }>(
    `select template, body from messages where channel = 'sms' and template is not null
     union all select 'none', body from messages where channel = 'sms' and template is null`,
  )
  return texts
    .filter(({ template, body }) => registered.get(template)?.test(body) !== true)
    .map(({ template, body }) => ({ rule: 'a text is registered', subject: template, detail: body }))
}

function fail(broken: readonly Broken[]): void {
  if (broken.length === 0) return
  throw new Error(broken.map(({ rule, subject, detail }) => `${rule}: ${subject} ${detail}`).join('\n'))
}
