import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type {
  AccountAnswer,
  AccountSetupAnswer,
} from '../../../../../src/providers/accounts/account.schemas.ts'
import { get } from '../../../api/client.ts'
import { useInstitutePath, useMay } from '../../../api/session.ts'
import { SideDialogue } from '../../../ui/dialogue/dialogue.tsx'
import { PageFrame } from '../../../ui/page.tsx'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { ShortTable } from '../../../ui/table/short-table.tsx'
import { When } from '../../../ui/when.tsx'
import { SettingsTabs } from '../settings-tabs.tsx'
import { AccountDetail } from './account-detail.tsx'
import { AccountNumbers } from './account-numbers.tsx'
import { NewAccountDialogue } from './new-account-dialogue.tsx'
import { SettlementAccounts } from './settlement-accounts.tsx'
import { AccountBadge, usesOf } from './texts.tsx'

/** Where the institute's money goes: its own accounts at payment providers. */
export function AccountsPage() {
  const path = `${useInstitutePath()}/provider-accounts`
  const mayChange = useMay('owner', 'operator')
  const [isAdding, setIsAdding] = useState(false)
  const [openId, setOpenId] = useState<string | null>(null)
  const accounts = useQuery({
    queryKey: ['provider-accounts', path],
    queryFn: ({ signal }) => get<AccountAnswer[]>(path, {}, signal),
  })
  const setup = useQuery({
    queryKey: ['provider-accounts', path, 'setup'],
    queryFn: ({ signal }) => get<AccountSetupAnswer>(`${path}/setup`, {}, signal),
  })
  const failed = [accounts, setup].find(query => query.isError)
  const isReady = accounts.isSuccess && setup.isSuccess
  const open = accounts.data?.find(({ id }) => id === openId)
  return (
    <PageFrame
      title="Settings"
      actions={mayChange && isReady && <Button onClick={() => setIsAdding(true)}>Add an account</Button>}
    >
      <SettingsTabs here="accounts" />
      {!isReady && failed === undefined && <Loading />}
      {failed?.isError && <Failed error={failed.error} retry={() => void failed.refetch()} />}
      {isReady && (
        <>
          <Accounts accounts={accounts.data} onOpen={setOpenId} />
          <Branches branches={setup.data.branches} />
          <SettlementAccounts />
          <AccountNumbers />
          {open !== undefined && (
            <SideDialogue onClose={() => setOpenId(null)} title={open.title}>
              <AccountDetail account={open} setup={setup.data} mayChange={mayChange} />
            </SideDialogue>
          )}
          {isAdding && (
            <NewAccountDialogue
              setup={setup.data}
              onClose={() => setIsAdding(false)}
              onAdded={id => {
                setIsAdding(false)
                setOpenId(id)
              }}
            />
          )}
        </>
      )}
    </PageFrame>
  )
}

function Accounts({
  accounts,
  onOpen,
}: {
  accounts: readonly AccountAnswer[]
  onOpen: (id: string) => void
}) {
  if (accounts.length === 0)
    return (
      <Empty
        title="No account of your own yet"
        description="With an account of your own at a payment provider, what parents pay is settled straight to your bank. Until then it goes through the account of this installation, if it has one."
      />
    )
  return (
    <ShortTable
      name="Provider accounts"
      rows={accounts}
      rowId={({ id }) => id}
      columns={[
        {
          title: 'Account',
          cell: account => (
            <>
              <strong>{account.title}</strong>
              <div className="faint">
                {account.provider}, key {account.key_hint}
              </div>
            </>
          ),
        },
        { title: 'Branch', cell: ({ collector_code: branch }) => branch ?? 'All branches' },
        { title: 'Takes', cell: usesOf },
        { title: 'State', cell: account => <AccountBadge account={account} /> },
        {
          title: 'Last callback',
          cell: ({ heard_at: at }) => (at === undefined ? 'None yet' : <When at={at} />),
        },
        {
          title: 'Actions',
          isAction: true,
          cell: account => (
            <Button variant="default" size="xs" onClick={() => onOpen(account.id)}>
              Open
            </Button>
          ),
        },
      ]}
    />
  )
}

function Branches({ branches }: { branches: AccountSetupAnswer['branches'] }) {
  return (
    <>
      <h2 className="section-title">Where new money goes</h2>
      <ShortTable
        name="Where new money goes"
        rows={branches}
        rowId={branch => branch.collector_code}
        columns={[
          { title: 'Branch', cell: branch => `${branch.name} (${branch.collector_code})` },
          { title: 'Payments', cell: branch => branch.payments },
          { title: 'Mandates for instalments', cell: branch => branch.mandates },
        ]}
      />
      <p className="faint">
        A branch uses its own account, otherwise that of all branches, otherwise that of this installation.
        While an account is paused, nothing new is taken in its place.
      </p>
    </>
  )
}
