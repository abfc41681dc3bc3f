import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { problemOf, useCommand } from '../../api/command.ts'
import { useInstitutePath } from '../../api/session.ts'
import { plainAmount } from '../../ui/form/amount.ts'
import { AmountInput } from '../../ui/form/amount-input.tsx'
import { formatRupees } from '../../ui/money.tsx'
import { Problem } from '../../ui/problem.tsx'
import { notify } from '../../ui/toasts.tsx'

const KINDS = [
  { value: 'float', label: 'Change put in' },
  { value: 'hand_over', label: 'Cash handed over' },
]
const HANDED = KINDS.slice(1)
const EMPTY = { amount: '', note: '' }

/**
 * Cash of one's own drawer that no family gave: the change of the morning, and what is given on. What stayed in the drawer
 * of an earlier `day` is given on there.
 */
export function DrawerForm({ day, inDrawer }: { day: string | undefined; inDrawer: number }) {
  const kinds = day === undefined ? KINDS : HANDED
  const [entry, setEntry] = useState({ ...EMPTY, kind: kinds[0]?.value ?? '' })
  const record = useCommand<Record<string, unknown>>({
    method: 'POST',
    path: `${useInstitutePath()}/counter/drawer`,
    refreshes: ['counter', 'audit'],
    onDone() {
      notify('It stands in the cash book.')
      setEntry({ ...entry, ...EMPTY })
    },
  })
  const put = (key: keyof typeof entry) => (value: string) => setEntry({ ...entry, [key]: value })
  const set = (key: keyof typeof entry) => (event: { currentTarget: { value: string } }) =>
    put(key)(event.currentTarget.value)
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        record.mutate({ ...entry, amount: plainAmount(entry.amount), ...(day === undefined ? {} : { day }) })
      }}
    >
      <Group align="flex-start" mb="md" gap="sm">
        <NativeSelect label="My drawer" data={kinds} value={entry.kind} onChange={set('kind')} />
        <AmountInput
          label="Cash, rupees"
          required
          value={entry.amount}
          onChange={put('amount')}
          error={problemOf(record.error, 'amount')}
        />
        <TextInput
          label={entry.kind === 'float' ? 'From where' : 'To whom'}
          required
          value={entry.note}
          onChange={set('note')}
          error={problemOf(record.error, 'note')}
        />
        <Button mt={22} type="submit" variant="default" loading={record.isPending}>
          Write it down
        </Button>
      </Group>
      {inDrawer > 0 && <p>By the cash book {formatRupees(inDrawer)} is in my drawer.</p>}
      <Problem error={record.error} />
    </form>
  )
}
