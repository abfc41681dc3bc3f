import { SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { HomeAnswer } from '../../../../src/console/home/home.routes.ts'
import type { AgeingAnswer } from '../../../../src/console/reports/dues.schemas.ts'
import { get } from '../../api/client.ts'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { counted, formatRupees } from '../../ui/money.tsx'
import { readable } from '../../ui/words.ts'
import { PanelRow } from './panel-row.tsx'
import { Stat } from './stat.tsx'

const AGES = [
  { key: 'days_0_30', label: 'Up to 30 days' },
  { key: 'days_31_60', label: '31 to 60 days' },
  { key: 'days_61_90', label: '61 to 90 days' },
  { key: 'days_over_90', label: 'More than 90 days' },
] as const

type By = 'age' | 'grade' | 'component'
const MOST_ROWS = 6

/** What is left to pay, by how late it is, by class or by fee. */
export function Owed({ home }: { home: HomeAnswer }) {
  const [by, setBy] = useState<By>('age')
  const { outstanding } = home
  return (
    <section className="panel" aria-label="Left to pay">
      <Stat
        label="Left to pay, all years"
        value={formatRupees(outstanding.amount)}
        note={`${counted(outstanding.students, 'student')}; ${formatRupees(outstanding.overdue_amount)} of ${counted(outstanding.overdue_students, 'student')} is overdue, late fees included`}
        to="/i/$institute/students"
        search={{ owing: 'yes', status: 'active' }}
      />
      <SegmentedControl
        size="xs"
        mt="sm"
        aria-label="Left to pay, by"
        data={[
          { value: 'age', label: 'Overdue by age' },
          { value: 'grade', label: 'By class' },
          { value: 'component', label: 'By fee' },
        ]}
        value={by}
        onChange={setBy}
      />
      <Parts by={by} />
    </section>
  )
}

function Parts({ by }: { by: By }) {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const asked = by === 'age' ? 'component' : by
  const ageing = useQuery({
    queryKey: ['money-ageing', path, asked],
    queryFn: ({ signal }) => get<AgeingAnswer>(`${path}/money/ageing`, { by: asked }, signal),
  })
  if (!ageing.isSuccess) return <div className="panel-rows panel-waits" role="status" aria-label="Loading…" />
  const { total, groups } = ageing.data
  if (by === 'age') {
    const most = Math.max(1, ...AGES.map(({ key }) => total[key]))
    return (
      <ul className="panel-rows">
        {AGES.map(({ key, label }) => (
          <PanelRow
            key={key}
            label={
              <Link to="/i/$institute/money" params={{ institute }} search={{ view: 'dues', bucket: key }}>
                {label}
              </Link>
            }
            amount={total[key]}
            share={total[key] / most}
            tone="waiting"
          />
        ))}
      </ul>
    )
  }
  const some = groups.slice(0, MOST_ROWS)
  const most = Math.max(1, ...some.map(group => group.total))
  return (
    <>
      <ul className="panel-rows">
        {some.map(group => (
          <PanelRow
            key={group.key}
            label={by === 'grade' ? `Class ${group.key}` : readable(group.key)}
            note={counted(group.students, 'student')}
            amount={group.total}
            share={group.total / most}
          />
        ))}
      </ul>
      <p className="panel-more">
        <Link
          to="/i/$institute/money"
          params={{ institute }}
          search={by === 'grade' ? { view: 'demand' } : { view: 'dues' }}
        >
          {by === 'grade' ? 'Collected of demanded, by class and month' : 'All fees, by age'}
        </Link>
      </p>
    </>
  )
}
