import { formatCount, formatRupees } from '../money.tsx'

type Props = {
  /** What the rows are: days, ways of payment, components. */
  title: string
  amount: string
  rows: readonly { label: string; count: number; amount: number }[]
}

/** How many payments of each kind, and how much. */
export function SumsTable({ title, amount, rows }: Props) {
  return (
    <table className="data-table">
      <thead>
        <tr>
          <th scope="col">{title}</th>
          <th scope="col" className="right">
            Payments
          </th>
          <th scope="col" className="right">
            {amount}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <tr key={row.label}>
            <td>{row.label}</td>
            <td className="right">{formatCount(row.count)}</td>
            <td className="right">{formatRupees(row.amount)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
