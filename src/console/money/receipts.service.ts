import { type Actor, recordAudit } from '../audit/audit.service.ts'
import { type Bulk, sift } from '../lists/bulk.rules.ts'
import { forFile } from '../lists/lists.service.ts'
import { readReceipts } from './books.store.ts'
import { receiptList, type ReceiptRow } from './receipt.list.ts'
import { parseReceiptId, receiptId } from './receipts.rules.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { countMessagesAboutEach } from '../../messages/messages.service.ts'
import { getOrder } from '../../orders/orders.service.ts'
import type { PaymentContext } from '../../payments/context.ts'
import { lockReceipts, mailReceiptsAgain } from '../../payments/notices/notices.service.ts'
import { findReceiptFile, readPaidByOrders } from '../../payments/order-receipt.service.ts'
import { DAY_MS } from '../../platform/calendar.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import { type Command, transact } from '../../platform/idempotency.ts'
import { readLetterhead } from '../../receipts/letterhead.service.ts'
import { printOf, type PrintOptions } from '../../receipts/receipt-file.ts'
import { printReceipts } from '../../receipts/receipt-printer.ts'
import { type ReceiptKey, receiptNumber } from '../../receipts/receipts.rules.ts'
import { cancelReceipt as cancel } from '../../receipts/receipts.service.ts'
import {
  findDirectReceiptFile,
  readPaidDirectly,
} from '../../students/direct-payments/direct-receipt.service.ts'

export async function readReceiptPdf(
  ctx: PaymentContext,
  institute: Institute,
  id: string,
  options: PrintOptions,
): Promise<Buffer> {
  const [row] = await readReceipts(ctx.db, institute.id, [keyOf(id)])
  if (row === undefined) throw notFound('This receipt')
  const file =
    row.orderId === null
      ? await findDirectReceiptFile(ctx, institute, row.paymentId, options)
      : await findReceiptFile(ctx, institute, await getOrder(ctx, institute, undefined, row.orderId), options)
  if (file === null) throw notFound('This receipt')
  return file.read()
}

export type Cancelled = Awaited<ReturnType<typeof cancel>>

/** Its number is never used again, and the PDF says that it is cancelled. The payment stays as it is. */
export async function cancelReceipt(
  ctx: PaymentContext,
  command: Command<Cancelled>,
  { id, reason }: { id: string; reason: string },
): Promise<Cancelled> {
  return cancel(ctx, command, { ...keyOf(id), reason })
}

function keyOf(id: string): ReceiptKey {
  const key = parseReceiptId(id)
  if (key === null) throw notFound('This receipt')
  return key
}

/** What one file holds: it is made in one piece, in a few seconds. */
const MOST_PRINTED = 200

type ReceiptFilters = Parameters<typeof receiptList.all>[2]
type ReceiptSelection = ReceiptFilters & { picked?: string | undefined; paper?: 'a4' | 'a5' | undefined }

/** Prints the picked receipts, or all that fit, from the lowest number on; each begins on a page of its own. */
export async function printPicked(
  ctx: PaymentContext,
  institute: Institute,
  { picked, paper, ...filters }: ReceiptSelection,
  actor: Actor,
): Promise<Buffer> {
  const query = forFile(await receiptList.all(ctx, institute, filters), receiptList.sorting, { picked })
  const rows =
    query === null
      ? []
      : await ctx.db.query<ReceiptRow>(`${query.text} limit ${MOST_PRINTED + 1}`, query.values)
  if (rows.length === 0) throw conflict('No receipt fits: there is nothing to print.')
  if (rows.length > MOST_PRINTED)
    throw conflict(
      `A file holds at most ${MOST_PRINTED} receipts, and more fit. Narrow the filters, such as the days.`,
    )
  const after = { report: 'receipts', format: 'pdf', rows: rows.length }
  const note = { what: 'report.exported', about: 'receipts', after }
  await ctx.db.transaction(tx => recordAudit(tx, ctx, { instituteId: institute.id, actor }, note))
  const prints = await readPrints(ctx, institute, rows.toReversed(), paper)
  return printReceipts(prints, { instituteId: institute.id })
}

async function readPrints(
  ctx: PaymentContext,
  institute: Institute,
  rows: readonly ReceiptRow[],
  paper: ReceiptSelection['paper'],
): Promise<ReturnType<typeof printOf>[]> {
  const letterhead = await readLetterhead(ctx, institute.id)
  const of = (source: ReceiptRow['source']): string[] =>
    rows.filter(row => row.source === source).map(row => row.paymentId)
  const paid = new Map([
    ...(await readPaidByOrders(ctx, institute, of('online'), letterhead)),
    ...(await readPaidDirectly(ctx, institute, of('direct'), letterhead)),
  ])
  return rows.map(row => {
    const paidFor = paid.get(row.paymentId)
    if (paidFor === undefined) throw new Error('a receipt has no payment')
    return printOf(row, paidFor, { paper })
  })
}

/** Mails each once more. Who was written to within a day is left out, so that repeating it tells nobody twice. */
export async function mailPicked(
  ctx: PaymentContext,
  command: Command<Bulk>,
  { institute, receiptIds }: { institute: Institute; receiptIds: readonly string[] },
): Promise<Bulk> {
  const keys = receiptIds.flatMap(id => parseReceiptId(id) ?? [])
  return transact(ctx.db, command, async tx => {
    const rows = await readReceipts(tx, institute.id, keys)
    const locked = await lockReceipts(
      tx,
      rows.map(row => ({ instituteId: institute.id, id: row.paymentId })),
    )
    const wanted = new Set(receiptIds)
    const found = locked
      .map(one => ({
        ...one,
        id: receiptId(one),
        name: receiptNumber(one),
        about: one.orderId ?? one.paymentId,
      }))
      .filter(({ id }) => wanted.has(id))
    const since = new Date(ctx.clock.now().getTime() - DAY_MS)
    const about = found.map(one => one.about)
    const told = await countMessagesAboutEach(tx, institute.id, { about, since })
    const { good, leftOut } = sift(receiptIds, found, one => {
      if (one.isCancelled) return 'The receipt is cancelled.'
      if (one.email === '') return 'The family has no e-mail address.'
      if (!one.isTold) return 'The first mail about it leaves in a moment.'
      return told.has(one.about) ? 'The family was written to about this payment within the last day.' : null
    })
    await mailReceiptsAgain(tx, ctx, good)
    return { done: good.map(({ id }) => id), leftOut }
  })
}
