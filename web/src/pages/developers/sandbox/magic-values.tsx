import { StaticTable } from '../static-table.tsx'

/** The last two digits of an amount decide what the sandbox bank does, as docs/erp-developer/sandbox.md says. */
const PAYMENTS = [
  ['.91', 'declines it'],
  ['.92', 'leaves it pending; capture or fail it later'],
  ['.93', 'takes it and tells us twice'],
  ['.94', 'takes it and tells us nothing; Bursar asks by itself'],
  ['.95', 'takes it at once and tells us before it has answered our request'],
  ['anything else', 'takes it'],
] as const

const DEBITS = [
  ['.81', 'returns it: not enough money', '04', 'Z9'],
  ['.82', 'returns it: the bank could not process it', '59', 'U30'],
  ['.83', 'returns it: no valid mandate', '08', 'QA'],
  ['.84', 'stays undecided for two more days, then debits it', '', ''],
  ['.85', 'debits it, and takes it back three days later', '04', 'Z9'],
  ['.93', 'debits it and tells us twice', '', ''],
  ['.94', 'debits it and tells us nothing; Bursar asks by itself', '', ''],
  ['anything else', 'debits it; returns it above the limit or without a valid mandate', '15, 08', 'U54, QA'],
] as const

export function MagicValues() {
  return (
    <section className="card" aria-label="Magic amounts">
      <h2 className="section-title">Magic amounts</h2>
      <p>
        For tests without a browser: the last two digits decide what the bank does. On its pages you decide by
        hand.
      </p>
      <h3 className="section-title">Payments: the total of the order</h3>
      <Values name="Amounts of payments" headings={['Ends in', 'The bank']} rows={PAYMENTS} />
      <h3 className="section-title">Debits under a mandate: the amount of the instalment</h3>
      <Values name="Amounts of debits" headings={['Ends in', 'The bank', 'eNACH', 'UPI']} rows={DEBITS} />
      <p className="faint spaced">
        Loans: the amount of the application decides how the lender tells (.93 twice, .94 nothing), the amount
        of a tranche how the bank takes the transfer.
      </p>
    </section>
  )
}

function Values({
  name,
  headings,
  rows,
}: {
  name: string
  headings: readonly string[]
  rows: readonly (readonly string[])[]
}) {
  return (
    <StaticTable name={name} headings={headings}>
      {rows.map(([first = '', ...rest]) => (
        <tr key={first}>
          <td className="mono nowrap">{first}</td>
          {rest.map((text, index) => (
            <td key={headings[index + 1]}>{text}</td>
          ))}
        </tr>
      ))}
    </StaticTable>
  )
}
