import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ProvidersAnswer } from '../../../../src/console/operator/operator.schemas.ts'
import { get } from '../../api/client.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { formatRupees } from '../../ui/money.tsx'
import { When } from '../../ui/when.tsx'
import { ResolveDialogue } from '../money/settlements/resolve-dialogue.tsx'
import { OperatorFrame } from './operator-frame.tsx'
import { StaticTable } from '../developers/static-table.tsx'

type Provider = ProvidersAnswer['payments'][number]

/** What is set up by the configuration. Changing it takes a new start, so nothing can be changed here. */
export function ProvidersPage() {
  const providers = useQuery({
    queryKey: ['providers'],
    queryFn: ({ signal }) => get<ProvidersAnswer>('/operator/providers', {}, signal),
  })
  return (
    <OperatorFrame here="providers">
      {providers.isPending && <Loading />}
      {providers.isError && <Failed error={providers.error} retry={() => void providers.refetch()} />}
      {providers.isSuccess && <Setup setup={providers.data} />}
    </OperatorFrame>
  )
}

const CHANNEL_LABELS = { email: 'E-mail', sms: 'SMS', whatsapp: 'WhatsApp' } as const

function Setup({ setup }: { setup: ProvidersAnswer }) {
  return (
    <>
      <p className="faint">
        Set by the environment of the process (<span className="mono">npx bursar config</span> shows every
        key). Secrets are never shown.
      </p>
      <h2 className="section-title">Payments</h2>
      <Providers
        name="Payments"
        providers={setup.payments}
        none="No provider is set up: nothing can be paid online."
        mode={setup.mode}
      />
      <Accounts accounts={setup.accounts} />
      <Unmatched reports={setup.unmatched} />
      <h2 className="section-title">Loans</h2>
      <Providers name="Loans" providers={setup.lenders} none="No lender is set up." mode={setup.mode} />
      <h2 className="section-title">Messages</h2>
      <StaticTable name="Messages" headings={['Channel', 'Leaves by']}>
        {setup.channels.map(({ channel, by }) => (
          <tr key={channel}>
            <td>{CHANNEL_LABELS[channel]}</td>
            <td>{by ?? <StatusBadge tone="waiting">Nothing is set up</StatusBadge>}</td>
          </tr>
        ))}
      </StaticTable>
    </>
  )
}

function Providers({
  name,
  providers,
  none,
  mode,
}: {
  name: string
  providers: readonly Provider[]
  none: string
  mode: ProvidersAnswer['mode']
}) {
  if (providers.length === 0) return <p>{none}</p>
  return (
    <StaticTable name={name} headings={['Name', 'Mode', 'Used for', 'New ones go to it']}>
      {providers.map(provider => (
        <tr key={provider.name}>
          <td>{provider.name}</td>
          <td>{provider.key === undefined ? mode : `${provider.key} key`}</td>
          <td>{provider.does.join(', ')}</td>
          <td>{provider.is_current ? <StatusBadge tone="good">Yes</StatusBadge> : 'No'}</td>
        </tr>
      ))}
    </StaticTable>
  )
}

/** Owners set them up in their own settings. */
function Accounts({ accounts }: { accounts: ProvidersAnswer['accounts'] }) {
  return (
    <>
      <h2 className="section-title">Accounts of institutes</h2>
      {accounts.length === 0 ? (
        <p>No institute has an account of its own.</p>
      ) : (
        <StaticTable
          name="Accounts of institutes"
          headings={['Institute', 'Account', 'State', 'Last callback']}
        >
          {accounts.map(account => (
            <tr key={account.id}>
              <td>{account.institute}</td>
              <td>
                {account.title} ({account.provider})
              </td>
              <td>{account.check_problem ?? account.state}</td>
              <td>{account.heard_at === undefined ? 'None yet' : <When at={account.heard_at} />}</td>
            </tr>
          ))}
        </StaticTable>
      )}
    </>
  )
}

/** Nobody else sees these: they belong to no institute. */
function Unmatched({ reports }: { reports: ProvidersAnswer['unmatched'] }) {
  const [open, setOpen] = useState<ProvidersAnswer['unmatched'][number] | null>(null)
  if (reports.length === 0) return null
  return (
    <>
      <h2 className="section-title">Reported money of no institute</h2>
      <p className="faint">
        Look each reference up in the provider’s dashboard. Nothing was assigned: the money may be of another
        business that uses the same account.
      </p>
      <StaticTable
        name="Reported money of no institute"
        headings={[
          'Noticed',
          'Account',
          'Reference',
          'Problem',
          { title: 'Amount', align: 'right' },
          'Actions',
        ]}
      >
        {reports.map(report => (
          <tr key={report.id}>
            <td>
              <When at={report.noticed_at} />
            </td>
            <td>{report.account_id}</td>
            <td className="mono">
              {[report.provider_ref, report.utr].filter(text => text !== '').join(', ')}
            </td>
            <td>{report.problem}</td>
            <td className="right">{formatRupees(report.reported)}</td>
            <td>
              <Button variant="default" size="xs" onClick={() => setOpen(report)}>
                Looked at
              </Button>
            </td>
          </tr>
        ))}
      </StaticTable>
      {open !== null && (
        <ResolveDialogue
          path={`/operator/providers/unmatched/${open.id}`}
          what={open.provider_ref}
          refreshes={['providers', 'audit']}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  )
}
