import { badField } from '../platform/errors.ts'
import { formatRupees, sumPaise } from '../platform/money.ts'
import type { LenderUpdate, PayOut } from './lender-port.ts'
import { canEnd, isOver, type Application, type LoanFile, type Tranche } from './loans.rules.ts'
import { DAY_MS } from '../platform/calendar.ts'

/**
 * What a lender's report may not say, however rightly it is signed: more than was asked for, an agreement that the
 * family has not accepted, money beyond the agreement. Null when it is fine. Nothing of a refused report is applied; the
 * lender is answered why, and the institute sees it.
 */
export function reportRefusal(file: LoanFile, update: LenderUpdate): string | null {
  const { application } = file
  switch (update.kind) {
    case 'approved':
      if (update.amountPaise <= application.askedPaise) return null
      return `${formatRupees(update.amountPaise)} were approved, and ${formatRupees(application.askedPaise)} were asked for.`
    case 'signed': {
      if (application.offer !== null && application.acceptedAt === null)
        return 'The agreement was reported before the family accepted the offer.'
      const totalPaise = sumPaise(update.tranches.map(one => one.amountPaise))
      if (totalPaise === application.amountPaise) return null
      return `The tranches are ${formatRupees(totalPaise)} together, and ${formatRupees(application.amountPaise)} were approved.`
    }
    case 'paid_out':
      return payOutRefusal(file, update.payOut)
    default:
      return null
  }
}

/** An agreement or money for an application that ended here without one, or a transfer that was reported otherwise before. */
export function contradiction(file: LoanFile, update: LenderUpdate): string | null {
  const { state, signedAt } = file.application
  const isEnded = isOver(state) && signedAt === null
  if (isEnded && (update.kind === 'signed' || update.kind === 'paid_out'))
    return `The application is ${state} here, and the lender reports a loan.`
  return isOtherTransfer(file, update)
    ? 'A transfer with this number was reported before, with another amount or UTR.'
    : null
}

function isOtherTransfer({ payOuts }: LoanFile, update: LenderUpdate): boolean {
  if (update.kind !== 'paid_out') return false
  const { number, amountPaise, reference } = update.payOut
  const known = payOuts.find(one => one.number === number)
  return known !== undefined && (known.amountPaise !== amountPaise || known.reference !== reference)
}

function payOutRefusal({ application, tranches, payOuts }: LoanFile, payOut: PayOut): string | null {
  const { trancheRef, amountPaise, reference } = payOut
  if (payOuts.some(one => one.reference === reference && one.withdrawnAt === null))
    return `The UTR ${reference} is recorded already.`
  const named = tranches.filter(one => one.lenderRef === trancheRef)
  if (named.length === 0) return `The loan has no tranche ${trancheRef}.`
  const open = named.find(isOpen)
  if (open !== undefined && amountPaise > open.amountPaise)
    return `${formatRupees(amountPaise)} are more than the tranche.`
  const sentPaise = sumPaise(tranches.filter(one => !isOpen(one)).map(one => one.amountPaise))
  if (sumPaise([sentPaise, amountPaise]) <= application.amountPaise) return null
  return `${formatRupees(amountPaise)} would be more than the loan of ${formatRupees(application.amountPaise)}.`
}

export function isOpen({ state }: Tranche): boolean {
  return state === 'planned' || state === 'failed'
}

/** When something happened: not before there was an application, and not in the future. */
export function clampTime(at: Date, { from, to }: { from: Date; to: Date }): Date {
  return new Date(Math.min(Math.max(at.getTime(), from.getTime()), Math.max(from.getTime(), to.getTime())))
}

const UTR = /^[A-Za-z0-9]{6,30}$/

/** Bank references are letters and digits; anything else is never found on a statement. */
export function assertUtr(key: string, reference: string): string {
  if (UTR.test(reference)) return reference
  throw badField(key, 'must be the bank reference of the transfer: 6 to 30 letters and digits')
}

/** A day that a person or a lender's clock cannot have meant. */
export function assertNear(key: string, day: string, today: string, years: Years): void {
  const at = Temporal.PlainDate.from(today)
  const isBefore = day < at.subtract({ years: years.before }).toString()
  if (isBefore || day > at.add({ years: years.after }).toString()) throw badField(key, `cannot be ${day}`)
}

type Years = { before: number; after: number }

const SILENT_FOR_MS = 7 * DAY_MS

/** It lapsed a week ago, and the lender cannot be asked: it ends here without the lender. */
export function isGivenUp({ state, expiresAt }: Application, now: Date): boolean {
  return canEnd(state) && now.getTime() - expiresAt.getTime() > SILENT_FOR_MS
}
