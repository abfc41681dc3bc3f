import { joinCatalogue } from '../institutes/catalogue.service.ts'
import type { Institute } from '../institutes/institutes.rules.ts'
import { dayOf } from '../platform/calendar.ts'
import { badField, badFields, conflict } from '../platform/errors.ts'
import type { Context } from '../platform/context.ts'
import type { Transaction } from '../platform/db/database.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { newId } from '../platform/ids.ts'
import { formatRupees, type Paise } from '../platform/money.ts'
import { holdStudent } from '../students/profile/lock-student.service.ts'
import type { StudentKey } from '../students/students.rules.ts'
import { LATE_FEE, ruleProblems, type LateFee, type LateFeeRule } from './dues.rules.ts'
import { readDuesOn } from './dues.service.ts'
import * as store from './dues.store.ts'

export type { LateFeeEntry, PaymentRules } from './dues.store.ts'

/** How an institute lets parents pay: parts, the order in which fees are filled, due days and late fees. */
export async function getPaymentRules(ctx: Context, institute: Institute): Promise<store.PaymentRules> {
  const rules = (await store.readRules(ctx.db, [institute.id])).get(institute.id)
  if (rules === undefined) throw new Error('an institute without rules has the standard ones')
  return rules
}

export type NewRules = Omit<store.PaymentRules, 'lateFees'> & { lateFees: readonly Omit<LateFeeRule, 'id'>[] }

/** Replaces them whole. The rule of a component keeps its id, so that what was paid or let off of it still counts. */
export async function setPaymentRules(
  ctx: Context,
  command: Command<store.PaymentRules>,
  institute: Institute,
  sent: NewRules,
): Promise<store.PaymentRules> {
  const problems = ruleProblems(sent.lateFees, 'late_fees')
  if (problems.length > 0) throw badFields(problems)
  return transact(ctx.db, command, async tx => {
    if (sent.lateFees.length > 0) await joinCatalogue(tx, institute, [{ kind: 'component', code: LATE_FEE }])
    const known = (await store.readRules(tx, [institute.id])).get(institute.id)?.lateFees ?? []
    const lateFees = sent.lateFees.map(rule => {
      const before = known.find(one => one.componentType === rule.componentType && one.dueOn === rule.dueOn)
      return { ...rule, id: before?.id ?? newId('late') }
    })
    const rules = { ...sent, lateFees }
    await store.writeRules(tx, institute.id, rules)
    return rules
  })
}

type Waiver = {
  ruleId?: string | undefined
  amountPaise?: Paise | undefined
  reason: string
  actor: string
}

/** Lets a student off late fees: all that is due of them, or a part of one. */
export async function waiveLateFees(
  ctx: Context,
  command: Command<store.LateFeeEntry[]>,
  { institute, studentId }: { institute: Institute; studentId: string },
  { ruleId, amountPaise, reason, actor }: Waiver,
): Promise<store.LateFeeEntry[]> {
  const key = { instituteId: institute.id, studentId }
  return transact(ctx.db, command, async tx => {
    await holdStudent(tx, key)
    const at = ctx.clock.now()
    const due = (await readDuesOn(tx, [key], dayOf(at))).get(studentId)?.lateFees ?? []
    const meant = due.filter(fee => fee.amountPaise > 0 && (ruleId === undefined || fee.ruleId === ruleId))
    const [first, second] = meant
    if (first === undefined) throw conflict('No late fee is due, so there is none to let off.')
    if (amountPaise !== undefined && second !== undefined) {
      throw badField('late_fee_id', 'must say which late fee is meant when only a part is let off')
    }
    if (amountPaise !== undefined && amountPaise > first.amountPaise) {
      throw badField('amount', `is more than the ${formatRupees(first.amountPaise)} that is due`)
    }
    const waived = meant.map(fee => ({ ...fee, amountPaise: amountPaise ?? fee.amountPaise }))
    return writeWaived(tx, key, waived, { reason, actor, at })
  })
}

/** Lets off all late fees that are due, if there are any. The caller holds the student. */
export async function waiveAllLateFees(
  tx: Transaction,
  key: StudentKey,
  by: { reason: string; actor: string; at: Date },
): Promise<store.LateFeeEntry[]> {
  const due = (await readDuesOn(tx, [key], dayOf(by.at))).get(key.studentId)?.lateFees ?? []
  const meant = due.filter(fee => fee.amountPaise > 0)
  return writeWaived(tx, key, meant, by)
}

async function writeWaived(
  tx: Transaction,
  key: StudentKey,
  waived: readonly Pick<LateFee, 'ruleId' | 'amountPaise'>[],
  by: { reason: string; actor: string; at: Date },
): Promise<store.LateFeeEntry[]> {
  const entries = waived.map(({ ruleId, amountPaise }) => ({
    id: newId('late'),
    ruleId,
    kind: 'waived' as const,
    amountPaise,
    orderId: null,
    ...by,
  }))
  if (entries.length > 0) await store.insertEntries(tx, key, entries)
  return entries
}

export async function listLateFeeEntries(
  ctx: Context,
  { institute, studentId }: { institute: Institute; studentId: string },
): Promise<store.LateFeeEntry[]> {
  return store.listEntries(ctx.db, institute.id, studentId)
}
