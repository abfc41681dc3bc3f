import { noteOnPlans, type Refreshed } from '../plans/refresh.service.ts'
import type { FlexContext } from '../context.ts'
import { remindFamily, type Reminded } from './reminder.texts.ts'
import { sumLines } from '../rules/schedule.rules.ts'
import { nextMessageStop, queueMessages } from '../../messages/messages.service.ts'
import type { NewMessage } from '../../messages/messages.rules.ts'
import { morningOf } from '../../messages/quiet-hours.rules.ts'
import { dayOf } from '../../platform/calendar.ts'
import { goRound } from './notify-families.ts'
import { groupByFamily } from './reminders.rules.ts'
import * as store from './reminders.store.ts'

/**
 * Reminds families of what is due in some days. The ERP is asked before each: what it says is what they are told, and
 * who has paid by any means is not reminded. What is withheld is written down with its reason.
 */
export async function sendReminders(flex: FlexContext, limit: number): Promise<number> {
  return goRound(flex, limit, {
    list: now => store.listDue(flex.db, dayOf(now), limit),
    think,
    giveUp,
    decide: (thoughts, now) => decide(flex, thoughts, now),
  })
}

/** `reminded` is null for one that is withheld. */
type Thought = { reminder: store.DueReminder; outcome: string; family: string; reminded: Reminded | null }

async function decide(flex: FlexContext, thoughts: readonly Thought[], now: Date): Promise<void> {
  await flex.db.transaction(async tx => {
    const ours = await store.recordReminders(
      tx,
      thoughts.map(({ reminder, outcome }) => ({ ...reminder, outcome, decidedAt: now })),
    )
    const told = thoughts.filter(({ reminder }) => ours.has(reminder.instalmentId))
    await noteOnPlans(
      tx,
      told
        .filter(({ reminded }) => reminded === null)
        .map(({ reminder, outcome }) => noteOf(reminder, outcome, now)),
    )
    await queueMessages(
      tx,
      groupByFamily(told).flatMap(family => messagesTo(family, now)),
    )
  })
}

function noteOf(
  reminder: store.DueReminder,
  why: string,
  decidedAt: Date,
): Parameters<typeof noteOnPlans>[1][number] {
  const { instituteId, planId, instalmentId, daysBefore } = reminder
  return { instituteId, planId, instalmentId, decidedAt, what: `reminder ${daysBefore} days before`, why }
}

function messagesTo(family: readonly Thought[], now: Date): NewMessage[] {
  return remindFamily(
    family.flatMap(({ reminded }) => reminded ?? []),
    now,
  )
}

function think(reminder: store.DueReminder, refreshed: Refreshed | undefined): Thought {
  const instalment = refreshed?.file.instalments.find(({ id }) => id === reminder.instalmentId)
  const withheld = (why: string): Thought => ({ ...giveUp(reminder), outcome: `withheld: ${why}` })
  if (refreshed === undefined) return withheld('the plan is gone')
  const { file, student, word } = refreshed
  if (word.kind === 'refused') return withheld(word.code)
  if (word.kind === 'unavailable') return withheld('the ERP could not be asked')
  if (instalment === undefined || !(instalment.state === 'scheduled' || instalment.state === 'confirmed'))
    return withheld(`the instalment is ${instalment?.state ?? 'gone'}`)
  // The ERP has just moved it, so it is not due in so many days any more.
  if (instalment.dueOn !== reminder.dueOn) return withheld(`the instalment is due on ${instalment.dueOn}`)
  if (file.plan.state !== 'active') return withheld(`the plan is ${file.plan.state}`)
  const reminded = {
    file,
    student,
    instalmentId: instalment.id,
    amountPaise: sumLines(instalment.lines),
    day: instalment.dueOn,
  }
  return { reminder, outcome: 'sent', family: reminder.family, reminded }
}

function giveUp(reminder: store.DueReminder): Thought {
  return { reminder, outcome: 'withheld: it failed on our side', family: reminder.family, reminded: null }
}

/** Where a clock that is moved has to stop for reminders, and for what waits for the morning. */
export async function nextReminderStop(flex: FlexContext): Promise<Date | null> {
  const stops = [await nextReminder(flex), await nextMessageStop(flex)].filter(stop => stop !== null)
  return stops.toSorted((one, other) => one.getTime() - other.getTime())[0] ?? null
}

async function nextReminder({ db, clock }: FlexContext): Promise<Date | null> {
  const now = clock.now()
  const today = dayOf(now)
  if (now < morningOf(today) && (await store.listDue(db, today, 1)).length > 0) return morningOf(today)
  const day = await store.nextReminderDay(db, today)
  return day === null ? null : morningOf(day)
}
