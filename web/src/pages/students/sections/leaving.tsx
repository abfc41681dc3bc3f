import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { PostDatedAnswer } from '../../../../../src/banking/post-dated/post-dated.list.ts'
import { useInstitute, useInstitutePath } from '../../../api/session.ts'
import { fileAddress, list } from '../../../api/client.ts'
import { counted, formatRupees } from '../../../ui/money.tsx'
import { formatDay, When, yearName } from '../../../ui/when.tsx'
import type { Student } from '../use-student.ts'

/** How the leaving of a student was settled, or that nobody has; nothing for who is at school. */
export function LeavingSection({ student }: { student: Student }) {
  const { status, leaving, dues } = student
  const onTheWay = dues.on_the_way_amount
  const path = `${useInstitutePath()}/students/${student.service_student_id}/no-dues-certificate`
  if (status !== 'dropped') return null
  const open = [
    ...(dues.total_amount > 0 ? [`${formatRupees(dues.total_amount)} is left to pay`] : []),
    ...(onTheWay > 0 ? [`${formatRupees(onTheWay)} is on its way`] : []),
    ...student.other_years
      .filter(year => year.total_amount > 0)
      .map(
        year =>
          `${formatRupees(year.total_amount)} of ${yearName(year.academic_year_start, year.academic_year_end)} is left to pay`,
      ),
  ]
  return (
    <section aria-labelledby="leaving">
      <h2 className="section-title" id="leaving">
        Leaving
      </h2>
      {leaving === undefined ? (
        <p>Nobody has settled it: choose “Settle the leaving” under More.</p>
      ) : (
        <>
          <p>
            {`Left on ${formatDay(leaving.left_on)}: ${leaving.reason}. Settled by ${leaving.settled_by}, `}
            <When at={leaving.settled_at} />.
          </p>
          <Outcome leaving={leaving} />
        </>
      )}
      <ToHandBack studentId={student.service_student_id} />
      {open.length > 0 ? (
        <p>{`No certificate of no dues yet: ${open.join('; ')}.`}</p>
      ) : (
        <p>
          <a href={fileAddress(path)} target="_blank" rel="noreferrer">
            Certificate of no dues (PDF)
          </a>
        </p>
      )}
    </section>
  )
}

/** Papers of the family that are still in the office. */
function ToHandBack({ studentId }: { studentId: string }) {
  const path = `${useInstitutePath()}/counter/post-dated-cheques`
  const { code: institute } = useInstitute()
  const { data } = useQuery({
    queryKey: ['post-dated', path, 'to_give_back', studentId],
    queryFn: ({ signal }) =>
      list<PostDatedAnswer>(
        path,
        { state: 'to_give_back', service_student_id: studentId, limit: '100' },
        signal,
      ),
  })
  const rows = data?.rows ?? []
  if (rows.length === 0) return null
  const papers = rows.map(one => `${one.number} over ${formatRupees(one.amount)}`).join(', ')
  return (
    <p>
      {`Cheques to hand back to the family: ${papers}. Mark them under `}
      <Link
        to="/i/$institute/counter"
        params={{ institute }}
        search={{ view: 'post-dated', state: 'to_give_back' }}
      >
        Post-dated cheques
      </Link>
      .
    </p>
  )
}

function Outcome({ leaving: { settlement: one } }: { leaving: NonNullable<Student['leaving']> }) {
  const refunded = one.refunds.reduce((sum, each) => sum + Math.round(each.amount * 100), 0) / 100
  const parts: [number, string][] = [
    [one.lowered_amount, 'less asked'],
    [one.deposit_amount, 'of deposits given back'],
    [one.used_amount, 'of that and of what was paid too much used for what was owed'],
    [one.waived_amount, 'of late fees waived'],
    [one.written_off_amount, 'written off'],
    [refunded, 'refunded'],
    [one.advance_amount, 'kept as an advance'],
  ]
  const said = parts.filter(([amount]) => amount > 0)
  const ends = [
    ...one.ended.map(fee => `${fee.name} ended on ${formatDay(fee.last_day)}`),
    ...(one.plan_ids.length > 0 ? ['The instalment plan ended'] : []),
    ...(one.closed_orders.length > 0
      ? [`${counted(one.closed_orders.length, 'open link or order', 'open links and orders')} closed`]
      : []),
  ]
  if (said.length + ends.length === 0) return null
  return (
    <ul>
      {ends.map(text => (
        <li key={text}>{text}</li>
      ))}
      {said.map(([amount, what]) => (
        <li key={what}>{`${formatRupees(amount)} ${what}`}</li>
      ))}
    </ul>
  )
}
