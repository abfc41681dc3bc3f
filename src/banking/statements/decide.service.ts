import { addDays, startOfDay } from '../../platform/calendar.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { settleLateFees } from '../../dues/counter.service.ts'
import { confirmByStatement } from '../../loans/transfers.service.ts'
import { readOnTheWay } from '../../payments/student-payments.service.ts'
import type { Context } from '../../platform/context.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { badField, conflict, notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { runInSteps } from '../../platform/concurrency.ts'
import { MATCHING } from '../../platform/limits.rules.ts'
import { formatRupees, paiseOf, sumPaise, type Paise } from '../../platform/money.ts'
import {
  cancelPaymentWithin,
  findPaymentById,
  recordPaymentWithin,
} from '../../students/direct-payments/direct-payments.service.ts'
import { markBooked } from '../deposits/deposits.service.ts'
import { namesIn } from './lines.rules.ts'
import * as store from './lines.store.ts'
import { matchSteps, type ExpectedKind } from './match.rules.ts'

export type { MatchedLine } from './lines.store.ts'
export type { LabelledExpected } from './lines.store.ts'

const MOST_CANDIDATES = 50
const MOST_MISSING = 200
const MOST_NAMED = 5

const OPEN = { state: 'open' as const, decidedAt: null, decidedBy: null, reason: null }

type ExpectedKey = { kind: ExpectedKind; id: string }
type Matched = { line: { id: string; day: string }; targets: readonly store.LabelledExpected[] }
type By = { by: string | null; at: Date; isRecordedHere?: boolean }

/** Everything that is open and leaves no doubt; answers how many lines were matched. The caller holds the lines. */
export async function matchOpenLines(tx: Transaction, instituteId: number, at: Date): Promise<number> {
  const lines = await store.listOpenLines(tx, instituteId, MATCHING.openLines)
  const [newest, oldest] = [lines[0]?.day, lines.at(-1)?.day]
  if (newest === undefined || oldest === undefined) return 0
  const span = { from: addDays(oldest, -40), to: addDays(newest, 10) }
  const expected = await store.listExpected(tx, instituteId, span, MATCHING.expected)
  const matched = await runInSteps(matchSteps(lines, expected))
  for (const part of store.partsOf(matched))
    await writeMatches(
      tx,
      instituteId,
      part.map(({ line, one }) => ({ line, targets: [one] })),
      { by: null, at },
    )
  return matched.length
}

export async function writeMatches(
  tx: Transaction,
  instituteId: number,
  matched: readonly Matched[],
  { by, at, isRecordedHere = false }: By,
): Promise<void> {
  const pairs = matched.flatMap(({ line, targets }) => targets.map(one => ({ line, one })))
  const rows = pairs.map(({ line, one: { kind, id, amountPaise, label } }) => {
    return { lineId: line.id, kind, targetId: id, amountPaise, label, isRecordedHere }
  })
  await forgetOld(tx, instituteId, rows)
  await store.insertMatches(tx, instituteId, rows)
  const decided = { state: 'matched' as const, decidedAt: at, decidedBy: by, reason: null }
  await store.updateLines(
    tx,
    instituteId,
    matched.map(({ line }) => ({ ...decided, id: line.id })),
  )
  const booked = (kind: ExpectedKind) =>
    pairs.filter(({ one }) => one.kind === kind).map(({ line, one }) => ({ id: one.id, day: line.day }))
  const marks = { deposits: booked('deposit'), cheques: booked('cheque') }
  await markBooked(tx, instituteId, marks, { by: by ?? 'bank statement', at })
  await confirmByStatement(tx, instituteId, { references: booked('lender').map(({ id }) => id), at })
}

/** Deletes matches from before a payment changed: of these lines, and of what they are matched with now. */
async function forgetOld(
  tx: Transaction,
  instituteId: number,
  rows: readonly store.LineMatch[],
): Promise<void> {
  const lineIds = rows.map(({ lineId }) => lineId)
  await store.deleteMatches(tx, instituteId, lineIds)
  const left = await store.releaseTargets(tx, instituteId, rows)
  await store.updateLines(
    tx,
    instituteId,
    left.map(id => ({ id, ...OPEN })),
  )
}

