import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ErpSettingsAnswer } from '../../../../../src/console/developers/developers.routes.ts'
import { useCommand } from '../../../api/command.ts'
import { get } from '../../../api/client.ts'
import { useInstitute, useInstitutePath, useMay } from '../../../api/session.ts'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
import { Summary } from '../../../ui/detail.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { When } from '../../../ui/when.tsx'
import { DevelopersFrame } from '../developers-frame.tsx'
import { ErpForm, type ErpSettings, type ErpPlace } from './form.tsx'
import { ErpTest } from './test.tsx'
import { LastFetches } from './last-fetches.tsx'

/** Where the ERP is asked for students, a live test of it, and how it answered lately. */
export function ErpPage() {
  const path = useInstitutePath()
  const mayChange = useMay('owner', 'developer', 'operator')
  const erp = useQuery({
    queryKey: ['erp', path],
    queryFn: ({ signal }) => get<ErpSettingsAnswer>(`${path}/erp`, {}, signal),
  })
  return (
    <DevelopersFrame here="erp">
      {erp.isPending && <Loading />}
      {erp.isError && <Failed error={erp.error} retry={() => void erp.refetch()} />}
      {erp.isSuccess && (
        <>
          <Connections erp={erp.data} mayChange={mayChange} />
          {mayChange && erp.data.settings.length > 0 && <ErpTest branches={erp.data.branches} />}
          <LastFetches />
        </>
      )}
    </DevelopersFrame>
  )
}

function Connections({ erp, mayChange }: { erp: ErpSettingsAnswer; mayChange: boolean }) {
  const { name } = useInstitute()
  const whole: ErpPlace = { code: undefined, name }
  // An institute with one branch has one place for its settings.
  const places: ErpPlace[] =
    erp.branches.length === 1
      ? [whole]
      : [whole, ...erp.branches.map(branch => ({ code: branch.collector_code, name: branch.name }))]
  return places.map(place => (
    <Connection
      key={place.code ?? ''}
      place={place}
      settings={erp.settings.find(one => one.collector_code === place.code)}
      hasFallback={place.code !== undefined && erp.settings.some(one => one.collector_code === undefined)}
      mayChange={mayChange}
    />
  ))
}

type Props = { place: ErpPlace; settings: ErpSettings | undefined; hasFallback: boolean; mayChange: boolean }

function Connection({ place, settings, hasFallback, mayChange }: Props) {
  const isOwner = useMay('owner')
  const [asked, setAsked] = useState<'change' | 'remove' | null>(null)
  const close = (): void => setAsked(null)
  return (
    <section className="card" aria-label={place.name}>
      <h2 className="section-title">{place.name}</h2>
      {settings === undefined ? (
        <p>
          {hasFallback
            ? 'Asked as the whole institute is.'
            : 'No ERP is connected: the stored data is used as it is.'}
        </p>
      ) : (
        <Summary
          fields={[
            { label: 'Asked at', value: <span className="mono">{settings.url}</span> },
            { label: 'Knows us by', value: authLabel(settings) },
            { label: 'Is sent', value: <span className="mono">{settings.lookup.join(', ')}</span> },
            {
              label: 'Payment schedule',
              value: settings.custom_schedule ? "The ERP's own is used" : 'Bursar makes it',
            },
            { label: 'Calls at once', value: settings.max_calls },
            { label: 'Set', value: <When at={settings.updated_at} isReal /> },
          ]}
        />
      )}
      {settings === undefined && mayChange && !isOwner && <p className="faint">An owner connects it.</p>}
      <Group mt="sm" gap="xs">
        {(settings === undefined ? isOwner : mayChange) && (
          <Button variant="default" onClick={() => setAsked('change')}>
            {settings === undefined ? 'Connect' : 'Change'}
          </Button>
        )}
        {settings !== undefined && mayChange && (
          <Button variant="default" onClick={() => setAsked('remove')}>
            Disconnect
          </Button>
        )}
      </Group>
      {asked === 'change' && <ErpForm place={place} settings={settings} onClose={close} />}
      {asked === 'remove' && <Disconnect place={place} onClose={close} />}
    </section>
  )
}

function authLabel({ auth, username, header_name: header }: ErpSettings): string {
  if (auth === 'none') return 'Nothing: anybody may ask it'
  return auth === 'basic' ? `User name ${username} and a password` : `The header ${header}`
}

function Disconnect({ place, onClose }: { place: ErpPlace; onClose: () => void }) {
  const path = useInstitutePath()
  const remove = useCommand<{ collector_code?: string | undefined; reason: string }>({
    method: 'DELETE',
    path: `${path}/erp`,
    refreshes: ['erp', 'flex', 'audit'],
    onDone() {
      notify('The ERP is disconnected.')
      onClose()
    },
  })
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title={`Disconnect the ERP of ${place.name}?`}
      description="Students are no longer fetched before a debit: instalments are debited as recorded here, even for students who have left."
      verb="Disconnect"
      isDangerous
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={reason => remove.mutate({ collector_code: place.code, reason })}
    />
  )
}
