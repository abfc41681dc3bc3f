import { RETURNED_AFTER_REFUND } from '../../fees/fees.rules.ts'
import { badField, conflict } from '../../platform/errors.ts'
import { readableComponent } from '../../platform/names.ts'
import {
  formatRupees,
  minPaise,
  paiseOf,
  splitInProportion,
  subtractPaise,
  sumPaise,
  ZERO,
  type Paise,
} from '../../platform/money.ts'
import type { RefundCause } from '../../messages/texts/texts.ts'
import type { Payment } from '../payments.rules.ts'

export type { RefundCause } from '../../messages/texts/texts.ts'

type RefundState = 'pending' | 'processed' | 'failed'

/** What it gives back of a line of the order, by the line's number. */
export type RefundLine = { lineNo: number; componentType: string; amountPaise: Paise }

export type Refund = {
  instituteId: number
  id: string
  paymentId: string
  orderId: string
  /** returned: a debit that the bank took back; nobody asked for it. */
  kind: 'requested' | 'duplicate' | 'returned'
  state: RefundState
  amountPaise: Paise
  reason: string | null
  /** Why it goes back by itself; null when somebody asked for it. */
  cause: RefundCause | null
  providerRef: string | null
  utr: string | null
  failureMessage: string | null
  requestedAt: Date
  processedAt: Date | null
  tries: number
  /** The part that had been refunded before and belongs to no line: the family owes it as a charge. */
  chargedPaise: Paise
  lines: RefundLine[]
}

type RefundStart = Pick<Refund, 'id' | 'kind' | 'lines' | 'reason' | 'amountPaise' | 'requestedAt'>

/** A refund that the provider is still to be asked for, unless `refund` says that it has been processed already. */
export function newRefund(
  payment: { instituteId: number; id: string; orderId: string },
  refund: RefundStart & Partial<Refund>,
): Refund {
  return {
    instituteId: payment.instituteId,
    paymentId: payment.id,
    orderId: payment.orderId,
    state: 'pending',
    chargedPaise: ZERO,
    cause: null,
    providerRef: null,
    utr: null,
    failureMessage: null,
    processedAt: null,
    tries: 0,
    ...refund,
  }
}

/** The debit that such a refund would take back, if it is one. */
export function returnedBy(refundId: string): string {
  return refundId.replace(/^rfd_/, 'pay_')
}

/** How a refund is asked for; all that is left when it says neither how much nor of what. */
export type AskedRefund = {
  amountPaise: Paise | null
  lines: readonly { componentType: string; amountPaise: Paise }[] | null
  reason: string | null
}

type Lines = { lines: readonly { componentType: string; amountPaise: Paise }[] }
type EarlierRefund = Pick<Refund, 'kind' | 'state' | 'lines'>

/** Failed refunds and refunds of duplicates do not lower what can be refunded. */
function counted<Earlier extends EarlierRefund>(refunds: readonly Earlier[]): Earlier[] {
  return refunds.filter(refund => refund.kind !== 'duplicate' && refund.state !== 'failed')
}

/** What is left to refund of the payment that paid an order. */
export function refundableOf(payment: Payment, refunds: readonly Refund[]): Paise {
  const gone = counted(refunds).map(refund => subtractPaise(refund.amountPaise, refund.chargedPaise))
  return subtractPaise(payment.amountPaise, sumPaise(gone))
}

/** What is left of each line of the order. */
export function leftByLine({ lines }: Lines, refunds: readonly EarlierRefund[]): Paise[] {
  const refunded = counted(refunds).flatMap(refund => refund.lines)
  return lines.map((line, index) => {
    const parts = refunded.filter(part => part.lineNo === index + 1)
    return subtractPaise(line.amountPaise, sumPaise(parts.map(part => part.amountPaise)))
  })
}

/**
 * Divides money that a bank took back among the lines, in proportion to what is left of each. An amount beyond that had been
 * refunded before and went out twice, so no line was paid with it any more.
 */
export function returnedLines(
  order: Lines,
  refunds: readonly EarlierRefund[],
  amountPaise: Paise,
): { lines: RefundLine[]; chargedPaise: Paise } {
  const left = leftByLine(order, refunds)
  const fromLines = minPaise(amountPaise, sumPaise(left))
  const parts = fromLines === 0 ? [] : splitInProportion(fromLines, left)
  return { lines: linesOf(order, parts), chargedPaise: subtractPaise(amountPaise, fromLines) }
}

