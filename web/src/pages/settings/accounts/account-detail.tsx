import { Alert, Button, Group } from '@mantine/core'
import { useState } from 'react'
import type {
  AccountAnswer,
  AccountSetupAnswer,
  CheckedAccountAnswer,
} from '../../../../../src/providers/accounts/account.schemas.ts'
import { useBranchName } from '../../../api/choices.ts'
import { useCommand } from '../../../api/command.ts'
import { useInstitutePath } from '../../../api/session.ts'
import { Summary } from '../../../ui/detail.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { When } from '../../../ui/when.tsx'
import { Problem, ProblemAlert } from '../../../ui/problem.tsx'
import { CopyButton } from '../../../ui/link/copy-button.tsx'
import { ChangeDialogue, PauseDialogue, RotateDialogue } from './account-dialogues.tsx'
import { AccountBadge, usesOf, waysOf } from './texts.tsx'

type Props = { account: AccountAnswer; setup: AccountSetupAnswer; mayChange: boolean }

export function AccountDetail({ account, setup, mayChange }: Props) {
  const callback = `${setup.callback_base}/${account.provider}/${account.id}`
  const branchName = useBranchName()
  const { check_problem: problem, checked_at: checkedAt, heard_at: heardAt } = account
  return (
    <>
      {problem !== undefined && <ProblemAlert>{problem}</ProblemAlert>}
      {heardAt === undefined && (
        <Alert color="yellow" mb="md">
          No callback has come yet. Enter the address below for webhooks in the provider’s dashboard. Until
          then payments are confirmed only when Bursar asks, which takes minutes.
        </Alert>
      )}
      <p className="faint">Address for callbacks (webhooks)</p>
      <code className="secret mono">{callback}</code>
      <Group mt="xs">
        <CopyButton text={callback}>Copy the address</CopyButton>
      </Group>
      {mayChange && <Acts account={account} setup={setup} />}
      <Summary
        fields={[
          { label: 'State', value: <AccountBadge account={account} /> },
          {
            label: 'Branch',
            value: account.collector_code === undefined ? 'All branches' : branchName(account.collector_code),
          },
          { label: 'Takes', value: usesOf(account) },
          { label: 'Limits and fees', value: waysOf(account) },
          { label: 'Key', value: <span className="mono">{account.key_hint}</span> },
          { label: 'Connection checked', value: checkedAt && <When at={checkedAt} /> },
          { label: 'Last callback', value: heardAt && <When at={heardAt} /> },
          { label: 'Added', value: <When at={account.created_at} /> },
          { label: 'By', value: account.created_by },
          { label: 'Last changed', value: <When at={account.changed_at} /> },
          { label: 'Id', value: <span className="mono">{account.id}</span> },
        ]}
      />
    </>
  )
}

function Acts({ account, setup }: Omit<Props, 'mayChange'>) {
  const path = `${useInstitutePath()}/provider-accounts/${account.id}`
  const [act, setAct] = useState<'change' | 'rotate' | 'pause' | null>(null)
  const close = (): void => setAct(null)
  const check = useCommand<object, CheckedAccountAnswer>({
    method: 'POST',
    path: `${path}/check`,
    refreshes: ['provider-accounts', 'audit'],
    onDone({ problem }) {
      notify(problem ?? 'The provider accepts the credentials.')
    },
  })
  return (
    <>
      <Problem error={check.error} />
      <Group my="md">
        <Button loading={check.isPending} onClick={() => check.mutate({})}>
          Check connection
        </Button>
        <Button variant="default" onClick={() => setAct('change')}>
          Change
        </Button>
        <Button variant="default" onClick={() => setAct('rotate')}>
          Replace keys
        </Button>
        <Button variant="default" onClick={() => setAct('pause')}>
          {account.state === 'paused' ? 'Resume' : 'Pause'}
        </Button>
      </Group>
      {act === 'change' && <ChangeDialogue account={account} path={path} onClose={close} />}
      {act === 'rotate' && <RotateDialogue account={account} setup={setup} path={path} onClose={close} />}
      {act === 'pause' && <PauseDialogue account={account} path={path} onClose={close} />}
    </>
  )
}
