import { nextMessageStop, queueMessages } from '../../messages/messages.service.ts'
import { morningOf, nextWakingMoment, isWakingHour } from '../../messages/messages.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Database } from '../../platform/db/database.ts'
import { sumPaise, type Paise } from '../../platform/money.ts'
import type { FlexContext } from '../context.ts'
import { insertDecisions } from '../engine/engine.store.ts'
import { type RefreshedPlan, refreshPlans } from '../plans/rebalance.service.ts'
import { mostPerDebit } from '../rules/debit.rules.ts'
import { chargeTold, splitAt, sumLines, onlineBeside, type Instalment, isDone } from '../rules/plan.rules.ts'
import {
  reminderMessages,
  type RemindedInstalment,
  bounceMessages,
  type ReturnedDebit,
} from './family.texts.ts'
import { groupByFamily, wholeFamilies } from './reminders.rules.ts'
import * as store from './notices.store.ts'
import { claimFamilies, releaseFamilies } from './notices.store.ts'
import { lockPlans } from '../plans/plans.store.ts'
import { bisectOnFailure } from '../../platform/concurrency.ts'

/**
 * Reminds families of what is due in some days. The ERP is asked before each: what it says is what they are told, and
 * who has paid by any means is not reminded. What is withheld is written down with its reason.
 */
export async function sendReminders(ctx: FlexContext, limit: number): Promise<number> {
  return notifyFamilies(ctx, limit, {
    list: now => store.listDue(ctx.db, dayOf(now), limit),
    decide: decideReminder,
    giveUp: reminder => withheldReminder(reminder, 'it failed on our side'),
    carryOut: (decisions, now) => queueReminders(ctx, decisions, now),
  })
}

/** `send` is null for one that is withheld. */
type ReminderDecision = {
  reminder: store.DueReminder
  family: string
  outcome: string
  send: RemindedInstalment | null
  /** Nobody asks why it was withheld. */
  isUsual?: true
}

function decideReminder(reminder: store.DueReminder, refreshed: RefreshedPlan | undefined): ReminderDecision {
  if (refreshed === undefined) return withheldReminder(reminder, 'the plan is gone')
  const { plan: about, answer } = refreshed
  if (answer.kind === 'refused') return withheldReminder(reminder, answer.code)
  if (answer.kind === 'unavailable') return withheldReminder(reminder, 'the ERP could not be asked')
  const instalment = about.find(reminder.instalmentId)
  if (instalment === undefined || !(instalment.state === 'scheduled' || instalment.state === 'confirmed'))
    return withheldReminder(reminder, `the instalment is ${instalment?.state ?? 'gone'}`)
  const { id: instalmentId, lines, dueOn: day } = instalment
  // The ERP has just moved it, so it is not due in so many days any more.
  if (day !== reminder.dueOn) return withheldReminder(reminder, `the instalment is due on ${day}`)
  if (about.plan.state !== 'active') return withheldReminder(reminder, `the plan is ${about.plan.state}`)
  const { taken, rest } = splitAt(lines, mostPerDebit(about.rail, about.requireMandate()))
  const onlinePaise = sumPaise([sumLines(rest), onlineBeside(about, instalment)])
  if (isEnough(reminder, instalment, onlinePaise))
    return { ...withheldReminder(reminder, 'told before'), isUsual: true }
  const once = `reminder ${instalmentId} ${day} ${reminder.daysBefore}`
  const charge = chargeTold(instalment)
  const send = { about, once, instalmentId, amountPaise: sumLines(taken), onlinePaise, day, charge }
  return { reminder, family: reminder.family, outcome: 'sent', send }
}

/** Before a debit a family gets one reminder and the notice; only who has to pay something is reminded again. */
function isEnough({ wasReminded }: store.DueReminder, { state }: Instalment, onlinePaise: Paise): boolean {
  return state === 'confirmed' || (wasReminded && onlinePaise === 0)
}

function withheldReminder(reminder: store.DueReminder, why: string): ReminderDecision {
  return { reminder, family: reminder.family, outcome: `withheld: ${why}`, send: null }
}

