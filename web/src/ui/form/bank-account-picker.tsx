import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { SchoolAnswer } from '../../../../src/institutes/school/school.schemas.ts'
import type { BankAccountAnswer } from '../../../../src/banking/accounts/account.schemas.ts'
import { get } from '../../api/client.ts'
import { problemOf, useCommand, wholeProblem } from '../../api/command.ts'
import { useInstitutePath, useMay } from '../../api/session.ts'

const ADD = 'add'

/** The accounts of the institute, the first chosen unless another one is. */
export function useBankAccount(): {
  accounts: readonly BankAccountAnswer[]
  account: string
  choose: (id: string) => void
  isPending: boolean
} {
  const path = `${useInstitutePath()}/bank-accounts`
  const [chosen, choose] = useState('')
  const known = useQuery({
    queryKey: ['bank-accounts', path],
    queryFn: ({ signal }) => get<BankAccountAnswer[]>(path, {}, signal),
  })
  const accounts = known.data ?? []
  const account = accounts.some(({ id }) => id === chosen) ? chosen : (accounts[0]?.id ?? '')
  return { accounts, account: chosen === ADD ? ADD : account, choose, isPending: known.isPending }
}

/** One of the accounts, or a new one by its name. */
export function BankAccountPicker({ picked }: { picked: ReturnType<typeof useBankAccount> }) {
  const { accounts, account, choose, isPending } = picked
  const mayAdd = useMay('owner', 'finance')
  const isNew = !isPending && (account === ADD || accounts.length === 0)
  const choices = accounts.map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Group align="flex-end" gap="sm">
      {accounts.length > 0 && (
        <NativeSelect
          label="Bank account"
          data={mayAdd ? [...choices, { value: ADD, label: 'Another account…' }] : choices}
          value={account}
          onChange={event => choose(event.currentTarget.value)}
        />
      )}
      {isNew && mayAdd && <AddAccount known={accounts} onAdded={choose} />}
    </Group>
  )
}

type Add = { known: readonly BankAccountAnswer[]; onAdded: (id: string) => void }

/** The accounts that the school has entered for transfers need not be typed once more. */
function AddAccount({ known, onAdded }: Add) {
  const [name, setName] = useState('')
  const path = `${useInstitutePath()}/school`
  const school = useQuery({
    queryKey: ['school', path],
    queryFn: ({ signal }) => get<SchoolAnswer>(path, {}, signal),
  })
  const entered = (school.data?.bank_accounts ?? [])
    .map(({ bank, number }) => `${bank} …${number.slice(-4)}`.slice(-80))
    .filter(one => !known.some(account => account.name === one))
  const add = useCommand<{ name: string }, BankAccountAnswer>({
    method: 'POST',
    path: `${useInstitutePath()}/bank-accounts`,
    refreshes: ['bank-accounts', 'bank-status', 'audit'],
    onDone: ({ id }) => onAdded(id),
  })
  return (
    <Group align="flex-end" gap="xs">
      {entered.map(one => (
        <Button key={one} variant="default" loading={add.isPending} onClick={() => add.mutate({ name: one })}>
          {one}
        </Button>
      ))}
      <TextInput
        label="Name of the bank account"
        placeholder="HDFC current 4512"
        value={name}
        onChange={event => setName(event.currentTarget.value)}
        error={problemOf(add.error, 'name') ?? wholeProblem(add.error)}
      />
      <Button
        variant="default"
        disabled={name.trim() === ''}
        loading={add.isPending}
        onClick={() => add.mutate({ name: name.trim() })}
      >
        Add the account
      </Button>
    </Group>
  )
}
