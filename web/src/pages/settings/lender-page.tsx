import { Button, Radio, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { LenderChoiceAnswer } from '../../../../src/console/loans/loans.routes.ts'
import { get } from '../../api/client.ts'
import { useCommand } from '../../api/command.ts'
import { useInstitutePath, useMay } from '../../api/session.ts'
import { ConfirmWithReason } from '../../ui/dialogue/confirm-with-reason.tsx'
import { formatRupees } from '../../ui/money.tsx'
import { PageFrame } from '../../ui/page.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'
import { SettingsTabs } from './settings-tabs.tsx'

/** Which lender the families are offered. */
export function LenderPage() {
  const path = useInstitutePath()
  const choice = useQuery({
    queryKey: ['lender', path],
    queryFn: ({ signal }) => get<LenderChoiceAnswer>(`${path}/lender`, {}, signal),
  })
  return (
    <PageFrame title="Settings">
      <SettingsTabs here="loans" />
      {choice.isPending && <Loading />}
      {choice.isError && <Failed error={choice.error} retry={() => void choice.refetch()} />}
      {choice.isSuccess && <Choice key={choice.data.lender} known={choice.data} />}
    </PageFrame>
  )
}

const NONE = ''

function Choice({ known }: { known: LenderChoiceAnswer }) {
  const path = useInstitutePath()
  const mayChange = useMay('owner')
  const before = known.lender ?? NONE
  const [chosen, setChosen] = useState(before)
  const [isAsking, setIsAsking] = useState(false)
  const change = useCommand<{ lender: string | null; reason: string }>({
    method: 'PUT',
    path: `${path}/lender`,
    refreshes: ['lender', 'audit'],
    onDone() {
      notify('New applications go there from now on.')
      setIsAsking(false)
    },
  })
  if (known.lenders.length === 0)
    return (
      <Empty
        title="No lender yet"
        description="The operator of this installation adds lenders; then you choose one here."
      />
    )
  return (
    <Stack maw={640}>
      <Radio.Group
        label="Families are offered loans by"
        description="The lender gets a family’s name, contact and what it owes, once the family has consented. Applications that were sent stay where they are."
        value={chosen}
        onChange={setChosen}
      >
        <Stack gap="sm" mt="sm">
          {known.lenders.map(lender => (
            <Radio
              key={lender.code}
              value={lender.code}
              disabled={!mayChange}
              label={lender.title}
              description={describe(lender)}
            />
          ))}
          <Radio value={NONE} disabled={!mayChange} label="Nobody" description="No loans are offered." />
        </Stack>
      </Radio.Group>
      {mayChange ? (
        <Button w="fit-content" disabled={chosen === before} onClick={() => setIsAsking(true)}>
          Change
        </Button>
      ) : (
        <p className="faint">An owner can change it.</p>
      )}
      {isAsking && (
        <ConfirmWithReason
          isOpen
          onClose={() => setIsAsking(false)}
          title="Change the lender?"
          description="New applications of your families go to another place from now on."
          verb="Change the lender"
          isBusy={change.isPending}
          error={change.error}
          onConfirm={reason => change.mutate({ lender: chosen === NONE ? null : chosen, reason })}
        />
      )}
    </Stack>
  )
}

function describe(lender: LenderChoiceAnswer['lenders'][number]): string {
  const { least, most, yearly_rate_percent: rate, months, is_paused: isPaused } = lender
  const terms = `${formatRupees(least)} to ${formatRupees(most)}, about ${rate} % a year over ${months} months.`
  return isPaused ? `${terms} Takes no new applications at the moment.` : terms
}