async function queueReminders(
  ctx: FlexContext,
  decisions: readonly ReminderDecision[],
  now: Date,
): Promise<void> {
  await ctx.db.transaction(async tx => {
    const taken = await store.recordReminders(
      tx,
      decisions.map(({ reminder, outcome }) => ({ ...reminder, outcome, decidedAt: now })),
    )
    const ours = decisions.filter(({ reminder }) => taken.has(reminder.instalmentId))
    const notes = ours.flatMap(({ reminder, outcome: why, send, isUsual = false }) => {
      const { instituteId, planId, instalmentId, daysBefore } = reminder
      const what = `reminder ${daysBefore} days before`
      return send === null && !isUsual
        ? [{ instituteId, planId, instalmentId, decidedAt: now, what, why }]
        : []
    })
    await insertDecisions(tx, notes)
    const messages = groupByFamily(ours).flatMap(family => {
      const reminded = family.flatMap(({ send }) => send ?? [])
      return reminderMessages(reminded, now)
    })
    await queueMessages(tx, messages)
  })
}

/** Where a clock that is moved has to stop for reminders, and for what waits for the morning. */
export async function nextReminderStop(ctx: FlexContext): Promise<Date | null> {
  const stops = [await nextReminder(ctx), await nextMessageStop(ctx)].filter(stop => stop !== null)
  return stops.toSorted((one, other) => one.getTime() - other.getTime())[0] ?? null
}

/** When the oldest reminder that was not decided on is or falls due. What was missed by the evening is not made up for. */
export async function nextReminderDue({ db, clock }: FlexContext): Promise<Date | null> {
  const now = clock.now()
  const today = dayOf(now)
  const isOver = dayOf(nextWakingMoment(now)) !== today
  if (!isOver && (await store.listDue(db, today, 1)).length > 0) return morningOf(today)
  return nextMorning(db, today)
}

async function nextReminder(ctx: FlexContext): Promise<Date | null> {
  const now = ctx.clock.now()
  const due = await nextReminderDue(ctx)
  return due === null || due > now ? due : nextMorning(ctx.db, dayOf(now))
}

async function nextMorning(db: Database, today: string): Promise<Date | null> {
  const day = await store.nextReminderDay(db, today)
  return day === null ? null : morningOf(day)
}

/**
 * Tells families of debits that came back: a reminder as well, so the ERP is asked before, and who has paid meanwhile
 * by any means is not told. What is withheld is written down with its reason.
 */
export async function sendBounces(ctx: FlexContext, limit: number): Promise<number> {
  return notifyFamilies(ctx, limit, {
    list: now => store.listBounces(ctx.db, now, limit),
    decide: decideBounce,
    giveUp: bounce => withheldBounce(bounce, 'it failed on our side'),
    carryOut: (decisions, now) => queueBounces(ctx, decisions, now),
  })
}

/** When the next can be told; one that is late waits for the morning too. */
export async function nextBounceAt({ db, clock }: FlexContext): Promise<Date | null> {
  const at = await store.nextBounce(db)
  const now = clock.now()
  return at === null ? null : nextWakingMoment(at > now ? at : now)
}

type BounceDecision = { bounce: store.DueBounce; family: string } & (
  | { send: ReturnedDebit }
  | { why: string }
)

function decideBounce(bounce: store.DueBounce, refreshed: RefreshedPlan | undefined): BounceDecision {
  const instalment = refreshed?.plan.find(bounce.instalmentId)
  if (refreshed === undefined || instalment === undefined) return withheldBounce(bounce, 'the plan is gone')
  const { plan: about, answer } = refreshed
  if (answer.kind === 'refused') return withheldBounce(bounce, answer.code)
  if (answer.kind === 'unavailable') return withheldBounce(bounce, 'the ERP could not be asked')
  if (isDone(instalment) || instalment.state === 'presented')
    return withheldBounce(bounce, `the instalment is ${instalment.state}`)
  const { kind, reason, family, instalmentId } = bounce
  // A reversal is of the amount that was debited; the amount of another try may have changed since.
  const amountPaise = kind === 'reversed' ? bounce.amountPaise : sumLines(instalment.lines)
  const day = nextDebitOn(instalment)
  const once = `${kind} ${instalmentId} ${bounce.returnedAt.toISOString()}`
  return { bounce, family, send: { kind, about, instalmentId, amountPaise, reason, day, once } }
}

