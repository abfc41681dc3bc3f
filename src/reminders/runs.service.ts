import { readDues } from '../dues/dues.service.ts'
import { readDuesLeft } from '../dues/on-the-way.service.ts'
import type { FlexContext } from '../flex/context.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { getSchool } from '../institutes/school/school.service.ts'
import { writeLetter } from '../messages/texts/texts.ts'
import { nextWakingMoment } from '../messages/messages.rules.ts'
import type { Context } from '../platform/context.ts'
import { badField, badFields, conflict, notFound } from '../platform/errors.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { newId } from '../platform/ids.ts'
import { LANGUAGES, type Language } from '../platform/languages.ts'
import {
  decideFamily,
  groupFamilies,
  wordingProblems,
  type Family,
  type Scope,
  type Wording,
} from './reminders.rules.ts'
import { contactOf, isReachable, remindedOf } from './reminders.service.ts'
import * as store from './reminders.store.ts'
import { ourWording, writeReminder, type ReminderChannel } from './reminders.texts.ts'

export type { CountedRun } from './reminders.store.ts'

export const MOST_STUDENTS = 10_000

export type NewRun = Wording & {
  studentIds: readonly string[]
  language: Language
  channels: readonly ReminderChannel[]
  scope: Scope
  isForced: boolean
  madeBy: string
}

/** Writes down whom to remind; the worker asks the ERP and sends, family by family. */
export async function startRun(
  ctx: FlexContext,
  command: Command<store.CountedRun>,
  institute: Institute,
  { studentIds, ...wanted }: NewRun,
): Promise<store.CountedRun> {
  requireWording(wanted)
  if (wanted.channels.length === 0) throw badField('channels', 'must name one at least')
  const families = await familiesOf(ctx, institute, studentIds)
  const school = await getSchool(ctx, institute.id)
  const now = ctx.clock.now()
  const run: store.Run = {
    ...wanted,
    instituteId: institute.id,
    id: newId('run'),
    createdAt: now,
    cancelledAt: null,
  }
  return transact(ctx.db, command, async tx => {
    const rows = families.map(family => ({ ...family, id: newId('rem') }))
    await store.insertRun(tx, run, rows, nextWakingMoment(now, school))
    return { ...run, families: rows.length, waiting: rows.length, sent: 0, withheld: 0 }
  })
}

function requireWording(wording: Wording): void {
  const problems = wordingProblems(wording)
  if (problems.length > 0) throw badFields(problems)
}

async function familiesOf(
  ctx: FlexContext,
  institute: Institute,
  studentIds: readonly string[],
): Promise<Family[]> {
  if (studentIds.length === 0) throw conflict('Nobody fits: there is no family to remind.')
  if (studentIds.length > MOST_STUDENTS)
    throw conflict(`Those are more than ${MOST_STUDENTS} students. Choose a class or a branch.`)
  const keys = studentIds.map(studentId => ({ instituteId: institute.id, studentId }))
  const dues = await readDues(ctx, keys)
  const students = [...dues.values()].map(({ context }) => context.student)
  if (students.length < new Set(studentIds).size) throw notFound('One of these students')
  return groupFamilies(students.map(student => ({ ...student, studentId: student.id })))
}

export type Preview = {
  families: number
  students: number
  /** Null when none of the first families owes anything. */
  sample: { to: string; subject: string; body: string; short: string } | null
}

const MOST_SAMPLED = 50

/** What would leave, by what is stored: the ERP is asked when it does. */
export async function previewRun(
  ctx: FlexContext,
  command: Command<Preview>,
  institute: Institute,
  wanted: Omit<NewRun, 'madeBy' | 'isForced'>,
): Promise<Preview> {
  requireWording(wanted)
  const preview = await samplePreview(ctx, institute, wanted)
  return transact(ctx.db, command, async () => preview)
}

async function samplePreview(
  ctx: FlexContext,
  institute: Institute,
  { studentIds, ...wanted }: Omit<NewRun, 'madeBy' | 'isForced'>,
): Promise<Preview> {
  const families = await familiesOf(ctx, institute, studentIds)
  const counts = { families: families.length, students: new Set(studentIds).size }
  const sampled = families.slice(0, MOST_SAMPLED)
  const ids = sampled.flatMap(family => family.studentIds)
  const dues = await readDuesLeft(ctx, institute.id, ids)
  const school = await getSchool(ctx, institute.id)
  for (const family of sampled) {
    const children = family.studentIds.map(studentId => {
      const known = dues.get(studentId)
      const isActive = known?.context.student.status === 'active'
      return { studentId, erp: 'fresh' as const, dues: known === undefined ? null : { ...known, isActive } }
    })
    const decision = decideFamily(children, wanted.scope)
    if (decision.kind === 'withhold') continue
    const to = contactOf(dues, decision.children)
    const reached = wanted.channels.filter(channel => isReachable(channel, to))
    const url = `${ctx.publicUrl}/pay/${institute.code}/…`
    const { language } = wanted
    const reminded = decision.children.map(child => remindedOf(dues, { ...child, url }))
    const letter = { instituteId: institute.id, about: '', to, language, school, wording: wanted }
    const { subject, body, short } = writeReminder({ ...letter, children: reminded })
    const sample = {
      to: reached.map(channel => (channel === 'email' ? to.email : to.phone)).join(', '),
      subject,
      body: writeLetter(body, { name: to.name, language }, school),
      short: short.body,
    }
    return { ...counts, sample }
  }
  return { ...counts, sample: null }
}

export async function cancelRun(
  ctx: Context,
  command: Command<store.CountedRun>,
  institute: Institute,
  id: string,
): Promise<store.CountedRun> {
  const before = await getRun(ctx, institute, id)
  if (before.waiting === 0) throw conflict('Every family of this run was reminded or withheld already.')
  return transact(ctx.db, command, async tx => {
    await store.cancelRun(tx, { instituteId: institute.id, id }, ctx.clock.now())
    return { ...before, waiting: 0, withheld: before.withheld + before.waiting }
  })
}

export async function getRun({ db }: Context, institute: Institute, id: string): Promise<store.CountedRun> {
  const run = await store.findCountedRun(db, institute.id, id)
  if (run === null) throw notFound('This run of reminders')
  return run
}

export type SchoolText = Wording & { language: Language; isOurs: boolean }

/** One for each language, that of its families first; the school's own where it has one. */
export async function listTexts({ db }: Context, institute: Institute): Promise<SchoolText[]> {
  const own = await store.findTexts(db, institute.id)
  const first = institute.familyLanguage ?? 'en'
  return [first, ...LANGUAGES.filter(language => language !== first)].map(language => {
    const found = own.find(text => text.language === language)
    return { ...(found ?? { language, ...ourWording(language) }), isOurs: found === undefined }
  })
}

export async function saveText(
  { db, clock }: Context,
  command: Command<SchoolText>,
  institute: Institute,
  text: Wording & { language: Language },
): Promise<SchoolText> {
  requireWording(text)
  return transact(db, command, async tx => {
    await store.writeText(tx, institute.id, { ...text, at: clock.now() })
    return { ...text, isOurs: false }
  })
}
