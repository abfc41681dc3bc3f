import { unavailable } from '../../platform/errors.ts'
import type { Paise } from '../../platform/money.ts'
import type { Call } from '../http.ts'
import { ProviderRefused } from '../port.ts'
import { type RazorpayRefund, readItems, readRefund } from './shapes.ts'

const REFUNDS_PAGE = 100
const MAX_PAGES = 1_000

type Refund = { refundId: string; amountPaise: Paise; notes: Readonly<Record<string, string>> }

/** Gives a payment of Razorpay's back, in whole or in part; once, however often it is asked for. */
export async function refundOnce(call: Call, paymentId: string, asked: Refund): Promise<RazorpayRefund> {
  const path = `/v1/payments/${encodeURIComponent(paymentId)}`
  const refund = (await findRefund(call, path, asked.refundId)) ?? (await makeRefund(call, path, asked))
  if (refund.amountPaise === asked.amountPaise) return refund
  throw new ProviderRefused(`Razorpay has ${refund.id} under this refund's id with another amount.`)
}

async function findRefund(call: Call, path: string, refundId: string): Promise<RazorpayRefund | null> {
  for (let page = 0; page < MAX_PAGES; page++) {
    const at = `${path}/refunds?count=${REFUNDS_PAGE}&skip=${page * REFUNDS_PAGE}`
    const refunds = await call('GET', at, answer => readItems(answer, readRefund))
    const found = refunds.find(({ receipt, notes }) => receipt === refundId || notes.refundId === refundId)
    if (found !== undefined) return found
    if (refunds.length < REFUNDS_PAGE) return null
  }
  throw unavailable('Razorpay lists too many refunds of one payment.')
}

/** The key guards against two of us at once, which looking first cannot. */
function makeRefund(
  call: Call,
  path: string,
  { refundId, amountPaise, notes }: Refund,
): Promise<RazorpayRefund> {
  return call('POST', `${path}/refund`, readRefund, {
    headers: { 'x-refund-idempotency': refundId },
    body: { amount: amountPaise, speed: 'normal', receipt: refundId, notes },
  })
}
