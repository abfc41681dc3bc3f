import type { Dues } from '../dues/dues.service.ts'
import { readDuesLeft } from '../dues/on-the-way.service.ts'
import { openDuesOrder } from '../dues/pay-dues.service.ts'
import type { Pulled } from '../erp/pull/pull.service.ts'
import type { FlexContext } from '../flex/context.ts'
import { pullWithPlans } from '../flex/plans/end-plan.service.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { getInstitutesById } from '../institutes/institutes.service.ts'
import { getSchool } from '../institutes/school/school.service.ts'
import { findFamilyLanguage, queueMessages } from '../messages/messages.service.ts'
import { internationalNumber, isWakingHour, nextWakingMoment } from '../messages/messages.rules.ts'
import { assert } from '../platform/assert.ts'
import { dayOf } from '../platform/calendar.ts'
import type { Queryable } from '../platform/db/database.ts'
import type { Language } from '../platform/languages.ts'
import { BursarError } from '../platform/errors.ts'
import type { Run as JobRun } from '../platform/jobs/job.ts'
import { processDue } from '../platform/jobs/due-rows.ts'
import {
  decideFamily,
  totalAsked,
  type AskedChild,
  type Child,
  type Reason,
  type Wording,
} from './reminders.rules.ts'
import * as store from './reminders.store.ts'
import { ourWording, reminderMessages, type ReminderChannel, type RemindedChild } from './reminders.texts.ts'

/**
 * Reminds the families of runs, each by itself. The ERP is asked before each: the family is told what it says, and who
 * has paid by any means is not reminded. What is withheld keeps its reason.
 */
export function sendFeeReminders(ctx: FlexContext): JobRun {
  return processDue(ctx, store.due, reminder => remindFamily(ctx, reminder))
}

export async function nextFeeReminderDue({ db }: Pick<FlexContext, 'db'>): Promise<Date | null> {
  return store.due.nextDue(db)
}

/** How many wait to be sent about this student; who has left is left out of each when its turn comes. */
export async function countWaiting(db: Queryable, instituteId: number, studentId: string): Promise<number> {
  return store.countWaiting(db, instituteId, studentId)
}

async function remindFamily(ctx: FlexContext, reminder: store.Reminder): Promise<void> {
  const { instituteId } = reminder
  const now = ctx.clock.now()
  const school = await getSchool(ctx, instituteId)
  if (!isWakingHour(now, school)) return store.putOff(ctx.db, reminder, nextWakingMoment(now, school))
  const withhold = (reason: Reason): Promise<void> => store.withhold(ctx.db, reminder, { reason, at: now })
  if (!reminder.isForced && (await store.wasReminded(ctx.db, reminder, dayOf(now))))
    return withhold('reminded_today')
  const run = await store.findRun(ctx.db, instituteId, reminder.runId)
  const [institute] = await getInstitutesById(ctx, [instituteId])
  assert(run !== null && institute !== undefined, 'a reminder has a run and an institute')
  const { children, dues } = await askAbout(ctx, reminder)
  const decision = decideFamily(children, run.scope)
  if (decision.kind === 'withhold') return withhold(decision.reason)
  const contact = contactOf(dues, decision.children)
  const channels = run.channels.filter(channel => isReachable(channel, contact))
  if (channels.length === 0) return withhold('unreachable')
  const linked = await openLinks(ctx, institute, decision.children)
  if (linked.length === 0) return withhold('being_paid')
  const letter = {
    instituteId,
    about: reminder.id,
    to: contact,
    school,
    ...(await wordingFor(ctx, run, contact)),
    children: linked.map(child => remindedOf(dues, child)),
  }
  const messages = reminderMessages(letter, channels, now)
  await ctx.db.transaction(async tx => {
    const isSent = await store.markSent(tx, reminder, {
      day: dayOf(now),
      at: now,
      amountPaise: totalAsked(linked),
      recipients: messages.map(({ channel, recipient }) => `${channel} ${recipient}`),
      children: linked,
    })
    if (isSent) await queueMessages(tx, messages)
    else await store.withhold(tx, reminder, { reason: 'reminded_today', at: now })
  })
}

async function askAbout(
  ctx: FlexContext,
  reminder: store.Reminder,
): Promise<{ children: Child[]; dues: Map<string, Dues> }> {
  const { instituteId } = reminder
  const ids = await store.listStudentIds(ctx.db, reminder)
  const keys = ids.map(studentId => ({ instituteId, studentId }))
  const pulled = await pullWithPlans(
    ctx,
    keys.map(key => ({ ...key, reason: 'reminder' as const })),
  )
  const dues = await readDuesLeft(ctx, instituteId, ids)
  const children = ids.map((studentId, index) => {
    const known = dues.get(studentId)
    return {
      studentId,
      erp: erpOf(pulled[index]),
      dues: known === undefined ? null : { ...known, isActive: known.context.student.status === 'active' },
    }
  })
  return { children, dues }
}

/** What is stored counts as fresh where there is no ERP. */
function erpOf(pulled: Pulled | undefined): Child['erp'] {
  if (pulled?.kind === 'refused' || pulled?.kind === 'unavailable') return pulled.kind
  return 'fresh'
}

/** Where the run has the school's usual words, a family that chose a language gets them in its own. */
async function wordingFor(
  { db }: Pick<FlexContext, 'db'>,
  { instituteId, language, subject, body }: store.Run,
  { phone }: Contact,
): Promise<{ language: Language; wording: Wording }> {
  const asked = { language, wording: { subject, body } }
  const chosen = await findFamilyLanguage(db, { instituteId, phone })
  if (chosen === null || chosen.language === language) return asked
  const own = await store.findTexts(db, instituteId)
  const usual = (one: Language): Wording => own.find(text => text.language === one) ?? ourWording(one)
  const isUsual = usual(language).subject === subject && usual(language).body === body
  return isUsual ? { language: chosen.language, wording: usual(chosen.language) } : asked
}

type Contact = { name: string; email: string; phone: string }

export function contactOf(dues: ReadonlyMap<string, Dues>, [first]: readonly AskedChild[]): Contact {
  const student = dues.get(first?.studentId ?? '')?.context.student
  assert(student !== undefined, 'a student to be reminded has dues')
  return { name: student.contactName, email: student.contactEmail, phone: student.contactNumber }
}

export function isReachable(channel: ReminderChannel, { email, phone }: Contact): boolean {
  return channel === 'email' ? email.includes('@') : internationalNumber(phone) !== null
}

type ChildWithLink = AskedChild & { orderId: string; url: string }

/** Children whose fees are being paid at this moment are left out. */
async function openLinks(
  ctx: FlexContext,
  institute: Institute,
  children: readonly AskedChild[],
): Promise<ChildWithLink[]> {
  const linked: ChildWithLink[] = []
  for (const { studentId, amountPaise } of children) {
    const wanted = { amountPaise, callbackUrl: null }
    try {
      const { orderId, redirectUrl } = await openDuesOrder(ctx, { institute, studentId }, wanted)
      linked.push({ studentId, amountPaise, orderId, url: redirectUrl })
    } catch (error) {
      if (!(error instanceof BursarError)) throw error
    }
  }
  return linked
}

export function remindedOf(
  dues: ReadonlyMap<string, Dues>,
  { studentId, amountPaise, url }: AskedChild & { url: string },
): RemindedChild {
  const context = dues.get(studentId)?.context
  assert(context !== undefined, 'a child that is reminded of has dues')
  const { student, gradeName } = context
  return { name: student.fullname, identifier: student.identifier, grade: gradeName, amountPaise, url }
}