/** Once more, for what has come to be known since the statement was added. */
export async function matchAgain({ db, clock }: Context, command: Command<number>): Promise<number> {
  return transact(db, command, async tx => {
    await store.lockLines(tx, command.instituteId)
    return matchOpenLines(tx, command.instituteId, clock.now())
  })
}

type LineDecision = { lineId: string; by: string }

/** Matches a line by hand; what was chosen has to add up to the line's amount. */
export async function matchLine(
  { db, clock }: Context,
  command: Command<store.MatchedLine>,
  { lineId, by, targets }: LineDecision & { targets: readonly ExpectedKey[] },
): Promise<store.MatchedLine> {
  const { instituteId } = command
  return transact(db, command, async tx => {
    const line = await holdOpen(tx, instituteId, lineId)
    const found = await store.readExpected(tx, instituteId, targets)
    if (found.length < targets.length)
      throw conflict('Some of it is on another line already, or does not exist any more. Choose again.')
    const slips = found.filter(({ kind }) => kind === 'deposit').map(({ id }) => id)
    if (found.some(one => one.kind === 'cheque' && slips.includes(one.depositId ?? '')))
      throw badField('targets', 'has a slip and a cheque on it, which are the same money')
    if (found.some(({ bankAccountId = null }) => bankAccountId !== null && bankAccountId !== line.accountId))
      throw badField('targets', 'has a settlement of another bank account')
    requireSum(line.amountPaise, found)
    await writeMatches(tx, instituteId, [{ line, targets: found }], { by, at: clock.now() })
    return requireLine(tx, instituteId, lineId)
  })
}

function requireSum(linePaise: Paise, chosen: readonly store.LabelledExpected[]): void {
  const total = sumPaise(chosen.map(one => one.amountPaise))
  if (total === linePaise) return
  const [sum, line] = [formatRupees(absolute(total)), formatRupees(absolute(linePaise))]
  throw badField('targets', `is ${sum} together, and the line is ${line}`)
}

function absolute(amount: Paise): Paise {
  return paiseOf(Math.abs(amount))
}

export type PaymentFromLine = LineDecision & {
  studentId: string
  lines: readonly { componentType: string; amountPaise: Paise }[]
  waiveReason: string | null
}

/** A transfer that nobody knew of: recorded as a payment of the student's, with a receipt. */
export async function recordFromLine(
  { db, clock }: Context,
  command: Command<store.MatchedLine>,
  institute: Institute,
  { lineId, by, studentId, lines, waiveReason }: PaymentFromLine,
): Promise<store.MatchedLine> {
  const instituteId = institute.id
  return transact(db, command, async tx => {
    const line = await holdOpen(tx, instituteId, lineId)
    if (line.amountPaise < 0) throw conflict('This money went out; it pays for nobody.')
    const reference = usableReference(line.reference)
    const paidAt = startOfDay(line.day)
    const payment = {
      transactionId: reference,
      amountPaise: line.amountPaise,
      paidAt,
      mode: 'bank_transfer',
      settlementUtr: reference,
      notes: line.text === '' ? null : line.text,
      lines: [...lines],
    }
    const key = { instituteId, studentId }
    const recorded = await recordPaymentWithin(
      tx,
      { institute, studentId },
      {
        payment,
        readOnTheWay,
        recordedBy: by,
        hasReceipt: true,
        prepare: inner =>
          settleLateFees(inner, key, { lines, paidAt, typedAt: null, recordedBy: by, waiveReason }),
      },
      clock.now(),
    )
    if (!recorded.isNew)
      throw conflict('A payment with this reference is recorded already. Match the line with it.')
    const target = { kind: 'transfer' as const, id: recorded.payment.id }
    const found = await store.readExpected(tx, instituteId, [target])
    const how = { by, at: clock.now(), isRecordedHere: true }
    await writeMatches(tx, instituteId, [{ line, targets: found }], how)
    return requireLine(tx, instituteId, lineId)
  })
}

