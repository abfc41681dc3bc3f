import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { download, type Query } from '../../api/client.ts'
import { useInstitute, useInstitutePath, useMay } from '../../api/session.ts'
import { formatCount } from '../../ui/money.tsx'
import type { PickedRows } from '../../ui/table/data-table.tsx'
import { notify } from '../../ui/toasts.tsx'
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
      <DemandNotices list={list} sent={filters} />
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

function DemandNotices({ list, sent }: Props) {
  const path = useInstitutePath()
  const [isBusy, setIsBusy] = useState(false)
  const start = async (): Promise<void> => {
    setIsBusy(true)
    try {
      notify(`Saved as ${await download(`${path}/demand-notices`, { ...sent, list })}`)
    } catch (error) {
      notify(error instanceof Error ? error.message : 'The notices could not be made. Try again in a moment.')
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <Button variant="default" size="xs" loading={isBusy} onClick={() => void start()}>
      Demand notices (PDF)
    </Button>
  )
}
