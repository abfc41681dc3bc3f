import type { Paise } from '../../platform/money.ts'
import { isObject, readObject, readOptionalList, readOptionalText, readText } from '../http.ts'
import type { CreditReport } from '../port.ts'
import * as shapes from './shapes.ts'

/** Account numbers, and the money that comes to them, as Razorpay tells of them; without I/O. */
export type VirtualAccount = {
  id: string
  status: string
  instituteId: number | null
  ourId: string | null
  receivers: Readonly<Record<string, unknown>>[]
}

export function readAccount(value: unknown, at = 'virtual_account'): VirtualAccount {
  const account = readObject(value, at)
  const { instituteId, virtualAccountId } = shapes.readNotes(account['notes'])
  return {
    id: readText(account, 'id', at),
    status: readText(account, 'status', at),
    instituteId,
    ourId: virtualAccountId,
    receivers: readOptionalList(account, 'receivers', at).map(one => readObject(one, `${at}.receivers`)),
  }
}

/** The name of the entity that stands beside a payment, by the payment's method. */
export const TRANSFERS: Record<string, string | undefined> = {
  bank_transfer: 'bank_transfer',
  upi: 'upi_transfer',
}

/** The event about money that came; null when the account number is none of ours. */
export function readCredited(event: shapes.Event): CreditReport | null {
  const account = readAccount(event.entity('virtual_account'), 'payload.virtual_account.entity')
  const payment = shapes.readPayment(event.entity('payment'), 'payload.payment.entity')
  const kind = TRANSFERS[payment.method]
  if (kind === undefined || !event.has(kind)) return null
  return reportOfCredit(account, payment, readTransfer(event.entity(kind), `payload.${kind}.entity`))
}

type Transfer = { utr: string | null; remitterName: string | null; remitterAccount: string | null }

/** Bank transfers and UPI transfers name the same things differently. The sender may be missing. */
export function readTransfer(value: unknown, at: string): Transfer {
  const transfer = readObject(value, at)
  const payer = transfer['payer_bank_account']
  const bank = isObject(payer) ? payer : {}
  return {
    utr:
      readOptionalText(transfer, 'bank_reference', at) ?? readOptionalText(transfer, 'npci_reference_id', at),
    remitterName: readOptionalText(bank, 'name', at) ?? readOptionalText(transfer, 'payer_vpa', at),
    remitterAccount:
      readOptionalText(bank, 'account_number', at) ?? readOptionalText(transfer, 'payer_account', at),
  }
}

export function reportOfCredit(
  { id: accountRef, instituteId, ourId }: VirtualAccount,
  payment: { id: string; status: string; amountPaise: Paise; bankReference: string | null; createdAt: Date },
  { utr, ...remitter }: Transfer,
): CreditReport | null {
  const isPaid = payment.status === 'captured' || payment.status === 'refunded'
  if (instituteId === null || ourId === null || !isPaid) return null
  return {
    about: 'credit',
    instituteId,
    accountRef,
    providerRef: payment.id,
    utr: utr ?? payment.bankReference ?? payment.id,
    amountPaise: payment.amountPaise,
    ...remitter,
    creditedAt: payment.createdAt,
  }
}
