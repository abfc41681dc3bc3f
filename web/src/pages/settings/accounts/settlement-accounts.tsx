import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type {
  SettlementAccountAnswer,
  SettlementSetupAnswer,
} from '../../../../../src/providers/settlement-accounts/settlement-account.schemas.ts'
import { get } from '../../../api/client.ts'
import { problemOf, useCommand, wholeProblem } from '../../../api/command.ts'
import { useInstitutePath, useMay } from '../../../api/session.ts'
import { Dialogue } from '../../../ui/dialogue/dialogue.tsx'
import { BankAccountPicker, useBankAccount } from '../../../ui/form/bank-account-picker.tsx'
import { ProblemAlert } from '../../../ui/problem.tsx'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { ShortTable } from '../../../ui/table/short-table.tsx'
import { When } from '../../../ui/when.tsx'
import { readable } from '../../../ui/words.ts'
import { ComponentsDialogue } from './components-dialogue.tsx'

type Taking = SettlementSetupAnswer['taking'][number]

/** Fees that are settled in a bank account of their own, and how providers know those accounts. */
export function SettlementAccounts() {
  const path = `${useInstitutePath()}/settlement-accounts`
  const setup = useQuery({
    queryKey: ['settlement-accounts', path],
    queryFn: ({ signal }) => get<SettlementSetupAnswer>(path, {}, signal),
  })
  return (
    <section aria-label="Bank accounts of single fees">
      <h2 className="section-title">Bank accounts of single fees</h2>
      {setup.isPending && <Loading />}
      {setup.isError && <Failed error={setup.error} retry={() => void setup.refetch()} />}
      {setup.isSuccess && <Setup setup={setup.data} path={path} />}
    </section>
  )
}

function Setup({ setup, path }: { setup: SettlementSetupAnswer; path: string }) {
  const mayChange = useMay('owner', 'finance')
  const [isLinking, setIsLinking] = useState(false)
  const [isNaming, setIsNaming] = useState(false)
  const able = setup.taking.filter(one => one.can_split)
  const unable = setup.taking.filter(one => !one.can_split)
  return (
    <>
      <p className="faint">
        One payment of a family can be settled in several bank accounts, each fee in its own: the hostel’s in
        the hostel’s. Everything else, and the provider’s charges, stay with the bank account of the payment
        account above. So does what instalments take by mandate, and what is transferred to account numbers.
      </p>
      {unable.map(one => (
        <Text key={one.id} size="sm">
          {one.title} pays all of a payment out to one bank account. It cannot be divided there.
        </Text>
      ))}
      {setup.linked.length === 0 ? (
        able.length > 0 && (
          <Empty
            title="One bank account for all fees"
            description="Add the other bank accounts as your payment provider knows them, then say which fees belong there."
          />
        )
      ) : (
        <LinkedAccounts setup={setup} path={path} mayChange={mayChange} />
      )}
      {setup.components.length > 0 && (
        <>
          <h3 className="section-title">Fees that belong there</h3>
          <Components components={setup.components} />
        </>
      )}
      {mayChange && able.length > 0 && (
        <Group mt="sm">
          <Button variant="default" onClick={() => setIsLinking(true)}>
            Add a bank account
          </Button>
          {setup.linked.length > 0 && (
            <Button variant="default" onClick={() => setIsNaming(true)}>
              Choose the fees
            </Button>
          )}
        </Group>
      )}
      {isLinking && <LinkDialogue able={able} path={path} onClose={() => setIsLinking(false)} />}
      {isNaming && <ComponentsDialogue setup={setup} path={path} onClose={() => setIsNaming(false)} />}
    </>
  )
}

function LinkedAccounts({
  setup,
  path,
  mayChange,
}: {
  setup: SettlementSetupAnswer
  path: string
  mayChange: boolean
}) {
  const titleOf = (id: string): string => setup.taking.find(one => one.id === id)?.title ?? id
  return (
    <ShortTable
      name="Bank accounts of single fees"
      rows={setup.linked}
      rowId={one => `${one.bank_account_id} ${one.account_id}`}
      columns={[
        { title: 'Bank account', cell: one => <strong>{one.name}</strong> },
        {
          title: 'Known as',
          cell: one => (
            <>
              {one.linked_id}
              <div className="faint">{titleOf(one.account_id)}</div>
            </>
          ),
        },
        { title: 'State', cell: one => <LinkedState one={one} /> },
        { title: 'Checked', cell: one => <When at={one.checked_at} /> },
        ...(mayChange
          ? [
              {
                title: 'Actions',
                isAction: true,
                cell: (one: SettlementAccountAnswer) => <AskAgain one={one} path={path} />,
              },
            ]
          : []),
      ]}
    />
  )
}

