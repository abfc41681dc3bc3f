import type { Institute } from '../../institutes/institutes.rules.ts'
import { getOrder } from '../../orders/orders.service.ts'
import { cancelReceipt as cancel } from '../../receipts/receipts.service.ts'
import type { PaymentContext } from '../../payments/context.ts'
import type { PrintOptions } from '../../receipts/receipt-file.ts'
import { findDirectReceiptFile } from '../../students/direct-payments/direct-receipt.service.ts'
import { notFound } from '../../platform/errors.ts'
import type { Command } from '../../platform/idempotency.ts'
import type { ReceiptKey } from '../../receipts/receipts.rules.ts'
import { parseReceiptId } from './receipts.rules.ts'
import { readReceipts } from './receipts.store.ts'
import { findReceiptFile } from '../../payments/order-receipt.service.ts'

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
