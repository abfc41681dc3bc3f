import { refreshPlans, type Refreshed } from '../flex/refresh.service.ts'
import type { FlexGround } from '../flex/flex-ground.ts'
import { tellFamily } from '../flex/flex-words.ts'
import { sumLines } from '../flex/schedule.rules.ts'
import { queueMessages } from '../messages/messages.service.ts'
import type { NewMessage } from '../messages/messages.rules.ts'
import { dayOf, startOfDay } from '../platform/calendar.ts'
import { sumPaise } from '../platform/money.ts'
import { groupByFamily, isWakingHour } from './reminders.rules.ts'
import * as store from './reminders.store.ts'

/**
 * Reminds families of what is due in some days. The ERP is asked before each: what it says is what they are told, and
 * who has paid by any means is not reminded. What is withheld is written down with its reason.
 */
export async function sendReminders(flex: FlexGround, limit: number): Promise<number> {
  const now = flex.clock.now()
  if (!isWakingHour(now)) return 0
  const due = await store.listDue(flex.db, dayOf(now), limit)
  if (due.length === 0) return 0
  const refreshed = await refreshPlans(flex, due, 'reminder')
  const thoughts = due.map((reminder, index) => think(reminder, refreshed[index]))
  await flex.db.transaction(async tx => {
    const ours = await store.recordReminders(
      tx,
      thoughts.map(({ reminder, outcome }) => ({ ...reminder, outcome, decidedAt: now })),
    )
    const told = thoughts.filter(
      ({ reminder, outcome }) => outcome === 'sent' && ours.has(reminder.instalmentId),
    )
    await queueMessages(
      tx,
      groupByFamily(told).flatMap(family => messagesTo(family, now)),
    )
  })
  return due.length
}

type Thought = {
  reminder: store.DueReminder
  outcome: string
  family: string
  refreshed: Refreshed | undefined
}

function think(reminder: store.DueReminder, refreshed: Refreshed | undefined): Thought {
  const instalment = refreshed?.file.instalments.find(({ id }) => id === reminder.instalmentId)
  const family = `${reminder.instituteId} ${refreshed?.student.student.contactNumber ?? reminder.planId}`
  const outcome = (): string => {
    if (refreshed === undefined) return 'withheld: the plan is gone'
    if (refreshed.word.kind === 'refused') return `withheld: ${refreshed.word.code}`
    if (refreshed.word.kind === 'unavailable') return 'withheld: the ERP could not be asked'
    if (instalment === undefined || !(instalment.state === 'scheduled' || instalment.state === 'confirmed'))
      return `withheld: the instalment is ${instalment?.state ?? 'gone'}`
    return refreshed.file.plan.state === 'active'
      ? 'sent'
      : `withheld: the plan is ${refreshed.file.plan.state}`
  }
  return { reminder, outcome: outcome(), family, refreshed }
}

function messagesTo(family: readonly Thought[], at: Date): NewMessage[] {
  const [first] = family
  if (first?.refreshed === undefined) return []
  const children = family.map(({ refreshed }) => refreshed?.student.student.fullname ?? '')
  const amounts = family.map(({ reminder, refreshed }) =>
    sumLines(refreshed?.file.instalments.find(({ id }) => id === reminder.instalmentId)?.lines ?? []),
  )
  const { file, student } = first.refreshed
  const fullname = [...new Set(children)].join(', ')
  const everybody = { ...student, student: { ...student.student, fullname } }
  return tellFamily('reminder', file, {
    student: everybody,
    at,
    amountPaise: sumPaise(amounts),
    day: first.reminder.dueOn,
  })
}

const MORNING_MS = 9 * 60 * 60 * 1_000

function morning(day: string): Date {
  return new Date(startOfDay(day).getTime() + MORNING_MS)
}

/** Where a clock that is moved has to stop for reminders. */
export async function nextReminderStop(flex: FlexGround): Promise<Date | null> {
  const now = flex.clock.now()
  const today = dayOf(now)
  if (now < morning(today) && (await store.listDue(flex.db, today, 1)).length > 0) return morning(today)
  const day = await store.nextReminderDay(flex.db, today)
  return day === null ? null : morning(day)
}
