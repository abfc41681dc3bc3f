import type { FailedPayment, ReversedOrder } from '../../payments/payment-handler.ts'
import { chargeNote } from '../../payments/refunds/refunds.rules.ts'
import { assertNever } from '../../platform/assert.ts'
import { dayOf } from '../../platform/calendar.ts'
import { ZERO } from '../../platform/money.ts'
import { endMandate } from '../mandates/end-mandate.ts'
import type { PlanChanges } from '../plans/plan-changes.ts'
import { applyCause } from '../rules/plan-causes.rules.ts'
import { afterReturn, type AfterReturn } from '../rules/after-return.rules.ts'
import { sumLines } from '../rules/lines.rules.ts'
import type { Instalment } from '../rules/plan.rules.ts'
import { meaningOf, NEVER_SENT } from '../rules/returns.rules.ts'

/** The bank did not pay. `mandateId` is what it was presented under; by now the plan may have another. */
export function bounced(
  plan: PlanChanges,
  instalment: Instalment,
  { code, message }: FailedPayment,
  mandateId: string | null,
): 'bounced' | 'undecided' {
  const next = afterReturn(plan.contextOf(instalment), plan.rail, code)
  if (next.kind === 'wait') {
    plan.note(instalment, 'waiting', `${code}: ${message}`)
    return 'undecided'
  }
  const why = `${code}: ${next.meaning.message}`
  const after = plan.move(instalment, 'bounced', why, { returnCode: code, nextStepAt: null })
  if (code !== NEVER_SENT || next.kind === 'stop') tellOfBounce(plan, after, code, next)
  goOn(plan, after, next)
  if (next.kind === 'mandate_ended' && plan.mandate?.id === mandateId) endMandate(plan, code)
  return 'bounced'
}

function tellOfBounce(plan: PlanChanges, instalment: Instalment, code: string, next: AfterReturn): void {
  const { category, message } = next.meaning
  plan.recordEvent('flex.instalment.bounced', {
    instalment,
    reason: { code, category, message },
    nextPresentationOn: nextDay(next),
  })
  // One that is tried again within its notice may still be paid in a few hours; the family hears of the last.
  if (next.kind === 'retry') return
  const amountPaise = sumLines(instalment.lines)
  plan.notifyOfReturn(instalment, { kind: 'bounced', amountPaise, reason: message })
}

function nextDay(next: AfterReturn): string | undefined {
  if (next.kind === 'schedule') return next.presentOn
  return next.kind === 'retry' ? dayOf(next.at) : undefined
}

function goOn(plan: PlanChanges, instalment: Instalment, next: AfterReturn): void {
  switch (next.kind) {
    case 'schedule': {
      const uncounted = {
        attempt: instalment.attempt - 1,
        bankReturns: instalment.bankReturns + 1,
        firstBankReturnAt: instalment.firstBankReturnAt ?? plan.now,
      }
      plan.move(instalment, 'scheduled', `to be presented again on ${next.presentOn}`, {
        presentOn: next.presentOn,
        notifiedAt: null,
        fetchTries: 0,
        nextStepAt: plan.now,
        ...(next.counts ? {} : uncounted),
      })
      return
    }
    case 'retry': {
      const scheduled = plan.move(instalment, 'scheduled', 'to be presented again within its notice')
      const why = `in the window of ${next.at.toISOString()}`
      plan.move(scheduled, 'confirmed', why, { nextStepAt: next.at })
      return
    }
    case 'stop':
    case 'wait':
    case 'mandate_ended':
      return
    default:
      assertNever(next)
  }
}

/** The bank took back what it had paid. */
export function reversed(
  plan: PlanChanges,
  instalment: Instalment,
  { code, message, payment, chargedPaise }: ReversedOrder,
): void {
  const meaning = meaningOf(code)
  const why = `${code}: ${message}; a person decides`
  const unpaid = { refundedPaise: ZERO, settlementId: null, settlementUtr: null }
  const after = plan.move(instalment, 'reversed', why, { returnCode: code, ...unpaid })
  plan.recordEvent('flex.instalment.bounced', {
    instalment: after,
    reason: {
      code,
      category: meaning.category,
      message: [meaning.message, chargeNote(chargedPaise)].filter(text => text !== '').join(' '),
    },
    nextPresentationOn: undefined,
  })
  applyCause(plan, { kind: 'debit_reversed', isCharged: chargedPaise > 0 })
  const { amountPaise } = payment
  plan.notifyOfReturn(after, { kind: 'reversed', amountPaise, reason: meaning.message })
}
