import { SimpleGrid, TextInput } from '@mantine/core'

const DENOMINATIONS = [500, 200, 100, 50, 20, 10, 5, 2, 1]

export type Counts = Readonly<Record<number, string>>

/** Leaves out notes and coins that were not counted. */
export function denominationsOf(counts: Counts): { value: number; count: number }[] {
  return DENOMINATIONS.map(value => ({ value, count: Number(counts[value] ?? 0) || 0 })).filter(
    ({ count }) => count > 0,
  )
}

/** The sum in rupees. */
export function cashIn(counts: Counts): number {
  return denominationsOf(counts).reduce((sum, { value, count }) => sum + value * count, 0)
}

export function Denominations({ counts, onChange }: { counts: Counts; onChange: (counts: Counts) => void }) {
  return (
    <SimpleGrid cols={{ base: 3, sm: 5 }} spacing="sm" maw={560}>
      {DENOMINATIONS.map(value => (
        <TextInput
          key={value}
          label={`₹${value} ×`}
          inputMode="numeric"
          value={counts[value] ?? ''}
          onChange={event => onChange({ ...counts, [value]: event.currentTarget.value })}
        />
      ))}
    </SimpleGrid>
  )
}
