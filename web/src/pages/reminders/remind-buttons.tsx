import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { download, type Query } from '../../api/client.ts'
import { useInstitute, useInstitutePath, useMay } from '../../api/session.ts'
import { formatCount } from '../../ui/money.tsx'
import type { PickedRows } from '../../ui/table/data-table.tsx'
import { notifyWhile } from '../../ui/toasts.tsx'
import { LinkButton } from '../../ui/link/link-button.tsx'

type Props = { list: 'defaulters' | 'students'; sent: Query }

/** Acts on everybody that a list shows with its filters. */
export function RemindButtons({ list, sent }: Props) {
  const { code: institute } = useInstitute()
  const filters = filled(sent)
  return (
    <Group gap="xs">
      {useMay('owner', 'finance') && (
        <LinkButton
          variant="default"
          size="xs"
          to="/i/$institute/reminders/new"
          params={{ institute }}
          search={{ ...filters, list }}
        >
          Remind families
        </LinkButton>
      )}
      <Papers path="demand-notices" label="Demand notices (PDF)" sent={{ ...filters, list }} />
      {list === 'students' && (
        <>
          <Papers path="student-cards" label="Fee cards (PDF)" sent={{ ...filters, list }} />
          <Papers path="student-cards" label="UPI cards (PDF)" sent={{ ...filters, list, code: 'upi' }} />
        </>
      )}
    </Group>
  )
}

/** Acts on those that were picked one by one, or on all that fit. */
export function RemindPicked({ list, picked }: { list: Props['list']; picked: PickedRows }) {
  const { code: institute } = useInstitute()
  if (!useMay('owner', 'finance')) return null
  const search =
    picked.ids === undefined ? { ...filled(picked.all), list } : { students: picked.ids.join(',') }
  const count = picked.ids === undefined ? picked.count : picked.ids.length
  return (
    <LinkButton size="xs" to="/i/$institute/reminders/new" params={{ institute }} search={search}>
      {count === 1 ? 'Remind the family' : `Remind the families of ${formatCount(count)}`}
    </LinkButton>
  )
}

function filled(sent: Query): Query {
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined))
}

type PapersProps = { path: string; label: string; sent: Query }

/** A file that may take a while: it is saved when it is ready, on whatever page one is by then. */
function Papers({ path: name, label, sent }: PapersProps) {
  const path = useInstitutePath()
  const [isBusy, setIsBusy] = useState(false)
  const start = async (): Promise<void> => {
    setIsBusy(true)
    await notifyWhile(`${label}: being made. You can go on working.`, async say => {
      const sayBytes = (bytes: number): void => {
        const size = (bytes / 1_000_000).toFixed(1)
        if (size !== '0.0') say(`${label}: ${size} MB so far. You can go on working.`)
      }
      try {
        return `Saved as ${await download(`${path}/${name}`, sent, sayBytes)}`
      } catch (error) {
        return error instanceof Error ? error.message : 'The file could not be made. Try again in a moment.'
      }
    })
    setIsBusy(false)
  }
  return (
    <Button variant="default" size="xs" loading={isBusy} onClick={() => void start()}>
      {label}
    </Button>
  )
}
