import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { RunAnswer } from '../../../../src/reminders/reminder.list.ts'
import { get } from '../../api/client.ts'
import { useCommand } from '../../api/command.ts'
import { useInstitutePath, useMay } from '../../api/session.ts'
import { Detail } from '../../ui/detail.tsx'
import { AwaitedPage } from '../../ui/page.tsx'
import { notify } from '../../ui/toasts.tsx'
import { When } from '../../ui/when.tsx'
import { BackToReminders } from './back-to-reminders.tsx'
import { RemindersTable } from './reminders-table.tsx'
import { LANGUAGE_NAMES, progressOf, SCOPE_TEXTS } from './texts.ts'

const REFRESH_MS = 3_000

/** One time that families were reminded: how far it is, and what became of each. */
export function RunPage() {
  const path = useInstitutePath()
  const { run: id = '' } = useParams({ strict: false })
  const run = useQuery({
    queryKey: ['reminder-run', path, id],
    queryFn: ({ signal }) => get<RunAnswer>(`${path}/reminder-runs/${id}`, {}, signal),
    refetchInterval: query => ((query.state.data?.waiting ?? 0) > 0 ? REFRESH_MS : false),
  })
  if (!run.isSuccess) return <AwaitedPage kind="Reminders" query={run} />
  const { subject, body, scope, language, channels, made_by, created_at } = run.data
  return (
    <>
      <BackToReminders />
      <Detail
        title="Reminders"
        actions={<CancelRest run={run.data} />}
        fields={[
          { label: 'Families', value: <strong role="status">{progressOf(run.data)}</strong> },
          {
            label: 'Those that wait',
            value:
              run.data.waiting > 0 && 'leave within the hours that the school’s settings have for reminders',
          },
          { label: 'Reminded of', value: SCOPE_TEXTS[scope] },
          {
            label: 'By',
            value: channels.map(one => (one === 'email' ? 'E-mail' : 'SMS or WhatsApp')).join(', '),
          },
          { label: 'Language', value: LANGUAGE_NAMES[language] ?? language },
          { label: 'Sent by', value: made_by },
          { label: 'When', value: <When at={created_at} /> },
        ]}
      >
        <h2 className="section-title">{subject}</h2>
        <p style={{ whiteSpace: 'pre-wrap' }}>{body}</p>
        <h2 className="section-title">Families</h2>
        <RemindersTable
          name="Families"
          path={`${path}/reminder-runs/${id}/families`}
          // Read again whenever some of them were decided.
          queryKey={`reminder-families-${run.data.waiting}`}
          keepsRows
          empty={{ title: 'No family', description: 'This run was for nobody.' }}
        />
      </Detail>
    </>
  )
}

function CancelRest({ run: { id, waiting } }: { run: RunAnswer }) {
  const path = useInstitutePath()
  const cancel = useCommand({
    method: 'POST',
    path: `${path}/reminder-runs/${id}/cancel`,
    body: () => ({}),
    refreshes: ['reminder-run', 'reminder-runs'],
    onDone: () => notify('Those that waited are not reminded.'),
  })
  if (!useMay('owner', 'finance') || waiting === 0) return null
  return (
    <Button variant="default" color="red" loading={cancel.isPending} onClick={() => cancel.mutate()}>
      Cancel the {waiting} that wait
    </Button>
  )
}
