import { Alert, Button, Group, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { RunAnswer } from '../../../../src/reminders/reminder.list.ts'
import type { PreviewAnswer, TextAnswer } from '../../../../src/reminders/reminder.schemas.ts'
import { get } from '../../api/client.ts'
import { useCommand } from '../../api/command.ts'
import { Problem } from '../../ui/problem.tsx'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { PageFrame } from '../../ui/page.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'
import { BackToReminders } from './back-to-reminders.tsx'
import { MessageFields, type Draft } from './message-fields.tsx'
import { counted } from '../../ui/money.tsx'

type Search = Readonly<Record<string, string | undefined>>

/** Whom: those that were picked, or all of a list with its filters. */
function selectionOf({ students, ...filters }: Search): Record<string, unknown> {
  return students === undefined ? filters : { student_ids: students.split(',') }
}

/** The text, a real example of it, and whom it goes to. */
export function ComposePage() {
  const path = useInstitutePath()
  const texts = useQuery({
    queryKey: ['reminder-texts', path],
    queryFn: ({ signal }) => get<TextAnswer[]>(`${path}/reminder-texts`, {}, signal),
  })
  return (
    <PageFrame title="Remind families" back={<BackToReminders />}>
      {texts.isPending && <Loading />}
      {texts.isError && <Failed error={texts.error} retry={() => void texts.refetch()} />}
      {texts.isSuccess && <Compose texts={texts.data} />}
    </PageFrame>
  )
}

function Compose({ texts }: { texts: readonly TextAnswer[] }) {
  const path = useInstitutePath()
  const { code: institute } = useInstitute()
  const navigate = useNavigate()
  const search: Search = useSearch({ strict: false })
  const [draft, setDraft] = useState<Draft>({
    language: texts[0]?.language ?? 'en',
    subject: texts[0]?.subject ?? '',
    body: texts[0]?.body ?? '',
    scope: search['list'] === 'defaulters' ? 'overdue' : 'all',
    channels: ['email', 'sms'],
    force: false,
  })
  const sent = { ...selectionOf(search), ...draft }
  const { force: _force, ...message } = sent
  const preview = useCommand<void, PreviewAnswer>({
    method: 'POST',
    path: `${path}/reminder-runs/preview`,
    body: () => message,
  })
  const save = useCommand({
    method: 'PUT',
    path: `${path}/reminder-texts`,
    body: () => ({ language: draft.language, subject: draft.subject, body: draft.body }),
    refreshes: ['reminder-texts'],
    onDone: () => notify('Saved as the text of your school.'),
  })
  const start = useCommand<void, RunAnswer>({
    method: 'POST',
    path: `${path}/reminder-runs`,
    body: () => sent,
    refreshes: ['reminder-runs'],
    onDone: run =>
      void navigate({ to: '/i/$institute/reminders/$run', params: { institute, run: run.id }, search: {} }),
  })
  const change = (changes: Partial<Draft>): void => {
    preview.reset()
    setDraft({ ...draft, ...changes })
  }
  const error = preview.error ?? start.error ?? save.error
  return (
    <form
      className="form"
      aria-label="Reminder"
      onSubmit={event => {
        event.preventDefault()
        preview.mutate()
      }}
    >
      <Stack gap="md">
        <MessageFields texts={texts} draft={draft} onChange={change} error={error} />
        <Problem error={error} otherwise="Not sent: see the fields." />
        <Group>
          <Button
            type="submit"
            variant={preview.isSuccess ? 'default' : 'filled'}
            loading={preview.isPending}
          >
            Preview
          </Button>
          <Button variant="default" loading={save.isPending} onClick={() => save.mutate()}>
            Save as our text
          </Button>
        </Group>
        {preview.data !== undefined && (
          <Shown preview={preview.data} isBusy={start.isPending} onSend={() => start.mutate()} />
        )}
      </Stack>
    </form>
  )
}

function Shown({
  preview: { families, students, sample },
  isBusy,
  onSend,
}: {
  preview: PreviewAnswer
  isBusy: boolean
  onSend: () => void
}) {
  return (
    <section aria-label="Preview">
      <p role="status">
        {`${counted(families, 'family', 'families')} of ${counted(students, 'student')}. Who owes nothing when its turn comes is left out, and your ERP is asked first where you have one.`}
      </p>
      {sample === undefined ? (
        <Alert color="yellow">Nobody of the first families owes anything of that.</Alert>
      ) : (
        <Alert color="gray" title={`To ${sample.to}`}>
          <p>
            <strong>{sample.subject}</strong>
          </p>
          <p style={{ whiteSpace: 'pre-wrap' }}>{sample.body}</p>
          <p className="faint">To the phone: {sample.short}</p>
        </Alert>
      )}
      <Group mt="md">
        <Button loading={isBusy} onClick={onSend}>
          {`Remind ${counted(families, 'family', 'families')}`}
        </Button>
      </Group>
    </section>
  )
}
