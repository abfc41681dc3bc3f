import { Group, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { DefaulterAnswer } from '../../../../../src/console/reports/dues.list.ts'
import type { AgeingAnswer } from '../../../../../src/console/reports/dues.schemas.ts'
import { get } from '../../../api/client.ts'
import { useInstitute, useInstitutePath } from '../../../api/session.ts'
import { ListTable } from '../../../ui/table/list-table.tsx'
import { Bars } from '../../../ui/chart/bars.tsx'
import { Chart, type Series, type Tone } from '../../../ui/chart/chart.tsx'
import { counted, formatCount, formatRupees, formatShortRupees, Money, OnTheWay } from '../../../ui/money.tsx'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { useFilters, type Filter } from '../../../ui/table/use-filters.ts'
import { formatDay } from '../../../ui/when.tsx'
import { RemindButtons, RemindPicked } from '../../reminders/remind-buttons.tsx'
import { ExportMenu } from '../../../ui/table/export-menu.tsx'
import { LinksForPicked } from '../../students/actions/links-for-picked.tsx'
import { dayOfMoment } from '../texts.ts'
import { readable } from '../../../ui/words.ts'
import { TableFrame } from '../../../ui/table/frame.tsx'

const AGE_TONES: readonly Tone[] = ['rest', 'late-1', 'late-2', 'late-3', 'late-4', 'plain']
const BUCKETS = [
  ['not_due', 'Not due'],
  ['days_0_30', '0–30 days'],
  ['days_31_60', '31–60 days'],
  ['days_61_90', '61–90 days'],
  ['days_over_90', 'Over 90 days'],
  ['no_due_day', 'No due day'],
] as const

/** In the order of the buckets. */
const AGES: readonly Series[] = BUCKETS.map(([, label], no) => ({ label, tone: AGE_TONES[no] ?? 'plain' }))

const GROUPS: readonly Filter[] = [{ key: 'by', label: 'By' }]
const SHARED: readonly Filter[] = [
  { key: 'grade', label: 'Class' },
  { key: 'collector_code', label: 'Branch' },
  { key: 'academic_year_start', label: 'Year that begins in' },
]
const LABELS = {
  bucket: Object.fromEntries(
    [['late', 'Late at all'] as const, ...BUCKETS].map(([value, label]) => [value, { label }]),
  ),
}

export function DuesView() {
  const path = `${useInstitutePath()}/money`
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  const { values, set } = useFilters(GROUPS)
  const { values: shared } = useFilters(SHARED)
  const sent = { ...values, ...shared }
  const ageing = useQuery({
    queryKey: ['money-ageing', path, sent],
    queryFn: ({ signal }) => get<AgeingAnswer>(`${path}/ageing`, sent, signal),
    placeholderData: before => before,
  })
  return (
    <>
      <div className="money-bar">
        <NativeSelect
          size="xs"
          label="Left to pay, by"
          value={values['by'] ?? 'component'}
          onChange={event => set({ by: event.currentTarget.value })}
          data={[
            { value: 'component', label: 'Fee' },
            { value: 'grade', label: 'Class' },
            { value: 'branch', label: 'Branch' },
          ]}
        />
        <ExportMenu path={`${path}/ageing/export`} sent={sent} />
      </div>
      {ageing.isPending && <Loading />}
      {ageing.isError && <Failed error={ageing.error} retry={() => void ageing.refetch()} />}
      {ageing.isSuccess && <Ageing ageing={ageing.data} />}
      <h2 className="section-title">Who owes</h2>
      <ListTable<DefaulterAnswer>
        name="Defaulters"
        path={`${path}/defaulters`}
        queryKey="money-defaulters"
        labels={LABELS}
        cells={CELLS}
        rowId={row => row.service_student_id}
        onOpen={row =>
          void navigate({
            to: '/i/$institute/students/$student',
            params: { institute, student: row.service_student_id },
          })
        }
        picked={picked => (
          <>
            <RemindPicked list="defaulters" picked={picked} />
            <LinksForPicked list={`${path}/defaulters`} picked={picked} />
          </>
        )}
        files={(filtered, sort) => (
          <Group gap="xs">
            <RemindButtons list="defaulters" sent={filtered} />
            <ExportMenu path={`${path}/defaulters/export`} sent={{ ...filtered, sort }} />
          </Group>
        )}
        empty={{
          title: 'Nobody is late',
          description:
            'Students with overdue fees are listed here, with whom to call. Due dates are part of the payment rules; without one nothing is overdue.',
        }}
      />
    </>
  )
}

const CELLS = {
  fullname: (row: DefaulterAnswer) => (
    <>
      {row.fullname}
      <div className="faint">{row.identifier}</div>
    </>
  ),
  contact_name: (row: DefaulterAnswer) => (
    <>
      {row.contact_name}
      <div className="nowrap">
        <a href={`tel:${row.contact_number.replaceAll(/[^\d+]/g, '')}`}>{row.contact_number}</a>
      </div>
      <div className="faint">{row.contact_email}</div>
    </>
  ),
  days_late: (row: DefaulterAnswer) =>
    row.days_late === undefined ? (
      <span className="faint">
        {row.oldest_due_on === undefined ? 'No due day' : `Due ${formatDay(row.oldest_due_on)}`}
      </span>
    ) : (
      <>
        <span className="nowrap">{counted(row.days_late, 'day')}</span>{' '}
        {row.has_plan && <StatusBadge tone="waiting">On a plan</StatusBadge>}
        {row.oldest_due_on !== undefined && (
          <div className="faint nowrap">since {formatDay(row.oldest_due_on)}</div>
        )}
      </>
    ),
  last_paid_at: (row: DefaulterAnswer) =>
    row.last_paid_at === undefined ? (
      <span className="faint">None</span>
    ) : (
      <>
        <span className="nowrap">{row.last_paid !== undefined && formatRupees(row.last_paid)}</span>
        <div className="faint nowrap">{dayOfMoment(row.last_paid_at)}</div>
      </>
    ),
  owed: (row: DefaulterAnswer) => (
    <>
      <strong>
        <Money rupees={row.owed} />
      </strong>
      {row.owed !== row.overdue_amount && row.overdue_amount > 0 && (
        <div className="faint">
          <span className="nowrap">{formatRupees(row.overdue_amount)}</span> overdue
          {row.late_fee_amount > 0 && ' with late fee'}
        </div>
      )}
      {row.owed !== row.owed_in_all && <div className="faint nowrap">of {formatRupees(row.owed_in_all)}</div>}
      <OnTheWay rupees={row.on_the_way_amount} />
    </>
  ),
}

const HEADINGS = { component: 'Fee', grade: 'Class', branch: 'Branch' }

function Ageing({
  ageing: { groups, total, by, today, on_the_way_amount: onTheWay },
}: {
  ageing: AgeingAnswer
}) {
  if (groups.length === 0) {
    return <Empty title="Nothing is owed" description="Every fee of every active student has been paid." />
  }
  const rows = groups.map(group => ({
    ...group,
    label: by === 'component' ? readable(group.key) : group.key,
  }))
  return (
    <>
      <p className="faint">
        As of {formatDay(today)}, by the school’s due days, without late fees.
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
