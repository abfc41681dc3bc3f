import { prepareAtCounter, requireCounterDay } from '../counter.service.ts'
import { divideAmongWays, type PaidChild, takingProblems } from './takings.rules.ts'
import { findTaking, insertTaking, type Taking } from './takings.store.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { readStaffNames } from '../../institutes/institutes.service.ts'
import { readOnTheWay } from '../../payments/student-payments.service.ts'
import type { FamilyReceipt } from '../../institutes/school/school.rules.ts'
import { getSchool } from '../../institutes/school/school.service.ts'
import { formatDay, formatMoment } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import { badFields, conflict, notFound } from '../../platform/errors.ts'
import { type Command, transact } from '../../platform/idempotency.ts'
import { languageOfFamily } from '../../messages/messages.service.ts'
import { feeOnPaper, receiptWords } from '../../messages/texts/texts.ts'
import type { Language } from '../../platform/languages.ts'
import { newId } from '../../platform/ids.ts'
import { formatRupees, type Paise, rupeesInWords, sumPaise } from '../../platform/money.ts'
import { classOf, readableMode } from '../../platform/names.ts'
import type { DocumentBlock } from '../../receipts/document-pdf.ts'
import { readLetterhead } from '../../receipts/letterhead.service.ts'
import { printOf } from '../../receipts/receipt-file.ts'
import { printDocument, printReceipts } from '../../receipts/receipt-printer.ts'
import { type ReceiptKey, receiptNumber } from '../../receipts/receipts.rules.ts'
import { findReceipt, issueDirectReceipt, type Receipt } from '../../receipts/receipts.service.ts'
import type { Instrument, RecordedPayment } from '../../students/direct-payments/direct-payments.rules.ts'
import {
  holdPayingStudents,
  listPaymentsById,
  recordPaymentWithin,
} from '../../students/direct-payments/direct-payments.service.ts'
import { readPaidDirectly } from '../../students/direct-payments/direct-receipt.service.ts'
import { readStudentContexts, type StudentContext } from '../../students/student-contexts.service.ts'

export { followMove as followMovedTaking } from './takings.store.ts'

type TakingWay = {
  mode: string
  amountPaise: Paise
  instrument: Instrument | null
  /** The number on the slip or of the transfer. */
  reference: string | null
}

type FamilyTaking = {
  /** `shownPaise`: fees owed, as the page showed them. */
  children: readonly (PaidChild & { shownPaise: Paise | null })[]
  ways: readonly TakingWay[]
  paidAt: Date | null
  waiveReason: string | null
  takenBy: string
}

export type TakenFromFamily = Taking & {
  /** What the school gives a family. */
  familyReceipt: FamilyReceipt
  payments: (RecordedPayment & { studentId: string; wayNo: number; receipt: ReceiptKey })[]
}

/**
 * What a family hands over at once, all of it or nothing: a payment for each child and way, each with a receipt, on one
 * paper.
 */
