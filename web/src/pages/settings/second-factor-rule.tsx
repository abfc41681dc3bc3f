import { Button } from '@mantine/core'
import { useState } from 'react'
import type { TeamAnswer } from '../../../../src/console/team/team.schemas.ts'
import { useCommand } from '../../api/command.ts'
import { useInstitute, useInstitutePath } from '../../api/session.ts'
import { ConfirmWithReason } from '../../ui/dialogue/confirm-with-reason.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { notify } from '../../ui/toasts.tsx'

type Props = { rule: TeamAnswer['second_factor']; mayChange: boolean }

/** Whether everybody here needs a passkey or an app to sign in. */
export function SecondFactorRule({ rule, mayChange }: Props) {
  const path = useInstitutePath()
  const { name } = useInstitute()
  const [isChanging, setIsChanging] = useState(false)
  const isRequired = rule.by_institute
  const change = useCommand<{ required: boolean; reason: string }>({
    method: 'PUT',
    path: `${path}/team/second-factor`,
    refreshes: ['team', 'audit', 'session'],
    onDone() {
      notify(isRequired ? 'A second factor is optional now.' : 'A second factor is required now.')
      setIsChanging(false)
    },
  })
  return (
    <section aria-label="Second factor">
      <h2 className="section-title">Second factor</h2>
      <p>
        <StatusBadge tone={isRequired || rule.by_operator ? 'good' : 'plain'}>
          {isRequired || rule.by_operator ? 'Required' : 'Optional'}
        </StatusBadge>{' '}
        {rule.by_operator
          ? 'The operator requires a passkey or an authenticator app of everybody.'
          : isRequired
            ? 'Everybody here signs in with a passkey or an authenticator app besides the password.'
            : 'Members decide themselves whether they add a passkey or an authenticator app to their password.'}
      </p>
      {mayChange && (
        <Button variant="default" onClick={() => setIsChanging(true)}>
          {isRequired ? 'Make it optional' : 'Require a second factor'}
        </Button>
      )}
      {isChanging && (
        <ConfirmWithReason
          isOpen
          onClose={() => setIsChanging(false)}
          title={isRequired ? 'Make the second factor optional?' : 'Require a second factor?'}
          description={
            isRequired
              ? `Members of ${name} may then sign in with their password alone.`
              : `Members of ${name} without one, you too, are led to set one up at once before they can do anything else. Nobody is locked out.`
          }
          verb={isRequired ? 'Make it optional' : 'Require it'}
          isBusy={change.isPending}
          error={change.error}
          onConfirm={reason => change.mutate({ required: !isRequired, reason })}
        />
      )}
    </section>
  )
}
