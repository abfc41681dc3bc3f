import { DebitsTable } from './debits-table.tsx'
import { FlexFrame } from './flex-frame.tsx'

export function FlexDebitsPage() {
  return (
    <FlexFrame here={undefined} title="Debits">
      <DebitsTable
        name="Debits"
        empty={{
          title: 'No debit today',
          description: 'Without filters this shows today. Choose other days, or a state, to look further.',
        }}
      />
    </FlexFrame>
  )
}
