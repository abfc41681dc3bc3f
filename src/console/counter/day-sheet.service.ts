import type { Institute } from '../../institutes/institutes.rules.ts'
import { readStaffNames } from '../../institutes/institutes.service.ts'
import { formatDay, formatMoment } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import { formatRupees, paiseOf } from '../../platform/money.ts'
import { readableMode } from '../../platform/names.ts'
import type { DocumentBlock } from '../../receipts/document-pdf.ts'
import { readLetterhead } from '../../receipts/letterhead.service.ts'
import { printDocument } from '../../receipts/receipt-printer.ts'
import { receiptOf } from '../money/receipts.rules.ts'
import { readDay, type BookRow, type Closing, type CounterDay } from './counter.service.ts'

/** The sheet that is signed when a day is closed: a page for each cashier; of one alone where `cashier` is named. */
export async function printDay(
  ctx: Context,
  institute: Institute,
  asked: string | undefined,
  cashier: string | null,
): Promise<{ name: string; content: Buffer }> {
  const book = await readDay(ctx, institute, asked, cashier)
  const people = [
    ...new Set([...book.rows, ...book.drawer, ...book.closings].map(one => one.cashier)),
  ].toSorted()
  const nameOf = await readStaffNames(ctx, people)
  const none: DocumentBlock = { kind: 'text', text: 'Nothing was taken on this day.' }
  const content = await printDocument(
    {
      institute: institute.name,
      letterhead: await readLetterhead(ctx, institute.id),
      branch: null,
      title: `Day close of ${formatDay(book.day)}`,
      madeAt: ctx.clock.now(),
      isSandbox: ctx.mode === 'sandbox',
      blocks:
        people.length === 0
          ? [none]
          : people.flatMap((person, index) => [
              ...(index === 0 ? [] : [{ kind: 'next' as const }]),
              ...pageOf(book, person, nameOf(person)),
            ]),
    },
    { instituteId: institute.id },
  )
  return { name: `day-close-${book.day}.pdf`, content }
}

function pageOf(book: CounterDay, cashier: string, name: string): DocumentBlock[] {
  const rows = book.rows.filter(one => one.cashier === cashier)
  const drawer = book.drawer.filter(one => one.cashier === cashier)
  const closings = book.closings.filter(one => one.cashier === cashier)
  return [
    { kind: 'text', text: `Cashier: ${name}`, isStrong: true },
    sumsByWay(rows),
    ...drawer.map(({ kind, amountPaise, note, recordedAt }): DocumentBlock => {
      const what = kind === 'float' ? 'Change put in' : 'Handed over'
      return {
        kind: 'text',
        text: `${what}: ${formatRupees(amountPaise)}, ${note}, ${formatMoment(recordedAt)}`,
      }
    }),
    ...closings.flatMap(closingBlocks),
    ...(closings.length === 0 ? [{ kind: 'text' as const, text: 'Not closed yet.', isStrong: true }] : []),
    receiptTable(rows),
    { kind: 'signature', label: `Cashier: ${name}` },
    { kind: 'signature', label: 'Checked by' },
  ]
}

function sumsByWay(rows: readonly BookRow[]): DocumentBlock {
  const standing = rows.filter(one => !one.isCancelled)
  const groups = Map.groupBy(standing, one =>
    one.kind === 'refund' ? `Paid out: ${readableMode(one.mode)}` : readableMode(one.mode),
  )
  return {
    kind: 'table',
    columns: [
      { title: 'Way', width: 5 },
      { title: 'Count', width: 2, isAmount: true },
      { title: 'Amount', width: 3, isAmount: true },
    ],
    rows: [...groups].map(([way, own]) => [way, String(own.length), sumOf(own)]),
    total: ['In all', String(standing.length), sumOf(standing)],
  }
}

function sumOf(rows: readonly BookRow[]): string {
  return formatRupees(paiseOf(rows.reduce((sum, one) => sum + one.amountPaise, 0)))
}

function closingBlocks({
  expectedPaise,
  countedPaise,
  denominations,
  note,
  closedAt,
}: Closing): DocumentBlock[] {
  const left = paiseOf(countedPaise - expectedPaise)
  return [
    {
      kind: 'pairs',
      left: { 'In the drawer by the book': formatRupees(expectedPaise), Counted: formatRupees(countedPaise) },
      right: { Difference: formatRupees(left), 'Closed at': formatMoment(closedAt) },
    },
    { kind: 'text', text: denominations.map(({ value, count }) => `₹${value} × ${count}`).join(', ') },
    ...(note === null ? [] : [{ kind: 'text' as const, text: `Note: ${note}` }]),
  ]
}

function receiptTable(rows: readonly BookRow[]): DocumentBlock {
  return {
    kind: 'table',
    columns: [
      { title: 'Receipt or voucher', width: 4 },
      { title: 'Student', width: 6 },
      { title: 'How', width: 3 },
      { title: 'Amount', width: 3, isAmount: true },
    ],
    rows: rows.map(one => [
      `${receiptOf(one) ?? ''}${one.isCancelled ? ', cancelled' : ''}`,
      `${one.studentName}, ${one.identifier}`,
      readableMode(one.mode),
      formatRupees(one.amountPaise),
    ]),
  }
}
