import { Button, Group, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import type { SettlementSetupAnswer } from '../../../../../src/providers/settlement-accounts/settlement-account.schemas.ts'
import { useChoices } from '../../../api/choices.ts'
import { problemOf, useCommand } from '../../../api/command.ts'
import { ConfirmWithReason } from '../../../ui/dialogue/confirm-with-reason.tsx'
import { readable } from '../../../ui/words.ts'

type Row = { component_type: string; bank_account_id: string }

/** Which fees are settled in which bank account; what stands in no row stays with the payment account. */
export function ComponentsDialogue({
  setup,
  path,
  onClose,
}: {
  setup: SettlementSetupAnswer
  path: string
  onClose: () => void
}) {
  const { components } = useChoices()
  const accounts = [...new Map(setup.linked.map(one => [one.bank_account_id, one.name]))].map(
    ([value, label]) => ({ value, label }),
  )
  const [rows, setRows] = useState<Row[]>(() =>
    setup.components.map(({ component_type, bank_account_id }) => ({ component_type, bank_account_id })),
  )
  const save = useCommand<{ components: Row[]; reason: string }>({
    method: 'PUT',
    path: `${path}/components`,
    refreshes: ['settlement-accounts', 'audit'],
    onDone: onClose,
  })
  const codes = components.map(({ code }) => code)
  const taken = rows.map(row => row.component_type)
  const free = codes.filter(code => !taken.includes(code))
  const problems = rows.flatMap(
    (_row, index) =>
      problemOf(save.error, `components.${index}.bank_account_id`) ??
      problemOf(save.error, `components.${index}.component_type`) ??
      [],
  )
  return (
    <ConfirmWithReason
      isOpen
      onClose={onClose}
      title="Fees with a bank account of their own"
      description="From now on families’ online payments are divided like this. What is on its way already is settled as it was started. The terms and months of a fee go with it."
      verb="Save"
      isBusy={save.isPending}
      error={save.error}
      problem={problems[0]}
      onConfirm={reason => save.mutate({ components: rows, reason })}
    >
      {rows.map((row, index) => (
        <FeeRow
          key={row.component_type}
          no={index + 1}
          row={row}
          codes={[row.component_type, ...free]}
          accounts={accounts}
          onChange={changed => setRows(rows.with(index, changed))}
          onRemove={() => setRows(rows.toSpliced(index, 1))}
        />
      ))}
      <Button
        variant="default"
        mb="md"
        disabled={free.length === 0}
        onClick={() =>
          setRows([...rows, { component_type: free[0] ?? '', bank_account_id: accounts[0]?.value ?? '' }])
        }
      >
        Add a fee
      </Button>
    </ConfirmWithReason>
  )
}

type FeeRowProps = {
  no: number
  row: Row
  codes: readonly string[]
  accounts: { value: string; label: string }[]
  onChange: (row: Row) => void
  onRemove: () => void
}

function FeeRow({ no, row, codes, accounts, onChange, onRemove }: FeeRowProps) {
  return (
    <Group align="flex-end" mb="sm" role="group" aria-label={`Fee ${no}`}>
      <NativeSelect
        label="Fee"
        data={codes.map(code => ({ value: code, label: readable(code) }))}
        value={row.component_type}
        onChange={event => onChange({ ...row, component_type: event.currentTarget.value })}
      />
      <NativeSelect
        label="Settled in"
        data={accounts}
        value={row.bank_account_id}
        onChange={event => onChange({ ...row, bank_account_id: event.currentTarget.value })}
      />
      <Button variant="default" aria-label={`Remove ${readable(row.component_type)}`} onClick={onRemove}>
        Remove
      </Button>
    </Group>
  )
}
