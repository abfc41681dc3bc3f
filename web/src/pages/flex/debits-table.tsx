import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { DebitAnswer } from '../../../../src/console/flex/debit.list.ts'
import type { Query } from '../../api/client.ts'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { ListTable } from '../../ui/table/list-table.tsx'
import { formatDay } from '../../ui/when.tsx'
import { studentCell } from './student-column.tsx'
import { DEBIT_LABELS, sentence } from './texts.ts'

function reasonOf({ reason, why }: DebitAnswer): string {
  if (reason !== undefined) return `${reason.message} (code ${reason.code})`
  // An ERP's answer is kept as its code and its words.
  const [, code, words] = /^([a-z_]+): (.+)$/s.exec(why ?? '') ?? []
  return words === undefined ? sentence(why ?? '') : `${words} (${code})`
}

const CELLS = {
  student_name: studentCell,
  reason: reasonOf,
  due_date: ({ due_date: day, number }: DebitAnswer) => (
    <span className="nowrap">
      {formatDay(day)}
      <span className="faint"> no. {number}</span>
    </span>
  ),
}
const LABELS = { status: { coming: { label: 'To come' }, ...DEBIT_LABELS } }
/** What the page of one day leaves out. */
const OF_DAYS = ['day', 'from', 'to', 'return_code']

export function DebitsTable({
  name,
  day,
  empty,
}: {
  name: string
  day?: string
  empty: { title: string; description: ReactNode }
}) {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  const query: Query = day === undefined ? {} : { from: day, to: day }
  return (
    <ListTable<DebitAnswer>
      name={name}
      path={`${path}/flex/debits`}
      queryKey="flex"
      cells={CELLS}
      labels={LABELS}
      without={day === undefined ? [] : OF_DAYS}
      rowId={row => row.id}
      query={query}
      onOpen={row =>
        void navigate({ to: '/i/$institute/flex/plans/$plan', params: { institute, plan: row.plan_id } })
      }
      empty={empty}
    />
  )
}
