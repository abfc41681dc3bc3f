import type { Rail } from '../port.ts'

/**
 * Our ids at Cashfree begin with the number of their institute: a callback about a refund or a debit, and a line of the
 * reconciliation, carry an id of ours and nothing else. An id that is not in this form is somebody else's.
 */
type OurId = { instituteId: number; id: string }
type Kind = 'pay' | 'rfd' | 'mdt'

export function toCashfreeId(instituteId: number, id: string): string {
  return `${instituteId}-${id}`
}

export function readOurId(text: string | null, kind: Kind): OurId | null {
  const [, institute, id, prefix] = /^([1-9]\d{0,8})-(([a-z]{3})_[0-9a-z]+)$/.exec(text ?? '') ?? []
  return institute !== undefined && id !== undefined && prefix === kind
    ? { instituteId: Number(institute), id }
    : null
}

/**
 * What we keep as the provider's reference of a debit: `rail/subscription/payment`. All of it is known before the debit is
 * sent, and Cashfree finds a debit only by its subscription; so it is kept before the call, and a lost answer loses nothing.
 */
export type DebitRef = { rail: Rail; subscriptionId: string; paymentId: string }

export function toDebitRef({ rail, subscriptionId, paymentId }: DebitRef): string {
  return `${rail}/${subscriptionId}/${paymentId}`
}

export function readDebitRef(text: string | null): DebitRef | null {
  const [rail, subscriptionId, paymentId] = (text ?? '').split('/')
  if ((rail !== 'enach' && rail !== 'upi_autopay') || subscriptionId === undefined || paymentId === undefined)
    return null
  return { rail, subscriptionId, paymentId }
}
