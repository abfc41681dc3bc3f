import { useNavigate } from '@tanstack/react-router'
import type { LeaverAnswer } from '../../../../src/leaving/leaver.list.ts'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { PageFrame } from '../../ui/page.tsx'
import type { Tone } from '../../ui/status-badge.tsx'
import { ExportMenu } from '../../ui/table/export-menu.tsx'
import { ListTable } from '../../ui/table/list-table.tsx'

const STATES: Record<LeaverAnswer['state'], { label: string; tone: Tone }> = {
  to_settle: { label: 'To settle', tone: 'waiting' },
  to_collect: { label: 'To collect', tone: 'waiting' },
  to_return: { label: 'To give back', tone: 'waiting' },
}

/** Students who left and with whom money is open. */
export function LeaversPage() {
  const path = `${useInstitutePath()}/leavers`
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  return (
    <PageFrame title="Leavers to settle">
      <ListTable<LeaverAnswer>
        name="Leavers to settle"
        path={path}
        queryKey="leavers"
        labels={{ state: STATES }}
        rowId={row => row.service_student_id}
        files={(sent, sort) => <ExportMenu path={`${path}/export`} sent={{ ...sent, sort }} />}
        onOpen={row =>
          void navigate({
            to: '/i/$institute/students/$student',
            params: { institute, student: row.service_student_id },
          })
        }
        empty={{
          title: 'Nothing is open with anybody who left',
          description:
            'Students who left with money open stand here until it is settled, paid or given back.',
        }}
      />
    </PageFrame>
  )
}