function LinkedState({ one }: { one: SettlementAccountAnswer }) {
  if (one.state === 'verified') return <StatusBadge tone="good">Verified</StatusBadge>
  return (
    <>
      <StatusBadge tone="waiting">Not verified</StatusBadge>
      <div className="faint">{one.problem} Its fees cannot be paid online until it is.</div>
    </>
  )
}

function AskAgain({ one, path }: { one: SettlementAccountAnswer; path: string }) {
  const check = useLinking(path)
  return (
    <>
      <Button
        variant="default"
        size="xs"
        loading={check.isPending}
        onClick={() =>
          check.mutate({
            bank_account_id: one.bank_account_id,
            account_id: one.account_id,
            linked_id: one.linked_id,
          })
        }
      >
        Check again
      </Button>
      {check.error !== null && <ProblemAlert>{check.error.message}</ProblemAlert>}
    </>
  )
}

type Linking = { bank_account_id: string; account_id: string; linked_id: string }

function useLinking(path: string, onDone?: () => void) {
  return useCommand<Linking, SettlementAccountAnswer>({
    method: 'PUT',
    path,
    refreshes: ['settlement-accounts', 'audit'],
    ...(onDone === undefined ? {} : { onDone }),
  })
}

function LinkDialogue({
  able,
  path,
  onClose,
}: {
  able: readonly Taking[]
  path: string
  onClose: () => void
}) {
  const picked = useBankAccount()
  const [accountId, setAccountId] = useState(able[0]?.id ?? '')
  const [linkedId, setLinkedId] = useState('')
  const taking = able.find(one => one.id === accountId)
  const link = useLinking(path, onClose)
  return (
    <Dialogue onClose={onClose} title="Add a bank account">
      <BankAccountPicker picked={picked} />
      {able.length > 1 && (
        <NativeSelect
          mt="sm"
          label="Payments are taken by"
          data={able.map(one => ({ value: one.id, label: one.title }))}
          value={accountId}
          onChange={event => setAccountId(event.currentTarget.value)}
        />
      )}
      <TextInput
        mt="sm"
        label={taking?.id_label ?? 'Its id at the provider'}
        description={taking?.id_help}
        value={linkedId}
        onChange={event => setLinkedId(event.currentTarget.value)}
        error={problemOf(link.error, 'linked_id') ?? problemOf(link.error, 'bank_account_id')}
      />
      {wholeProblem(link.error) !== undefined && <ProblemAlert>{wholeProblem(link.error)}</ProblemAlert>}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          loading={link.isPending}
          disabled={linkedId.trim() === ''}
          onClick={() =>
            link.mutate({
              bank_account_id: picked.account,
              account_id: accountId,
              linked_id: linkedId.trim(),
            })
          }
        >
          Add it
        </Button>
      </Group>
    </Dialogue>
  )
}

function Components({ components }: { components: SettlementSetupAnswer['components'] }) {
  return (
    <ShortTable
      name="Fees with a bank account of their own"
      rows={components}
      rowId={one => one.component_type}
      columns={[
        { title: 'Fee', cell: one => readable(one.component_type) },
        { title: 'Settled in', cell: one => one.bank_account },
        {
          title: 'Paid online',
          cell: ({ closed }) =>
            closed.length === 0 ? (
              <StatusBadge tone="good">Everywhere</StatusBadge>
            ) : (
              <>
                <StatusBadge tone="waiting">Not everywhere</StatusBadge>
                {closed.map(one => (
                  <div key={one.collector_code} className="faint">
                    {one.collector_code}: {one.why}.
                  </div>
                ))}
              </>
            ),
        },
      ]}
    />
  )
}
