import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { SignInRulesAnswer } from '../../../../src/console/operator/operator.routes.ts'
import { get } from '../../api/client.ts'
import { useCommand } from '../../api/command.ts'
import { ConfirmWithReason } from '../../ui/dialogue/confirm-with-reason.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { notify } from '../../ui/toasts.tsx'
import { OperatorFrame } from './operator-frame.tsx'

/** How everybody signs in, whatever their school asks for. */
export function OperatorSignInPage() {
  const [isChanging, setIsChanging] = useState(false)
  const rules = useQuery({
    queryKey: ['sign-in-rules'],
    queryFn: ({ signal }) => get<SignInRulesAnswer>('/operator/sign-in', {}, signal),
  })
  const isRequired = rules.data?.second_factor_required === true
  const change = useCommand<{ required: boolean; reason: string }>({
    method: 'PUT',
    path: '/operator/sign-in',
    refreshes: ['sign-in-rules', 'session'],
    onDone() {
      notify(isRequired ? 'A second factor is optional now.' : 'A second factor is required now.')
      setIsChanging(false)
    },
  })
  return (
    <OperatorFrame here="sign-in">
      <h2 className="section-title">Second factor</h2>
      {rules.isPending && <Loading />}
      {rules.isError && <Failed error={rules.error} retry={() => void rules.refetch()} />}
      {rules.isSuccess && (
        <>
          <p>
            <StatusBadge tone={isRequired ? 'good' : 'plain'}>
              {isRequired ? 'Required of everybody' : 'As each school decides'}
            </StatusBadge>
          </p>
          <p className="faint">
            If it is required, everybody who signs in to the console (staff of every school, lenders,
            operators) needs a passkey or an authenticator app besides the password. Who has none sets one up
            before anything else. Who lost it:{' '}
            <code>bursar users reset-password EMAIL --drop-second-factor</code>
          </p>
          <Button variant="default" onClick={() => setIsChanging(true)}>
            {isRequired ? 'Leave it to the schools' : 'Require it of everybody'}
          </Button>
        </>
      )}
      {isChanging && (
        <ConfirmWithReason
          isOpen
          onClose={() => setIsChanging(false)}
          title={
            isRequired ? 'Leave the second factor to the schools?' : 'Require a second factor of everybody?'
          }
          description={
            isRequired
              ? 'Schools that require it themselves still do.'
              : 'Everybody without one, you too, sets one up before they can do anything else.'
          }
          verb={isRequired ? 'Leave it to the schools' : 'Require it'}
          isBusy={change.isPending}
          error={change.error}
          onConfirm={reason => change.mutate({ required: !isRequired, reason })}
        />
      )}
    </OperatorFrame>
  )
}
