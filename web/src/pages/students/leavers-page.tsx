import { useNavigate } from '@tanstack/react-router'
import type { LeaverAnswer } from '../../../../src/leaving/leaver.list.ts'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { formatRupees } from '../../ui/money.tsx'
import { PageFrame } from '../../ui/page.tsx'
import type { Tone } from '../../ui/status-badge.tsx'
import { ExportMenu } from '../../ui/table/export-menu.tsx'
import { ListTable } from '../../ui/table/list-table.tsx'

const STATES: Record<LeaverAnswer['state'], { label: string; tone: Tone }> = {
  to_settle: { label: 'To settle', tone: 'waiting' },
  to_collect: { label: 'To collect', tone: 'waiting' },
  to_return: { label: 'To give back', tone: 'waiting' },
  on_the_way: { label: 'On the way', tone: 'waiting' },
  to_hand_back: { label: 'Cheques to hand back', tone: 'waiting' },
  settled: { label: 'Settled', tone: 'good' },
}

const shown = (rupees: number): string => (rupees > 0 ? formatRupees(rupees) : '')

/** Sums that are nothing are left out, so that what is open stands out. */
const CELLS = {
  owed: (row: LeaverAnswer) => shown(row.owed),
  on_the_way_amount: (row: LeaverAnswer) => shown(row.on_the_way_amount),
  advance: (row: LeaverAnswer) => shown(row.advance),
}

/** All who left, and what is open with each. */
export function LeaversPage() {
  const path = `${useInstitutePath()}/leavers`
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  return (
    <PageFrame title="Leavers">
      <ListTable<LeaverAnswer>
        name="Leavers"
        path={path}
        queryKey="leavers"
        labels={{ state: STATES }}
        cells={CELLS}
        rowId={row => row.service_student_id}
        files={(sent, sort) => <ExportMenu path={`${path}/export`} sent={{ ...sent, sort }} />}
        onOpen={row =>
          void navigate({
            to: '/i/$institute/students/$student',
            params: { institute, student: row.service_student_id },
          })
        }
        empty={{
          title: 'Nobody has left',
          description: 'Whoever leaves stands here, with what is owed, to be given back or on the way.',
        }}
      />
    </PageFrame>
  )
}
