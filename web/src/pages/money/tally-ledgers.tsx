import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { TallyLedgerAnswer } from '../../../../src/console/reports/register.schemas.ts'
import { problemOf, useCommand } from '../../api/command.ts'
import { get } from '../../api/client.ts'
import { useInstitutePath, useMay } from '../../api/session.ts'
import { Problem } from '../../ui/problem.tsx'
import { useSaveFile } from '../../ui/file/save-file.tsx'
import { Dialogue } from '../../ui/dialogue/dialogue.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'
import { readable } from '../../ui/words.ts'

const ACCOUNTS: Record<string, string> = {
  clearing: 'Money held by the payment provider',
  bank: 'Bank account that settlements reach',
  cash: 'Cash at the counter',
  direct: 'Other money at the counter or to the bank',
  charges: 'What the provider keeps',
}

function labelOf({ subject, usual }: TallyLedgerAnswer): string {
  if (subject.startsWith('bank:')) return `Bank account ${usual}`
  return ACCOUNTS[subject] ?? readable(subject.replace(/^component:/, ''))
}

/** What our accounts and components are called in the institute's company in Tally. */
export function TallyLedgers({ onClose }: { onClose: () => void }) {
  const path = `${useInstitutePath()}/money/tally-ledgers`
  const ledgers = useQuery({
    queryKey: ['money-tally-ledgers', path],
    queryFn: ({ signal }) => get<TallyLedgerAnswer[]>(path, {}, signal),
  })
  return (
    <Dialogue onClose={onClose} title="Ledgers in Tally">
      {ledgers.isPending && <Loading />}
      {ledgers.isError && <Failed error={ledgers.error} retry={() => void ledgers.refetch()} />}
      {ledgers.isSuccess && <LedgerForm ledgers={ledgers.data} path={path} onClose={onClose} />}
    </Dialogue>
  )
}

type Props = { ledgers: readonly TallyLedgerAnswer[]; path: string; onClose: () => void }

function LedgerForm({ ledgers, path, onClose }: Props) {
  const mayChange = useMay('owner', 'finance')
  const { save } = useSaveFile()
  const [names, setNames] = useState(() => new Map(ledgers.map(({ subject, ledger }) => [subject, ledger])))
  const [reason, setReason] = useState('')
  const change = useCommand<{ ledgers: { subject: string; ledger: string }[]; reason: string }>({
    method: 'PUT',
    path,
    refreshes: ['money-tally-ledgers', 'audit'],
    onDone() {
      notify('Tally exports use these names from now on.')
      onClose()
    },
  })
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        const sent = ledgers.map(({ subject, usual }) => ({
          subject,
          ledger: names.get(subject)?.trim() || usual,
        }))
        change.mutate({ ledgers: sent, reason })
      }}
    >
      <Stack gap="xs">
        <p className="faint">
          Vouchers name ledgers, so the names have to be those of your company in Tally. If it has none of
          them yet, import the ledgers first.
        </p>
        <Group>
          <Button
            variant="default"
            size="xs"
            onClick={() => void save(`${path}/export`, { format: 'tally' })}
          >
            Save the ledgers for import
          </Button>
        </Group>
        {ledgers.map((entry, index) => (
          <TextInput
            key={entry.subject}
            label={labelOf(entry)}
            description={`Group: ${entry.group}`}
            size="xs"
            maxLength={99}
            disabled={!mayChange}
            value={names.get(entry.subject) ?? ''}
            placeholder={entry.usual}
            onChange={event => setNames(new Map(names).set(entry.subject, event.currentTarget.value))}
            error={problemOf(change.error, `ledgers.${index}.ledger`)}
          />
        ))}
        {mayChange && (
          <>
            <Textarea
              label="Reason"
              description="Recorded in the audit log."
              required
              maxLength={500}
              value={reason}
              onChange={event => setReason(event.currentTarget.value)}
              error={problemOf(change.error, 'reason')}
            />
            <Problem error={change.error} />
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={change.isPending}>
                Use these names
              </Button>
            </Group>
          </>
        )}
      </Stack>
    </form>
  )
}
