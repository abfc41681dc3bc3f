import { nextMessageStop, queueMessages } from '../../messages/messages.service.ts'
import { morningOf, nextWakingMoment } from '../../messages/messages.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import type { Database } from '../../platform/db/database.ts'
import { sumPaise, type Paise } from '../../platform/money.ts'
import type { FlexContext } from '../context.ts'
import { insertDecisions } from '../engine/decisions.store.ts'
import type { RefreshedPlan } from '../plans/refresh.service.ts'
import { mostPerDebit } from '../rules/debit.rules.ts'
import { splitAt, sumLines } from '../rules/lines.rules.ts'
import { onlineBeside, type Instalment } from '../rules/plan.rules.ts'
import { notifyFamilies } from './notify-families.ts'
import { reminderMessages, type Reminded } from './reminder.texts.ts'
import { groupByFamily } from './reminders.rules.ts'
import * as store from './reminders.store.ts'

/**
 * Reminds families of what is due in some days. The ERP is asked before each: what it says is what they are told, and
 * who has paid by any means is not reminded. What is withheld is written down with its reason.
 */
export async function sendReminders(ctx: FlexContext, limit: number): Promise<number> {
  return notifyFamilies(ctx, limit, {
    list: now => store.listDue(ctx.db, dayOf(now), limit),
    decide: decideNotice,
    giveUp: reminder => withheld(reminder, 'it failed on our side'),
    carryOut: (decisions, now) => carryOut(ctx, decisions, now),
  })
}

/** `send` is null for one that is withheld. */
type Decision = {
  reminder: store.DueReminder
  family: string
  outcome: string
  send: Reminded | null
  /** Nobody asks why it was withheld. */
  isUsual?: true
}

function decideNotice(reminder: store.DueReminder, refreshed: RefreshedPlan | undefined): Decision {
  if (refreshed === undefined) return withheld(reminder, 'the plan is gone')
  const { plan: about, answer } = refreshed
  if (answer.kind === 'refused') return withheld(reminder, answer.code)
  if (answer.kind === 'unavailable') return withheld(reminder, 'the ERP could not be asked')
  const instalment = about.find(reminder.instalmentId)
  if (instalment === undefined || !(instalment.state === 'scheduled' || instalment.state === 'confirmed'))
    return withheld(reminder, `the instalment is ${instalment?.state ?? 'gone'}`)
  const { id: instalmentId, lines, dueOn: day } = instalment
  // The ERP has just moved it, so it is not due in so many days any more.
  if (day !== reminder.dueOn) return withheld(reminder, `the instalment is due on ${day}`)
  if (about.plan.state !== 'active') return withheld(reminder, `the plan is ${about.plan.state}`)
  const { taken, rest } = splitAt(lines, mostPerDebit(about.rail, about.requireMandate()))
  const onlinePaise = sumPaise([sumLines(rest), onlineBeside(about, instalment)])
  if (isEnough(reminder, instalment, onlinePaise))
    return { ...withheld(reminder, 'told before'), isUsual: true }
  const once = `reminder ${instalmentId} ${day} ${reminder.daysBefore}`
  const send = { about, once, instalmentId, amountPaise: sumLines(taken), onlinePaise, day }
  return { reminder, family: reminder.family, outcome: 'sent', send }
}

/** Before a debit a family gets one reminder and the notice; only who has to pay something is reminded again. */
function isEnough({ wasReminded }: store.DueReminder, { state }: Instalment, onlinePaise: Paise): boolean {
  return state === 'confirmed' || (wasReminded && onlinePaise === 0)
}

function withheld(reminder: store.DueReminder, why: string): Decision {
  return { reminder, family: reminder.family, outcome: `withheld: ${why}`, send: null }
}

async function carryOut(ctx: FlexContext, decisions: readonly Decision[], now: Date): Promise<void> {
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
