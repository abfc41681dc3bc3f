import { Alert } from '@mantine/core'
import type { ReactNode } from 'react'
import type { LoanDetailAnswer } from '../../../../src/console/loans/loan.output.ts'
import { Detail, type DetailField } from '../../ui/detail.tsx'
import { formatRupees, Money } from '../../ui/money.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { formatDay, When } from '../../ui/when.tsx'
import { StaticTable } from '../developers/static-table.tsx'
import { LOAN_LABELS, TRANCHE_LABELS } from './texts.ts'

export type Tranche = LoanDetailAnswer['disbursements'][number]

/** A loan as both sides see it; `trancheAction` is what this side can do about a tranche. */
export function LoanDetail({
  detail,
  actions,
  trancheAction,
}: {
  detail: LoanDetailAnswer
  actions: ReactNode
  trancheAction: (tranche: Tranche) => ReactNode
}) {
  const { loan, offer, disbursements, emis } = detail
  const { label, tone } = LOAN_LABELS[loan.status]
  return (
    <Detail
      title={`Loan of ${formatRupees(loan.amount)} for ${loan.student}`}
      status={<StatusBadge tone={tone}>{label}</StatusBadge>}
      actions={actions}
      fields={fieldsOf(detail)}
    >
      {detail.problem !== undefined && (
        <Alert color="red" role="alert" title="The lender reported something that was not applied" mb="md">
          {detail.problem} Clear it up with the lender.
        </Alert>
      )}
      {offer !== undefined && (
        <>
          <h2 className="section-title">Offer</h2>
          <StaticTable name="Offer" headings={['Interest a year', 'EMIs', 'Each', 'Charges', 'Accepted']}>
            <tr>
              <td>{offer.yearly_rate_percent} %</td>
              <td>{offer.months}</td>
              <td>
                <Money rupees={offer.emi} />
              </td>
              <td>
                <Money rupees={offer.fees} />
              </td>
              <td>
                {loan.offer_accepted_at === undefined ? 'Not yet' : <When at={loan.offer_accepted_at} />}
              </td>
            </tr>
          </StaticTable>
        </>
      )}
      {disbursements.length > 0 && (
        <>
          <h2 className="section-title">Disbursements</h2>
          <StaticTable name="Disbursements" headings={['Day', 'Amount', 'State', 'UTR', 'Next step']}>
            {disbursements.map(tranche => (
              <tr key={tranche.id}>
                <td>{formatDay(tranche.date)}</td>
                <td>
                  <Money rupees={tranche.amount} />
                </td>
                <td>
                  <StatusBadge tone={TRANCHE_LABELS[tranche.status].tone}>
                    {TRANCHE_LABELS[tranche.status].label}
                  </StatusBadge>
                </td>
                <td className="mono">{tranche.utr ?? ''}</td>
                <td>{trancheAction(tranche)}</td>
              </tr>
            ))}
          </StaticTable>
        </>
      )}
      {emis.length > 0 && (
        <>
          <h2 className="section-title">EMIs paid to the lender</h2>
          <StaticTable name="EMIs" headings={['Due', 'Amount']}>
            {emis.map(emi => (
              <tr key={emi.id}>
                <td>{formatDay(emi.due_date)}</td>
                <td>
                  <Money rupees={emi.amount} />
                </td>
              </tr>
            ))}
          </StaticTable>
        </>
      )}
    </Detail>
  )
}

const WAITS = { family: 'The family', lender: 'The lender', institute: 'The institute' } as const

function moment(at: string | undefined): ReactNode {
  return at === undefined ? undefined : <When at={at} />
}

function fieldsOf(detail: LoanDetailAnswer): DetailField[] {
  const { loan, waits_for: waitsFor } = detail
  return [
    { label: 'Next to act', value: waitsFor && WAITS[waitsFor] },
    { label: 'Institute', value: loan.institute },
    { label: 'Lender', value: loan.lender },
    { label: 'Borrower', value: loan.borrower },
    { label: 'Phone', value: detail.phone },
    { label: 'E-mail', value: detail.email },
    { label: 'Asked for', value: formatRupees(loan.requested_amount) },
    { label: 'Consented', value: moment(loan.sent_at) },
    { label: 'Accepted from', value: detail.accepted_from },
    { label: 'Approved', value: moment(detail.approved_at) },
    { label: 'Sanctioned', value: moment(detail.agreement_signed_at) },
    { label: 'Ended', value: moment(detail.ended_at) },
    { label: 'Lapses', value: moment(detail.expires_at) },
    { label: 'Reason', value: detail.reason },
    { label: 'Sanction letter', value: moment(detail.letter_at) },
    { label: 'Id', value: <span className="mono">{loan.application_id}</span> },
  ]
}
