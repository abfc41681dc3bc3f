import type { AgeingAnswer } from '../../../../../src/console/reports/dues.schemas.ts'
import { Bars } from '../../../ui/chart/bars.tsx'
import { Chart, type Series, type Tone } from '../../../ui/chart/chart.tsx'
import { formatCount, formatRupees, formatShortRupees } from '../../../ui/money.tsx'
import { Empty } from '../../../ui/states.tsx'
import { TableFrame } from '../../../ui/table/frame.tsx'
import { readable } from '../../../ui/words.ts'

const AGE_TONES: readonly Tone[] = ['rest', 'late-1', 'late-2', 'late-3', 'late-4', 'plain']
export const BUCKETS = [
  ['not_due', 'Not due'],
  ['days_0_30', '0–30 days'],
  ['days_31_60', '31–60 days'],
  ['days_61_90', '61–90 days'],
  ['days_over_90', 'Over 90 days'],
  ['no_due_day', 'No due day'],
] as const

/** One series for each bucket, in the same order. */
const AGES: readonly Series[] = BUCKETS.map(([, label], no) => ({ label, tone: AGE_TONES[no] ?? 'plain' }))

const HEADINGS = { component: 'Fee', grade: 'Class', branch: 'Branch' }

/** What is left to pay by how late it is, as a picture and as a table. */
export function Ageing({
  ageing: { groups, total, by, on_the_way_amount: onTheWay },
}: {
  ageing: AgeingAnswer
}) {
  if (groups.length === 0) {
    return (
      <Empty title="Nothing is left to pay" description="Every fee of every active student has been paid." />
    )
  }
  const rows = groups.map(group => ({
    ...group,
    label: by === 'component' ? readable(group.key) : group.key,
  }))
  return (
    <>
      <p className="faint">
        All that is left to pay, by the school’s due days; a late fee is as late as its fees.
        {onTheWay > 0 && ` ${formatRupees(onTheWay)} of it is on the way.`}
      </p>
      <Chart title={`Left to pay, by ${HEADINGS[by].toLowerCase()} and age`} series={AGES}>
        <Bars
          bars={rows.map(row => ({
            key: row.key,
            label: row.label,
            text: formatShortRupees(row.total),
            parts: BUCKETS.map(([key]) => row[key]),
          }))}
          series={AGES}
        />
      </Chart>
      <TableFrame name="Ageing" className="ageing">
        <table className="data-table stacks" role="table" aria-label="Ageing">
          <thead role="rowgroup">
            <tr role="row">
              <th scope="col" role="columnheader">
                {HEADINGS[by]}
              </th>
              <th scope="col" role="columnheader" className="right">
                Students
              </th>
              {BUCKETS.map(([key, label]) => (
                <th key={key} scope="col" role="columnheader" className="right">
                  {label}
                </th>
              ))}
              <th scope="col" role="columnheader" className="right">
                Total
              </th>
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map(row => (
              <tr key={row.key} role="row">
                <th scope="row" role="rowheader" data-title={HEADINGS[by]}>
                  {row.label}
                </th>
                <Cells row={row} />
              </tr>
            ))}
          </tbody>
          <tfoot role="rowgroup">
            <tr role="row">
              <th scope="row" role="rowheader" data-title={HEADINGS[by]}>
                All
              </th>
              <Cells row={total} />
            </tr>
          </tfoot>
        </table>
      </TableFrame>
    </>
  )
}

function Cells({ row }: { row: AgeingAnswer['total'] }) {
  return (
    <>
      <td role="cell" data-title="Students" className="right">
        {formatCount(row.students)}
      </td>
      {BUCKETS.map(([key, label]) => (
        <td
          key={key}
          role="cell"
          data-title={label}
          className={row[key] === 0 ? 'right nowrap is-empty' : 'right nowrap'}
        >
          {row[key] === 0 ? <span className="faint">–</span> : formatRupees(row[key])}
        </td>
      ))}
      <td role="cell" data-title="Total" className="right nowrap">
        <strong>{formatRupees(row.total)}</strong>
      </td>
    </>
  )
}
