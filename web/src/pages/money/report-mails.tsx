import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReportMailAnswer } from '../../../../src/console/reports/mailing/mailing.schemas.ts'
import { get } from '../../api/client.ts'
import { problemOf, useCommand } from '../../api/command.ts'
import { useInstitutePath, useMay } from '../../api/session.ts'
import { Problem } from '../../ui/problem.tsx'
import { Dialogue } from '../../ui/dialogue/dialogue.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { formatMoment } from '../../ui/when.tsx'

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const REFRESHES = ['report-mails', 'audit']

type What = ReportMailAnswer['what']

const WORDS: Record<What, { title: string; say: string; none: string; act: string; refused: string }> = {
  figures: {
    title: 'Report by mail',
    say: 'What came in, what is owed and overdue, in the morning of the day that you choose.',
    none: 'Nobody gets it yet.',
    act: 'Mail the report',
    refused: 'An owner decides who gets it.',
  },
  class_sheets: {
    title: 'Mail to class teachers',
    say: 'Each class teacher with an e-mail address gets who of the class is late, as PDF, in the morning of the day that you choose. Where nobody is late no mail is sent.',
    none: 'They get none yet.',
    act: 'Mail the class teachers',
    refused: 'An owner decides whether they get it.',
  },
}

/** Who gets the figures of a week or month by mail, or that class teachers get their lists. */
export function ReportMails({ what = 'figures', onClose }: { what?: What; onClose: () => void }) {
  const path = `${useInstitutePath()}/money/report-mails`
  const mayChange = useMay('owner')
  const mails = useQuery({
    queryKey: ['report-mails', path],
    queryFn: ({ signal }) => get<ReportMailAnswer[]>(path, {}, signal),
  })
  const remove = useCommand<string>({
    method: 'DELETE',
    path: id => `${path}/${id}`,
    body: () => ({}),
    refreshes: REFRESHES,
  })
  const words = WORDS[what]
  const sent = mails.data?.filter(mail => mail.what === what)
  return (
    <Dialogue onClose={onClose} title={words.title}>
      <p>{words.say}</p>
      {mails.isPending && <Loading />}
      {mails.isError && <Failed error={mails.error} retry={() => void mails.refetch()} />}
      {sent?.map(mail => (
        <Group key={mail.id} justify="space-between" wrap="nowrap" mb="sm">
          <span>
            {[dayName(mail), mail.recipients.join(', ')].filter(Boolean).join(': ')}
            <br />
            <span className="faint">Next on {formatMoment(mail.next_at)}</span>
          </span>
          {mayChange && (
            <Button size="xs" variant="default" onClick={() => remove.mutate(mail.id)}>
              Stop
            </Button>
          )}
        </Group>
      ))}
      {sent?.length === 0 && <p className="faint">{words.none}</p>}
      {mayChange ? <AddForm path={path} what={what} /> : <p>{words.refused}</p>}
    </Dialogue>
  )
}

function dayName({ every, day }: Pick<ReportMailAnswer, 'every' | 'day'>): string {
  return every === 'week' ? `Every ${WEEKDAYS[day - 1]}` : `Every month on day ${day}`
}

const CHOICES = [
  ...WEEKDAYS.map((_, index) => ({ every: 'week' as const, day: index + 1 })),
  ...Array.from({ length: 28 }, (_, index) => ({ every: 'month' as const, day: index + 1 })),
].map(choice => ({ value: `${choice.every} ${choice.day}`, label: dayName(choice) }))

function AddForm({ path, what }: { path: string; what: What }) {
  const [when, setWhen] = useState('week 1')
  const [recipients, setRecipients] = useState('')
  const add = useCommand<Record<string, unknown>>({
    method: 'POST',
    path,
    refreshes: REFRESHES,
    onDone: () => setRecipients(''),
  })
  const addresses = recipients.split(/[\s,;]+/).filter(one => one !== '')
  const wrong = addresses.map((_, index) => problemOf(add.error, `recipients.${index}`)).find(Boolean)
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        const [every, day] = when.split(' ')
        add.mutate({ what, every, day: Number(day), recipients: addresses })
      }}
    >
      <Stack gap="sm">
        <NativeSelect
          label="When"
          data={CHOICES}
          value={when}
          onChange={event => setWhen(event.currentTarget.value)}
        />
        {what === 'figures' && (
          <TextInput
            label="E-mail addresses"
            description="Several with commas between them."
            value={recipients}
            onChange={event => setRecipients(event.currentTarget.value)}
            error={wrong ?? problemOf(add.error, 'recipients')}
          />
        )}
        <Problem error={add.error} />
        <Group justify="flex-end">
          <Button
            type="submit"
            loading={add.isPending}
            disabled={what === 'figures' && addresses.length === 0}
          >
            {WORDS[what].act}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
