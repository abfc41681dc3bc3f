import { outputOf, type Shown } from '../http/wire/output.ts'
import type { Emi, LoanFile, Tranche } from './loans.rules.ts'

/** Disbursements and EMIs as the API answers them and as events carry them. */
const tranche = outputOf<Tranche>()
const trancheFields = {
  id: tranche.text('Disbursement id.', 'disb_01k9zq4m0ve8sbn6yt2hw3c5da'),
  date: tranche.day('When it is planned or was made.', '2026-11-15', one => one.plannedOn),
  amount: tranche.amount('Rupees.', 60000),
  disbursed_amount: tranche.optional.amount('Rupees that came.', 60000, one => one.disbursedPaise),
  is_disbursed: tranche.flag('Whether it reached the institute.', true, one => one.state === 'disbursed'),
  settlement_utr: tranche.optional.text('Bank reference.', 'HDFCR52026111500077'),
}
export const disbursementBlock = tranche.object(trancheFields)

const sent = outputOf<Tranche & { paymentId: string | undefined }>()
export const disbursementOutput = sent.object(
  {
    ...trancheFields,
    status: sent.oneOf(
      ['planned', 'paid_out', 'received', 'disbursed', 'failed'],
      'planned; paid_out when the lender has sent it; received when it is at the payment provider; disbursed when it reached ' +
        "the institute; failed when the lender's transfer did not arrive.",
      one => one.state,
      'disbursed',
    ),
    payment_id: sent.optional.text(
      'Id of its payment; absent while planned.',
      'pay_01k9zq4m0ve8sbn6yt2hw3c5da',
    ),
    failure: sent.optional.text(
      'Why the transfer failed; present only then.',
      'The account did not accept the transfer.',
    ),
  },
  'A tranche of the loan.',
)

export function toDisbursementsJson({ tranches, payOuts }: LoanFile): Shown<typeof disbursementOutput>[] {
  return tranches.map(one =>
    disbursementOutput.toJson({
      ...one,
      paymentId: payOuts.findLast(({ trancheId }) => trancheId === one.id)?.paymentId,
    }),
  )
}

const emi = outputOf<Emi>()
export const emiOutput = emi.object({
  id: emi.text('Id of the EMI.', 'pay_01k9zq4m0ve8sbn6yt2hw3c5da'),
  due_date: emi.day('When it was due.', '2026-11-15', one => one.dueOn),
  paid_at: emi.moment('When it left the borrower.', '2026-11-15T04:32:10.000Z'),
  amount: emi.amount('Rupees, paid to the lender.', 10000),
})
