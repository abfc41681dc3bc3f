import { DebitsTable } from './debits-table.tsx'
import { FlexFrame } from './flex-frame.tsx'

/** Debits of any days, as the filters in the address say; what other pages add up leads here. */
export function FlexDebitsPage() {
  return (
    <FlexFrame here={undefined} title="Debits">
      <DebitsTable
        name="Debits"
        empty={{
          title: 'No debit today',
          say: 'Without filters this shows today. Choose other days, or a state, to look further.',
        }}
      />
    </FlexFrame>
  )
}
