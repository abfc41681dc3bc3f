import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { problemOf, useCommand } from '../../../api/command.ts'
import { useMay } from '../../../api/session.ts'
import { notify } from '../../../ui/toasts.tsx'
import { isKept } from '../../approvals/kept.ts'
import { FormDialogue } from '../../developers/form-dialogue.tsx'
import { WhyLower } from './why-lower.tsx'

type Branch = { code: string; name: string }

/** A branch that has no fee structure of its own for the year. */
export function FollowsSchool({ branch, onOwn }: { branch: Branch; onOwn: () => void }) {
  const mayChange = useMay('owner', 'finance')
  return (
    <>
      <p>{`${branch.name} uses the shared fees. Give it its own where its classes, amounts or due days differ; they begin as a copy of the shared ones.`}</p>
      {mayChange && <Button onClick={onOwn}>{`Give ${branch.name} its own fees`}</Button>}
    </>
  )
}

export function OwnStructure({
  branch,
  path,
  onDropped,
}: {
  branch: Branch
  path: string
  onDropped: () => void
}) {
  const mayChange = useMay('owner', 'finance')
  const [isAsking, setIsAsking] = useState(false)
  const [reason, setReason] = useState('')
  const drop = useCommand<{ reason: string }>({
    method: 'DELETE',
    path,
    refreshes: ['fee-structure', 'audit'],
    onDone(answer) {
      setIsAsking(false)
      if (isKept(answer)) return
      onDropped()
      notify(`${branch.name} has the shared fees again. Apply them to its classes.`)
    },
  })
  return (
    <Group mb="md">
      <p>{`${branch.name} has its own fees for this year.`}</p>
      {mayChange && (
        <Button variant="default" size="xs" onClick={() => setIsAsking(true)}>
          Use the shared fees again
        </Button>
      )}
      {isAsking && (
        <FormDialogue
          title={`Remove ${branch.name}’s own fees?`}
          verb="Remove them"
          isBusy={drop.isPending}
          error={drop.error}
          onSubmit={() => drop.mutate({ reason })}
          onClose={() => setIsAsking(false)}
        >
          <p>
            {`What you set for ${branch.name} in this year is deleted, and the shared due days count from now on. Its students keep their amounts until you apply the shared fees to their classes.`}
          </p>
          <WhyLower value={reason} onChange={setReason} error={problemOf(drop.error, 'reason')} />
        </FormDialogue>
      )}
    </Group>
  )
}
