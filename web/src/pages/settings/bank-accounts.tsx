import { Button, Group, Stack, TextInput } from '@mantine/core'
import { problemOf } from '../../api/command.ts'

const FIELDS = [
  { key: 'holder', label: 'In the name of' },
  { key: 'number', label: 'Account number' },
  { key: 'ifsc', label: 'IFSC' },
  { key: 'bank', label: 'Bank and branch' },
  { key: 'upi_id', label: 'UPI ID (if there is one)' },
] as const

export type DraftAccount = Record<(typeof FIELDS)[number]['key'], string>
const EMPTY: DraftAccount = { holder: '', number: '', ifsc: '', bank: '', upi_id: '' }
const MOST = 5

/** Where families can transfer fees to; stands on demand notices. */
export function BankAccounts({
  accounts,
  onChange,
  error,
}: {
  accounts: DraftAccount[]
  onChange: (accounts: DraftAccount[]) => void
  error: Error | null
}) {
  return (
    <Stack gap="sm">
      <h2>Bank accounts for transfers</h2>
      <p className="faint">They stand on demand notices. Bursar does not move money to them.</p>
      {accounts.map((account, index) => (
        <fieldset key={index}>
          <legend>Account {index + 1}</legend>
          <Group align="start">
            {FIELDS.map(({ key, label }) => (
              <TextInput
                key={key}
                label={label}
                required={key !== 'upi_id'}
                value={account[key]}
                onChange={event =>
                  onChange(accounts.with(index, { ...account, [key]: event.currentTarget.value }))
                }
                error={problemOf(error, `bank_accounts.${index}.${key}`)}
              />
            ))}
          </Group>
          <Button
            mt="xs"
            variant="subtle"
            size="compact-sm"
            onClick={() => onChange(accounts.toSpliced(index, 1))}
          >
            Remove account {index + 1}
          </Button>
        </fieldset>
      ))}
      {accounts.length < MOST && (
        <Group>
          <Button variant="default" onClick={() => onChange([...accounts, EMPTY])}>
            Add an account
          </Button>
        </Group>
      )}
    </Stack>
  )
}