function nextDebitOn({ state, presentOn, nextStepAt }: Instalment): string | undefined {
  if (state === 'scheduled') return presentOn
  return state === 'confirmed' && nextStepAt !== null ? dayOf(nextStepAt) : undefined
}

function withheldBounce(bounce: store.DueBounce, why: string): BounceDecision {
  return { bounce, family: bounce.family, why }
}

async function queueBounces(
  ctx: FlexContext,
  decisions: readonly BounceDecision[],
  now: Date,
): Promise<void> {
  await ctx.db.transaction(async tx => {
    const bounces = decisions.map(({ bounce }) => bounce)
    // First the plans, as everywhere: one that comes back again at this moment waits, or is waited for.
    await lockPlans(tx, bounces)
    const taken = await store.takeBounces(tx, bounces)
    const ours = decisions.filter(({ bounce }) => taken.has(bounce.instalmentId))
    const notes = ours.flatMap(decision => {
      const { instituteId, planId, instalmentId } = decision.bounce
      const note = { instituteId, planId, instalmentId, decidedAt: now, what: 'family not told' }
      return 'why' in decision ? [{ ...note, why: `withheld: ${decision.why}` }] : []
    })
    await insertDecisions(tx, notes)
    const messages = groupByFamily(ours).flatMap(family => {
      const returned = family.flatMap(decision => ('send' in decision ? decision.send : []))
      return bounceMessages(returned, now)
    })
    await queueMessages(tx, messages)
  })
}

/** Something that a family may be told about one of its plans. */
type DueNotice = { instituteId: number; planId: string; studentId: string; family: string }

/** One kind of notice: what is due, what is decided for each, and how decisions are carried out. */
type Notice<Item extends DueNotice, Decision> = {
  list(now: Date): Promise<Item[]>
  decide(due: Item, refreshed: RefreshedPlan | undefined): Decision
  /** Decides about one that fails on our side. */
  giveUp(due: Item): Decision
  /** Writes and queues everything in one transaction. */
  carryOut(decisions: readonly Decision[], now: Date): Promise<void>
}

/** Family by family, while people are awake, after the ERP was asked. Answers how many were decided on. */
async function notifyFamilies<Item extends DueNotice, Decision>(
  ctx: FlexContext,
  limit: number,
  notice: Notice<Item, Decision>,
): Promise<number> {
  const now = ctx.clock.now()
  if (!isWakingHour(now)) return 0
  const listed = wholeFamilies(await notice.list(now), limit)
  if (listed.length === 0) return 0
  const claimed = await claimFamilies(ctx.db, listed)
  try {
    // Read again: a worker that held a family until just now has decided on what was listed.
    const due = (await notice.list(now)).filter(({ family }) => claimed.has(family))
    await notifyEach(ctx, due, now, notice)
    return due.length
  } finally {
    await releaseFamilies(
      ctx.db,
      listed.filter(({ family }) => claimed.has(family)),
    )
  }
}

async function notifyEach<Item extends DueNotice, Decision>(
  ctx: FlexContext,
  due: readonly Item[],
  now: Date,
  notice: Notice<Item, Decision>,
): Promise<void> {
  await bisectOnFailure(
    groupByFamily(due),
    async families => {
      const all = families.flat()
      const refreshed = await refreshPlans(ctx, all, 'reminder')
      const decisions = all.map((one, index) => notice.decide(one, refreshed[index]))
      await notice.carryOut(decisions, now)
    },
    // One family whose plan cannot be written keeps no other from being notified.
    async family =>
      notice.carryOut(
        family.map(one => notice.giveUp(one)),
        now,
      ),
  )
}
