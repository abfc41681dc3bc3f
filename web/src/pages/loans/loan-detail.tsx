import { Alert, Button } from '@mantine/core'
import type { ReactNode } from 'react'
import type { LoanDetailAnswer } from '../../../../src/console/loans/loan.schemas.ts'
import { fileAddress } from '../../api/client.ts'
import { Detail, type DetailField } from '../../ui/detail.tsx'
import { formatRupees, Money } from '../../ui/money.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { formatDay, When } from '../../ui/when.tsx'
import { StaticTable, type Heading } from '../developers/static-table.tsx'
import { LOAN_LABELS, TRANCHE_LABELS } from './texts.ts'

export type Tranche = LoanDetailAnswer['disbursements'][number]
export type Transfer = LoanDetailAnswer['transfers'][number]

const amounts = (title: string): Heading => ({ title, align: 'right' })
const AMOUNT = amounts('Amount')

/** A loan as both sides see it, with what this side can do about a tranche or a transfer. */
export function LoanDetail({
  base,
  detail,
  actions,
  noBankAccount,
  trancheAction = () => null,
  transferAction = () => null,
}: {
  base: string
  detail: LoanDetailAnswer
  actions: ReactNode
  /** What this side reads when the school has entered no bank account. */
  noBankAccount: ReactNode
  trancheAction?: (tranche: Tranche) => ReactNode
  transferAction?: (transfer: Transfer) => ReactNode
}) {
  const { loan, problem } = detail
  const { label, tone } = LOAN_LABELS[loan.status]
  return (
    <Detail
      title={`Loan of ${formatRupees(loan.amount)} for ${loan.student}`}
      status={<StatusBadge tone={tone}>{label}</StatusBadge>}
      actions={actions}
      fields={fieldsOf(detail)}
    >
      {problem !== undefined && (
        <Alert color="red" role="alert" title="The lender reported something that was not applied" mb="md">
          {problem} Clear it up with the lender.
        </Alert>
      )}
      <OfferTable detail={detail} />
      <PayTo detail={detail} noBankAccount={noBankAccount} />
      <Disbursements detail={detail} action={trancheAction} />
      <Transfers detail={detail} action={transferAction} />
      <Letters detail={detail} base={base} />
      <Emis detail={detail} />
    </Detail>
  )
}

type DetailProps = { detail: LoanDetailAnswer }

/** Where the lender transfers to. */
function PayTo({ detail, noBankAccount }: DetailProps & { noBankAccount: ReactNode }) {
  const { bank_accounts: accounts, disbursements } = detail
  const isOpen = disbursements.some(({ status }) => status === 'planned' || status === 'failed')
  if (accounts.length === 0)
    return isOpen ? (
      <Alert color="yellow" mt="md">
        {noBankAccount}
      </Alert>
    ) : null
  if (disbursements.length === 0) return null
  return (
    <Section name="Transfer to" headings={['Account holder', 'Account number', 'IFSC', 'Bank']}>
      {accounts.map(one => (
        <tr key={one.number}>
          <td>{one.holder}</td>
          <td>{one.number}</td>
          <td>{one.ifsc}</td>
          <td>{one.bank}</td>
        </tr>
      ))}
    </Section>
  )
}

function OfferTable({ detail: { offer, loan } }: DetailProps) {
  if (offer === undefined) return null
  return (
    <Section
      name="Offer"
      headings={['Interest a year', 'EMIs', amounts('Each'), amounts('Charges'), 'Accepted']}
    >
      <tr>
        <td>{offer.yearly_rate_percent} %</td>
        <td>{offer.months}</td>
        <td className="right">
          <Money rupees={offer.emi} />
        </td>
        <td className="right">
          <Money rupees={offer.fees} />
        </td>
        <td>{loan.offer_accepted_at === undefined ? 'Not yet' : <When at={loan.offer_accepted_at} />}</td>
      </tr>
    </Section>
  )
}

function Disbursements({ detail, action }: DetailProps & { action: (tranche: Tranche) => ReactNode }) {
  if (detail.disbursements.length === 0) return null
  return (
    <Section name="Disbursements" headings={['Day', AMOUNT, 'State', 'Next step']}>
      {detail.disbursements.map(tranche => (
        <tr key={tranche.id}>
          <td>{formatDay(tranche.date)}</td>
          <td className="right">
            <Money rupees={tranche.amount} />
          </td>
          <td>
            <StatusBadge tone={TRANCHE_LABELS[tranche.status].tone}>
              {TRANCHE_LABELS[tranche.status].label}
            </StatusBadge>
          </td>
          <td>{action(tranche)}</td>
        </tr>
      ))}
    </Section>
  )
}

function Transfers({ detail, action }: DetailProps & { action: (transfer: Transfer) => ReactNode }) {
  if (detail.transfers.length === 0) return null
  return (
    <Section name="Transfers" headings={['Reported', AMOUNT, 'UTR', 'At the school', 'Next step']}>
      {detail.transfers.map(transfer => (
        <tr key={transfer.number}>
          <td>
            <When at={transfer.reported_at} />
          </td>
          <td className="right">
            <Money rupees={transfer.amount} />
          </td>
          <td className="mono">{transfer.utr}</td>
          <td>{arrivalOf(transfer)}</td>
          <td>{action(transfer)}</td>
        </tr>
      ))}
    </Section>
  )
}

/** The newest letter; the versions before it stand below. */
export function LetterLink({ base, letters }: { base: string; letters: LoanDetailAnswer['letters'] }) {
  if (letters.length === 0) return null
  return (
    <Button variant="default" component="a" href={fileAddress(`${base}/letter`)}>
      Sanction letter
    </Button>
  )
}

function Letters({ detail: { letters }, base }: DetailProps & { base: string }) {
  if (letters.length < 2) return null
  return (
    <Section name="Versions of the sanction letter" headings={['Version', 'Attached', 'File']}>
      {letters.map(({ version, uploaded_at: at }) => (
        <tr key={version}>
          <td>{version}</td>
          <td>
            <When at={at} />
          </td>
          <td>
            <a href={fileAddress(`${base}/letter?version=${version}`)}>Download</a>
          </td>
        </tr>
      ))}
    </Section>
  )
}

function Emis({ detail: { emis } }: DetailProps) {
  if (emis.length === 0) return null
  return (
    <Section name="EMIs paid to the lender" headings={['Due', AMOUNT]}>
      {emis.map(emi => (
        <tr key={emi.id}>
          <td>{formatDay(emi.due_date)}</td>
          <td className="right">
            <Money rupees={emi.amount} />
          </td>
        </tr>
      ))}
    </Section>
  )
}

function Section({ name, ...table }: { name: string; headings: readonly Heading[]; children: ReactNode }) {
  return (
    <>
      <h2 className="section-title">{name}</h2>
      <StaticTable name={name} {...table} />
    </>
  )
}

function arrivalOf(transfer: Transfer): ReactNode {
  const back = transfer.returned_amount
  if (transfer.withdrawn_at !== undefined) return <StatusBadge tone="bad">Confirmed by mistake</StatusBadge>
  if (transfer.received_at !== undefined)
    return (
      <>
        <StatusBadge tone="good">Found on the statement</StatusBadge>
        {back > 0 && <div className="faint">{formatRupees(back)} of it went back or did not arrive</div>}
      </>
    )
  if (transfer.missing_at !== undefined) return <StatusBadge tone="bad">Not found</StatusBadge>
  return transfer.is_unconfirmed ? <StatusBadge tone="waiting">To be confirmed</StatusBadge> : null
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
    { label: 'Sanction letter', value: moment(detail.letters[0]?.uploaded_at) },
  ]
}