export async function takeFromFamily(
  ctx: Context,
  command: Command<TakenFromFamily>,
  institute: Institute,
  taking: FamilyTaking,
): Promise<TakenFromFamily> {
  const { children, ways, takenBy } = taking
  const problems = takingProblems(children, ways)
  if (problems.length > 0) throw badFields(problems)
  const now = ctx.clock.now()
  const paidAt = taking.paidAt ?? now
  requireCounterDay(ctx, paidAt)
  const parts = divideAmongWays(children, ways)
  const { familyReceipt } = await getSchool(ctx, institute.id)
  return transact(ctx.db, command, async tx => {
    await holdPayingStudents(
      tx,
      institute.id,
      children.map(child => child.studentId),
    )
    const recorded: { payment: RecordedPayment; studentId: string; wayNo: number }[] = []
    for (const { childNo, wayNo, lines, amountPaise } of parts) {
      const [child, way] = [children[childNo], ways[wayNo]]
      if (child === undefined || way === undefined) continue
      const { studentId } = child
      const isFirst = recorded.every(one => one.studentId !== studentId)
      const { mode, instrument, reference: transactionId } = way
      const sent = { transactionId, amountPaise, paidAt, mode, settlementUtr: null, notes: null, lines }
      const { payment, isNew } = await recordPaymentWithin(
        tx,
        { institute, studentId },
        {
          payment: sent,
          readOnTheWay,
          recordedBy: takenBy,
          hasReceipt: false,
          instrument,
          // All that is paid for the child counts at once: a part alone would seem to leave its late fee unpaid.
          prepare: isFirst
            ? () =>
                prepareAtCounter(
                  ctx,
                  tx,
                  { instituteId: institute.id, studentId },
                  { ...taking, ...child, paidAt },
                )
            : undefined,
        },
        now,
      )
      if (!isNew)
        throw conflict(`The reference ${transactionId} is recorded already. Check it, and type another.`)
      recorded.push({ payment, studentId, wayNo: wayNo + 1 })
    }
    const payments: TakenFromFamily['payments'] = []
    for (const { payment, ...of } of recorded) {
      const receipt = await issueDirectReceipt(tx, { instituteId: institute.id, id: payment.id }, now)
      payments.push({ ...payment, ...of, receipt })
    }
    const amountPaise = sumPaise(ways.map(way => way.amountPaise))
    const taken = { id: newId('take'), takenBy, takenAt: now, amountPaise }
    await insertTaking(
      tx,
      institute.id,
      taken,
      payments.map(({ id: paymentId, wayNo }) => ({ paymentId, wayNo })),
    )
    return { ...taken, familyReceipt, payments }
  })
}

type Stored = Awaited<ReturnType<typeof listPaymentsById>>[number]
type PaperRow = { payment: Stored; receipt: Receipt | null; context: StudentContext }

/**
 * What a family gets for all that it handed over at once, as it stands today: one paper, or each receipt on a page of its
 * own, as the school has it or as it is asked for.
 */
export async function printTaking(
  ctx: Pick<Context, 'db' | 'mode'>,
  institute: Institute,
  { id, how }: { id: string; how: FamilyReceipt | null },
): Promise<Buffer> {
  const taking = await findTaking(ctx.db, institute.id, id)
  if (taking === null) throw notFound('This taking')
  const ids = taking.payments.map(one => one.paymentId)
  const wanted = how ?? (await getSchool(ctx, institute.id)).familyReceipt
  return wanted === 'each' ? printEach(ctx, institute, ids) : printTogether(ctx, institute, taking)
}

async function printEach(
  ctx: Pick<Context, 'db' | 'mode'>,
  institute: Institute,
  ids: readonly string[],
): Promise<Buffer> {
  const letterhead = await readLetterhead(ctx, institute.id)
  const paid = await readPaidDirectly(ctx, institute, ids, letterhead)
  const prints: ReturnType<typeof printOf>[] = []
  for (const id of ids) {
    const [receipt, paidFor] = [await findReceipt(ctx.db, institute.id, id), paid.get(id)]
    if (receipt !== null && paidFor !== undefined) prints.push(printOf(receipt, paidFor))
  }
  return printReceipts(prints, { instituteId: institute.id })
}