/** What the event, the reason and the people who read it are told of such a charge; empty where there is none. */
export function chargeNote(chargedPaise: Paise): string {
  return chargedPaise === 0
    ? ''
    : `${formatRupees(chargedPaise)} of it had been refunded before and is owed as ${RETURNED_AFTER_REFUND}.`
}

/**
 * The lines of a refund: as asked for, or the student's advance first, then in proportion to what is left of each. Never
 * more than is left. `advances`: what the student has paid of components beyond their price.
 */
export function refundLines(
  order: Lines,
  refunds: readonly EarlierRefund[],
  asked: Omit<AskedRefund, 'reason'>,
  advances: readonly { componentType: string; amountPaise: Paise }[] = [],
): RefundLine[] {
  const left = leftByLine(order, refunds)
  const total = sumPaise(left)
  if (total === 0) throw conflict('All of this payment has been refunded already.')
  const parts =
    asked.lines === null
      ? spread(asked.amountPaise ?? total, left, advanceByLine(order, left, advances))
      : pick(order, left, asked.lines)
  if (asked.lines !== null && asked.amountPaise !== null && sumPaise(parts) !== asked.amountPaise)
    throw badField('amount', 'must be the sum of details when both are sent')
  return linesOf(order, parts)
}

function linesOf({ lines }: Lines, parts: readonly Paise[]): RefundLine[] {
  return lines.flatMap(({ componentType }, index) => {
    const amountPaise = parts[index] ?? ZERO
    return amountPaise === 0 ? [] : [{ lineNo: index + 1, componentType, amountPaise }]
  })
}

function spread(amountPaise: Paise, left: readonly Paise[], advance: readonly Paise[]): Paise[] {
  const total = sumPaise(left)
  if (amountPaise > total)
    throw conflict(`At most ${formatRupees(total)} of this payment can still be refunded.`)
  const first = minPaise(amountPaise, sumPaise(advance))
  const ofAdvance = first === 0 ? left.map(() => ZERO) : splitInProportion(first, advance)
  const rest = left.map((paise, index) => subtractPaise(paise, ofAdvance[index] ?? ZERO))
  const more = subtractPaise(amountPaise, first)
  const ofRest = more === 0 ? left.map(() => ZERO) : splitInProportion(more, rest)
  return ofAdvance.map((paise, index) => sumPaise([paise, ofRest[index] ?? ZERO]))
}

/** How much of what is left of each line is advance. A component may stand on several lines: the earlier ones hold it first. */
function advanceByLine(
  { lines }: Lines,
  left: readonly Paise[],
  advances: readonly { componentType: string; amountPaise: Paise }[],
): Paise[] {
  const open = new Map(advances.map(one => [one.componentType, one.amountPaise]))
  return lines.map(({ componentType }, index) => {
    const advance = open.get(componentType) ?? ZERO
    const part = minPaise(advance, left[index] ?? ZERO)
    open.set(componentType, subtractPaise(advance, part))
    return part
  })
}

/** A component may stand on several lines: the earlier ones are given back first. */
function pick({ lines }: Lines, left: readonly Paise[], asked: NonNullable<AskedRefund['lines']>): Paise[] {
  const parts = lines.map(() => ZERO)
  for (const [no, { componentType, amountPaise }] of asked.entries()) {
    if (asked.findIndex(other => other.componentType === componentType) !== no)
      throw badField(`details.${no}.component_type`, 'stands twice')
    const own = lines.flatMap((line, index) => (line.componentType === componentType ? [index] : []))
    if (own.length === 0) throw badField(`details.${no}.component_type`, 'is not among what was paid')
    const most = sumPaise(own.map(index => left[index] ?? ZERO))
    if (amountPaise > most)
      throw conflict(
        `At most ${formatRupees(most)} of ${readableComponent(componentType)} can still be refunded.`,
      )
    let open: number = amountPaise
    for (const index of own) {
      const part = Math.min(open, left[index] ?? ZERO)
      parts[index] = paiseOf(part)
      open -= part
    }
  }
  return parts
}