/** Banks fill the column with zeros where there is none. */
function usableReference(reference: string | null): string | null {
  return reference !== null && reference.length >= 6 && /[1-9A-Z]/i.test(reference) ? reference : null
}

/** It is nothing of ours: interest, a charge of the bank's, a grant. */
export async function markAsOther(
  { db, clock }: Context,
  command: Command<store.MatchedLine>,
  { lineId, by, reason }: LineDecision & { reason: string },
): Promise<store.MatchedLine> {
  const { instituteId } = command
  return transact(db, command, async tx => {
    await holdOpen(tx, instituteId, lineId)
    await store.deleteMatches(tx, instituteId, [lineId])
    const decided = { id: lineId, state: 'other' as const, decidedAt: clock.now(), decidedBy: by, reason }
    await store.updateLines(tx, instituteId, [decided])
    return requireLine(tx, instituteId, lineId)
  })
}

/** Whatever was decided about it; a payment that was recorded from it is cancelled. */
export async function undoDecision(
  { db, clock }: Context,
  command: Command<store.MatchedLine>,
  institute: Institute,
  { lineId, by, reason }: LineDecision & { reason: string },
): Promise<store.MatchedLine> {
  const instituteId = institute.id
  const at = clock.now()
  return transact(db, command, async tx => {
    await store.lockLines(tx, instituteId)
    const line = await requireLine(tx, instituteId, lineId)
    if (line.state === 'open') throw conflict('Nothing is decided about this line.')
    await store.deleteMatches(tx, instituteId, [lineId])
    await store.updateLines(tx, instituteId, [{ id: lineId, ...OPEN }])
    const unbooked = (kind: ExpectedKind) =>
      line.matches.filter(match => match.kind === kind).map(match => ({ id: match.targetId, day: null }))
    const marks = { deposits: unbooked('deposit'), cheques: unbooked('cheque') }
    await markBooked(tx, instituteId, marks, { by, at })
    for (const { targetId } of line.matches.filter(match => match.isRecordedHere)) {
      const payment = await findPaymentById(tx, instituteId, targetId)
      if (payment !== null) await cancelPaymentWithin(tx, { institute, ...payment }, { reason, at })
    }
    return requireLine(tx, instituteId, lineId)
  })
}

export async function holdOpen(tx: Transaction, instituteId: number, id: string): Promise<store.MatchedLine> {
  await store.lockLines(tx, instituteId)
  const line = await requireLine(tx, instituteId, id)
  if (line.state !== 'open') throw conflict('This line is decided already. Undo that first.')
  return line
}

export async function requireLine(
  db: Queryable,
  instituteId: number,
  id: string,
): Promise<store.MatchedLine> {
  const line = await store.findLine(db, instituteId, id)
  if (line === null) throw notFound('This line')
  return line
}

/** Lists what a line may be matched with, the likeliest first. */
export async function listCandidates(
  { db }: Pick<Context, 'db'>,
  institute: Institute,
  lineId: string,
): Promise<store.LabelledExpected[]> {
  const line = await requireLine(db, institute.id, lineId)
  return store.listCandidates(db, institute.id, line, MOST_CANDIDATES)
}

/** Students whose admission number stands in the text of what came in. */
export async function listNamedStudents(
  { db }: Pick<Context, 'db'>,
  institute: Institute,
  lineId: string,
): Promise<store.NamedStudent[]> {
  const line = await requireLine(db, institute.id, lineId)
  return store.findNamedStudents(db, institute.id, namesIn(line), MOST_NAMED)
}

/** Lists money that should be on the statements of these days and is not. */
export async function listMissing(
  { db }: Pick<Context, 'db'>,
  institute: Institute,
  span: { from: string; to: string },
): Promise<store.LabelledExpected[]> {
  const open = await db.transaction(tx => store.listExpected(tx, institute.id, span, MOST_MISSING))
  const slips = open.filter(({ kind }) => kind === 'deposit').map(({ id }) => id)
  // A cheque in the office is not the bank's yet, and one on a slip that is missing is the same money.
  const isElsewhere = (slip: string | null): boolean => slip === null || slips.includes(slip)
  return open.filter(one => one.kind !== 'cheque' || !isElsewhere(one.depositId))
}