async function printTogether(
  ctx: Pick<Context, 'db' | 'mode'>,
  institute: Institute,
  taking: NonNullable<Awaited<ReturnType<typeof findTaking>>>,
): Promise<Buffer> {
  const ids = taking.payments.map(one => one.paymentId)
  const stored = new Map((await listPaymentsById(ctx.db, institute.id, ids)).map(one => [one.id, one]))
  const keys = [...stored.values()].map(({ studentId }) => ({ instituteId: institute.id, studentId }))
  const contexts = await readStudentContexts(ctx.db, keys)
  const rows: PaperRow[] = []
  for (const paymentId of ids) {
    const payment = stored.get(paymentId)
    const context = contexts.get(payment?.studentId ?? '')
    if (payment === undefined || context === undefined) continue
    rows.push({ payment, context, receipt: await findReceipt(ctx.db, institute.id, paymentId) })
  }
  const ways = Map.groupBy(
    rows,
    ({ payment }) => taking.payments.find(one => one.paymentId === payment.id)?.wayNo ?? 0,
  )
  const nameOf = await readStaffNames(ctx, [taking.takenBy])
  const payer = rows[0]?.context.student
  const family = { instituteId: institute.id, phone: payer?.contactNumber ?? '' }
  const language = await languageOfFamily(ctx.db, family)
  const words = receiptWords(language)
  const print = {
    institute: institute.name,
    letterhead: await readLetterhead(ctx, institute.id),
    branch: null,
    title: words.familyTitle,
    madeAt: taking.takenAt,
    isSandbox: ctx.mode === 'sandbox',
    blocks: [
      ...cancelledRows(rows),
      {
        kind: 'pairs' as const,
        left: { [words.paidBy]: payer?.contactName ?? null, [words.phone]: payer?.contactNumber ?? null },
        right: {
          [words.date]: formatMoment(taking.takenAt),
          [words.receivedBy]: nameOf(taking.takenBy),
        },
      },
      paidTable(rows, formatRupees(taking.amountPaise), language),
      { kind: 'text' as const, text: rupeesInWords(taking.amountPaise) },
      wayTable([...ways.values()], words),
      ...(rows.some(({ payment }) => payment.instrument !== null)
        ? [{ kind: 'text' as const, text: words.realisation }]
        : []),
      { kind: 'signature' as const, label: words.signature },
    ],
  }
  return printDocument(print, { instituteId: institute.id })
}

/** Names payments of the paper that were cancelled or refunded, so that nobody shows it as good for all of it. */
function cancelledRows(rows: readonly PaperRow[]): DocumentBlock[] {
  return rows.flatMap(({ payment, receipt }) => {
    const number = receipt === null ? payment.transactionId : receiptNumber(receipt)
    if (payment.cancelledAt !== null)
      return [
        {
          kind: 'text' as const,
          text: `CANCELLED: receipt ${number} on ${formatMoment(payment.cancelledAt)}. ${receipt?.cancelReason ?? ''}`,
          isStrong: true,
        },
      ]
    if (payment.refundedPaise === 0) return []
    const text = `REFUNDED: ${formatRupees(payment.refundedPaise)} of receipt ${number}.`
    return [{ kind: 'text' as const, text, isStrong: true }]
  })
}

function paidTable(rows: readonly PaperRow[], total: string, language: Language): DocumentBlock {
  const words = receiptWords(language)
  return {
    kind: 'table',
    columns: [
      { title: words.student, width: 6 },
      { title: words.number, width: 4 },
      { title: words.forWhat, width: 5 },
      { title: words.amount, width: 3, isAmount: true },
    ],
    rows: rows.flatMap(({ payment, receipt, context: { student, gradeName } }) =>
      payment.lines.map((line, index) => [
        index > 0 ? '' : describeChild(student, gradeName),
        index > 0 || receipt === null ? '' : receiptNumber(receipt),
        feeOnPaper(line.componentType, language),
        formatRupees(line.amountPaise),
      ]),
    ),
    total: [words.total, '', '', total],
  }
}

function describeChild(
  { fullname, identifier, section }: StudentContext['student'],
  gradeName: string,
): string {
  return `${fullname}, ${identifier}, ${classOf(gradeName, section)}`
}

function wayTable(
  ways: readonly (readonly PaperRow[])[],
  words: ReturnType<typeof receiptWords>,
): DocumentBlock {
  return {
    kind: 'table',
    columns: [
      { title: words.through, width: 4 },
      { title: words.how, width: 8 },
      { title: words.amount, width: 3, isAmount: true },
    ],
    rows: ways.map(own => {
      const [first] = own
      const amount = sumPaise(own.map(({ payment }) => payment.amountPaise))
      return [
        readableMode(first?.payment.mode ?? ''),
        first === undefined ? '' : detailsOf(first.payment),
        formatRupees(amount),
      ]
    }),
  }
}

function detailsOf({ instrument, transactionId, id }: Stored): string {
  if (instrument === null) return transactionId === id ? '' : transactionId
  const day = instrument.date === null ? null : formatDay(instrument.date)
  return [instrument.number, instrument.bank, day].filter(part => part !== null).join(', ')
}
