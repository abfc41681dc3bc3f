import { formatRupees, Money } from '../../../ui/money.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { formatDay, When, yearName } from '../../../ui/when.tsx'
import type { Student } from '../use-student.ts'
import { StudentTable } from '../student-table.tsx'
import { readable } from '../../../ui/words.ts'

export function DuesSection({ student }: { student: Student }) {
  const { dues } = student
  return (
    <section aria-label="Dues">
      {dues.components.length === 0 && dues.late_fees.length === 0 ? (
        <p className="faint">No fee is registered for this student. The ERP registers fees, or an import.</p>
      ) : (
        <DuesTable student={student} />
      )}
      {dues.advance_amount > 0 && (
        <p>{formatRupees(dues.advance_amount)} was paid beyond the fees and stands as an advance.</p>
      )}
      <Deposits student={student} />
      <Carried student={student} />
      <LateFees student={student} />
    </section>
  )
}

/** Held for the family, on the record of the year in which it was paid. */
function Deposits({
  student: { deposits, other_years: years, service_student_id: id },
}: {
  student: Student
}) {
  return deposits.map(one => {
    const year = years.find(other => other.service_student_id === one.service_student_id)
    const where =
      one.service_student_id === id || year === undefined
        ? ''
        : `, paid in ${yearName(year.academic_year_start, year.academic_year_end)}`
    return (
      <p key={`${one.service_student_id} ${one.component_type}`}>
        {`${formatRupees(one.amount)} of ${readable(one.component_type)} is held and will be given back${where}.`}
      </p>
    )
  })
}

type CarriedAmount = Student['carried'][number]

const yearOf = (one: CarriedAmount): string => yearName(one.academic_year_start, one.academic_year_end)

/** Dues that are owed in a later year now; an advance that came from an earlier one was paid. */
function duesCarried({ carried, academic_year_start: year }: Student): CarriedAmount[] {
  return carried.filter(one => one.amount > 0 && one.academic_year_start > year && !one.taken_back)
}

/** Not among the payments: a rollover took it to another year, or brought it, and what came back of it since. */
function Carried({ student }: { student: Student }) {
  if (student.carried.length === 0) return null
  const went = duesCarried(student)
  const textOf = (one: CarriedAmount): string => {
    const what = `${formatRupees(Math.abs(one.amount))} of ${readable(one.component_type)}`
    if (one.taken_back)
      return one.amount > 0
        ? `${what} came back from ${yearOf(one)}: the payment that it came from was cancelled, corrected or refunded`
        : `${what} went back to ${yearOf(one)}: the payment that it came from was cancelled, corrected or refunded there`
    if (went.includes(one)) return `${what} was carried to ${yearOf(one)} and is owed there`
    return one.amount > 0
      ? `${what} came from ${yearOf(one)}, where it was paid too much`
      : `${what} was paid too much and was carried to ${yearOf(one)}`
  }
  return (
    <ul>
      {student.carried.map(one => (
        <li key={`${one.service_student_id} ${one.component_type} ${one.carried_at} ${one.amount}`}>
          {textOf(one)} (<When at={one.carried_at} />)
        </li>
      ))}
    </ul>
  )
}

function DuesTable({ student }: { student: Student }) {
  const { dues, discounts } = student
  return (
    <StudentTable name="Dues by fee">
      <thead>
        <tr>
          <th scope="col">Fee</th>
          <th scope="col">Due on</th>
          <th scope="col" className="right">
            Charged
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
        {dues.components.filter(isSomething).map(line => (
          <tr key={line.component_type}>
            <td>
              {readable(line.component_type)}{' '}
              {line.is_late && <StatusBadge tone="waiting">Overdue</StatusBadge>}
            </td>
            <td className="nowrap">
              {line.due_date !== undefined && formatDay(line.due_date)}
              {line.instalments_amount > 0 && (
                <div className="faint">{formatRupees(line.instalments_amount)} by instalments</div>
              )}
            </td>
            <td className="right">
              <Money rupees={line.fee_amount} />
            </td>
            <td className="right">
              {line.discount_amount > 0 && <>−{formatRupees(line.discount_amount)}</>}
              <Reasons discounts={discounts.filter(one => one.component_type === line.component_type)} />
            </td>
            <td className="right">
              <Paid line={line} carried={duesCarried(student)} />
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
          <td colSpan={5}>Left to pay for the year</td>
          <td className="right">
            <Money rupees={dues.total_amount} />
          </td>
        </tr>
      </tfoot>
    </StudentTable>
  )
}

/** What the concessions on a fee are called, and how much each is where there are several. */
function Reasons({ discounts }: { discounts: Student['discounts'] }) {
  return discounts.map(one => (
    <div key={one.discount_type} className="faint">
      {readable(one.discount_type)}
      {discounts.length > 1 && ` ${formatRupees(one.amount)}`}
    </div>
  ))
}

/** A fee that came to nothing, as when the class changed, and that nothing was paid for is no row. */
function isSomething(line: Student['dues']['components'][number]): boolean {
  return line.fee_amount > 0 || line.paid_amount > 0
}

function Paid({
  line: { component_type: component, paid_amount: settled },
  carried,
}: {
  line: Student['dues']['components'][number]
  carried: readonly CarriedAmount[]
}) {
  const went = carried.filter(one => one.component_type === component)
  // Paise, because halves of a rupee do not add up exactly.
  const paise = went.reduce((left, one) => left - Math.round(one.amount * 100), Math.round(settled * 100))
  return (
    <>
      <Money rupees={paise / 100} />
      {went.map(one => (
        <div key={one.service_student_id} className="faint">
          {`${formatRupees(one.amount)} carried to ${yearOf(one)}`}
        </div>
      ))}
    </>
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
