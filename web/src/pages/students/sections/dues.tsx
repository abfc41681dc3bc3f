import { formatRupees, Money } from '../../../ui/money.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { formatDay, When } from '../../../ui/when.tsx'
import type { Student } from '../student-page.tsx'
import { StudentTable } from '../student-table.tsx'
import { readable } from '../texts.ts'

export function DuesSection({ student }: { student: Student }) {
  const { dues } = student
  return (
    <section aria-labelledby="dues">
      <h2 className="section-title" id="dues">
        Dues
      </h2>
      {dues.components.length === 0 && dues.late_fees.length === 0 ? (
        <p className="faint">No fee is registered for this student. The ERP registers fees, or an import.</p>
      ) : (
        <DuesTable student={student} />
      )}
      {dues.advance_amount > 0 && (
        <p>{formatRupees(dues.advance_amount)} was paid beyond the fees and stands as an advance.</p>
      )}
      <Carried student={student} />
      <LateFees student={student} />
    </section>
  )
}

/** Paid here without a payment: a rollover took it to another year, or brought it. */
function Carried({ student: { carried } }: { student: Student }) {
  if (carried.length === 0) return null
  return (
    <ul>
      {carried.map(({ component_type: component, amount, carried_at: at }) => (
        <li key={component}>
          {amount > 0
            ? `${formatRupees(amount)} of ${readable(component)} counts as paid: it was carried between academic years`
            : `${formatRupees(-amount)} of ${readable(component)} went into the next academic year as an advance`}{' '}
          (<When at={at} />)
        </li>
      ))}
    </ul>
  )
}

function DuesTable({ student: { dues, discounts } }: { student: Student }) {
  return (
    <StudentTable name="Dues by fee">
      <thead>
        <tr>
          <th scope="col">Fee</th>
          <th scope="col">Due on</th>
          <th scope="col" className="right">
            Fee
          </th>
          <th scope="col" className="right">
            Concessions
          </th>
          <th scope="col" className="right">
            Paid
          </th>
          <th scope="col" className="right">
            Left to pay
          </th>
        </tr>
      </thead>
      <tbody>
        {dues.components.map(line => (
          <tr key={line.component_type}>
            <td>
              {readable(line.component_type)} {line.is_late && <StatusBadge tone="waiting">Late</StatusBadge>}
              {discounts
                .filter(one => one.component_type === line.component_type)
                .map(one => (
                  <div key={one.discount_type} className="faint">
                    {readable(one.discount_type)} −{formatRupees(one.amount)}
                  </div>
                ))}
            </td>
            <td className="nowrap">{line.due_date === undefined ? '' : formatDay(line.due_date)}</td>
            <td className="right">
              <Money rupees={line.fee_amount} />
            </td>
            <td className="right">
              {line.discount_amount > 0 && <>−{formatRupees(line.discount_amount)}</>}
            </td>
            <td className="right">
              <Money rupees={line.paid_amount} />
            </td>
            <td className="right">
              <Money rupees={line.outstanding_amount} />
            </td>
          </tr>
        ))}
        {dues.late_fees.map(fee => (
          <LateFeeRow key={fee.late_fee_id} fee={fee} />
        ))}
      </tbody>
      <tfoot>
        <tr>
          <td colSpan={5}>Due today</td>
          <td className="right">
            <Money rupees={dues.total_amount} />
          </td>
        </tr>
      </tfoot>
    </StudentTable>
  )
}

function LateFeeRow({ fee }: { fee: Student['dues']['late_fees'][number] }) {
  return (
    <tr>
      <td>
        Late fee{fee.component_type !== undefined && ` for ${readable(fee.component_type)}`}
        <div className="faint">
          {fee.days_late} days late
          {fee.waived_amount > 0 && `, ${formatRupees(fee.waived_amount)} waived`}
        </div>
      </td>
      <td className="nowrap">{formatDay(fee.due_date)}</td>
      <td />
      <td />
      <td />
      <td className="right">
        <Money rupees={fee.amount} />
      </td>
    </tr>
  )
}

function LateFees({ student: { late_fee_entries: entries } }: { student: Student }) {
  if (entries.length === 0) return null
  return (
    <details>
      <summary className="faint">Late fees paid or waived so far: {entries.length}</summary>
      <ul>
        {entries.map(entry => (
          <li key={entry.id}>
            {formatRupees(entry.amount)} {entry.kind === 'waived' ? 'waived' : 'paid'}
            {entry.actor !== undefined && <> by {entry.actor}</>}, <When at={entry.at} />
            {entry.reason !== undefined && <div className="faint">{entry.reason}</div>}
          </li>
        ))}
      </ul>
    </details>
  )
}
