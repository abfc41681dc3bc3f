import { Group, NumberInput } from '@mantine/core'
import type { AccountAnswer } from '../../../../../src/providers/accounts/account.schemas.ts'
import { problemOf } from '../../../api/command.ts'
import { AmountInput } from '../../../ui/form/amount-input.tsx'
import { METHODS } from './texts.tsx'

/** What the school says of each way to pay, as it is typed. */
export type WayDrafts = Readonly<Record<string, { most: string; fee: number | string }>>

export function toDrafts(ways: AccountAnswer['ways']): WayDrafts {
  return Object.fromEntries(
    ways.map(({ method, max_amount: most, payer_fee_bp: fee }) => [
      method,
      { most: most === undefined ? '' : String(most), fee: fee / 100 },
    ]),
  )
}

/** As the API takes it; a way of which nothing is said is left out. */
export function toWays(drafts: WayDrafts): object[] {
  return Object.entries(drafts).flatMap(([method, { most, fee }]) => {
    const bp = Math.round(Number(fee) * 100)
    if (most === '' && bp === 0) return []
    return [{ method, ...(most === '' ? {} : { max_amount: most }), payer_fee_bp: bp }]
  })
}

export function WayFields({
  methods,
  ways,
  onChange,
  error,
}: {
  methods: readonly string[]
  ways: WayDrafts
  onChange: (ways: WayDrafts) => void
  error: Error | null
}) {
  return METHODS.filter(({ value }) => methods.includes(value)).map(({ value, label }) => {
    const draft = ways[value] ?? { most: '', fee: 0 }
    const change = (more: Partial<typeof draft>): void =>
      onChange({ ...ways, [value]: { ...draft, ...more } })
    return (
      <Group key={value} grow align="start">
        <AmountInput
          label={`${label}: most in one payment, ₹`}
          description={
            value === 'upi'
              ? 'Empty: ₹5,00,000, which NPCI allows verified schools.'
              : 'Empty: as much as the provider takes.'
          }
          value={draft.most}
          onChange={most => change({ most })}
          error={problemOf(error, 'ways')}
        />
        <NumberInput
          label={`${label}: fee that the payer bears, %`}
          description="Only where the provider adds it for your payers."
          min={0}
          max={10}
          decimalScale={2}
          hideControls
          value={draft.fee}
          onChange={fee => change({ fee })}
        />
      </Group>
    )
  })
}
