import { dayOf, formatDay } from '../../../platform/calendar.ts'
import { formatRupees } from '../../../platform/money.ts'
import type { DisputeToMail } from '../../../payments/disputes/disputes.service.ts'

/** Nothing of the payer: the order's page has it. */
export function writeDisputeMail(
  dispute: DisputeToMail,
  publicUrl: string,
): { subject: string; body: string } {
  const { instituteCode, instituteName, orderId, amountPaise, reason, providerRef, paymentId } = dispute
  const amount = formatRupees(amountPaise)
  const body = [
    `A payer disputes a payment of ${amount} to ${instituteName}.`,
    '',
    `Order: ${orderId}`,
    `Payment: ${paymentId}`,
    `Dispute: ${providerRef}`,
    ...(reason === '' ? [] : [`Reason: ${reason}`]),
    '',
    whatToDo(dispute),
    '',
    `${publicUrl}/console/i/${instituteCode}/orders/${orderId}`,
  ]
  return { subject: `Disputed payment of ${amount}: ${instituteName}`, body: body.join('\n') }
}

function whatToDo({ state, respondBy, deductedPaise }: DisputeToMail): string {
  switch (state) {
    case 'won':
      return 'It has ended in your favour. There is nothing to do.'
    case 'closed':
      return 'It is closed. There is nothing to do.'
    case 'lost':
      return `It is lost: ${formatRupees(deductedPaise)} will be taken from a pay-out, and the order will show it.`
    default:
      return `Answer it in the dashboard of your payment provider${
        respondBy === null ? '' : ` by ${formatDay(dayOf(respondBy))}`
      }. If nobody answers, the money goes back to the payer.`
  }
}
