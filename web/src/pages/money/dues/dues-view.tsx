import { Group, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { DefaulterAnswer } from '../../../../../src/console/reports/dues.list.ts'
import type { AgeingAnswer } from '../../../../../src/console/reports/dues.schemas.ts'
import { get } from '../../../api/client.ts'
import { useInstitute, useInstitutePath } from '../../../api/session.ts'
import { ListTable } from '../../../ui/table/list-table.tsx'
import { counted, formatRupees, Money, OnTheWay } from '../../../ui/money.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { useFilters, type Filter } from '../../../ui/table/use-filters.ts'
import { formatDay } from '../../../ui/when.tsx'
import { RemindButtons, RemindPicked } from '../../reminders/remind-buttons.tsx'
import { ExportMenu } from '../../../ui/table/export-menu.tsx'
import { LinksForPicked } from '../../students/actions/links-for-picked.tsx'
import { dayOfMoment } from '../texts.ts'
import { Ageing, BUCKETS } from './ageing.tsx'

const GROUPS: readonly Filter[] = [{ key: 'by', label: 'By' }]
const SHARED: readonly Filter[] = [
  { key: 'grade', label: 'Class' },
  { key: 'collector_code', label: 'Branch' },
  { key: 'academic_year_start', label: 'Year that begins in' },
]
const LIST: readonly Filter[] = [{ key: 'bucket', label: 'How late' }]
const LABELS = {
  bucket: Object.fromEntries(
    [['late', 'Overdue, however long'] as const, ...BUCKETS].map(([value, label]) => [value, { label }]),
  ),
}

export function DuesView() {
  const path = `${useInstitutePath()}/money`
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  const { values, set } = useFilters(GROUPS)
  const { values: shared } = useFilters(SHARED)
  const { values: list } = useFilters(LIST)
  const sent = { ...values, ...shared }
  const ageing = useQuery({
    queryKey: ['money-ageing', path, sent],
    queryFn: ({ signal }) => get<AgeingAnswer>(`${path}/ageing`, sent, signal),
    placeholderData: before => before,
  })
  return (
    <>
      {ageing.isSuccess && <Overdue overdue={ageing.data.overdue} today={ageing.data.today} />}
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
      <h2 className="section-title">{LISTED[list['bucket'] ?? 'late'] ?? LISTED['late']}</h2>
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

/** What the filter of the list shows. */
const LISTED: Record<string, string> = {
  late: 'Who is overdue, the longest first',
  not_due: 'Who has fees that are not due yet',
  days_0_30: 'Who has fees overdue by up to 30 days',
  days_31_60: 'Who has fees overdue by 31 to 60 days',
  days_61_90: 'Who has fees overdue by 61 to 90 days',
  days_over_90: 'Who has fees overdue by more than 90 days',
  no_due_day: 'Who has fees without a due day',
}

/** The one number that people open the page for. */
function Overdue({
  overdue: { amount, students, families },
  today,
}: Pick<AgeingAnswer, 'overdue' | 'today'>) {
  return (
    <p className="dues-overdue">
      <strong>{formatRupees(amount)} overdue</strong>{' '}
      {students > 0 &&
        `of ${counted(students, 'child', 'children')} of ${counted(families, 'family', 'families')}`}
      <span className="faint"> on {formatDay(today)}, late fees included</span>
    </p>
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
      {row.owed !== row.owed_in_all && (
        <div className="faint nowrap">of {formatRupees(row.owed_in_all)} in all</div>
      )}
      {row.late_fee_amount > 0 && (
        <div className="faint nowrap">+ {formatRupees(row.late_fee_amount)} late fee</div>
      )}
      {row.owed !== row.overdue_amount && row.overdue_amount > 0 && (
        <div className="faint nowrap">{formatRupees(row.overdue_amount)} overdue</div>
      )}
      <OnTheWay rupees={row.on_the_way_amount} />
    </>
  ),
}
