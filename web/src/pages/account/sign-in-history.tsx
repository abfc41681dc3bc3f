import { useQuery } from '@tanstack/react-query'
import type { SignInRowAnswer } from '../../../../src/console/team/team.schemas.ts'
import { get } from '../../api/client.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { ShortTable } from '../../ui/table/short-table.tsx'
import { When } from '../../ui/when.tsx'
import { browserOf } from './browser-name.ts'

/** Who signed in as this person, and who tried to: what is not their own they see here. */
export function SignInHistory({ most = 50 }: { most?: number }) {
  const signIns = useQuery({
    queryKey: ['sign-ins'],
    queryFn: ({ signal }) => get<SignInRowAnswer[]>('/account/sign-ins', {}, signal),
  })
  if (signIns.isPending) return <Loading />
  if (signIns.isError) return <Failed error={signIns.error} retry={() => void signIns.refetch()} />
  return (
    <>
      <p className="faint">
        The last {most} of ninety days. If one of them was not you, choose a new password and sign out
        everywhere.
      </p>
      <ShortTable
        name="Sign-in history"
        rows={signIns.data.slice(0, most)}
        rowId={({ id }) => id}
        columns={[
          { title: 'When', cell: ({ at }) => <When at={at} isReal /> },
          {
            title: 'How',
            cell: ({ by, is_refused: isRefused }) =>
              isRefused ? <StatusBadge tone="bad">Refused</StatusBadge> : WAYS[by ?? 'password'],
          },
          { title: 'From', cell: ({ ip }) => <span className="mono nowrap">{ip}</span> },
          { title: 'Browser', cell: ({ agent }) => <span title={agent}>{browserOf(agent)}</span> },
        ]}
      />
    </>
  )
}

const WAYS: Record<NonNullable<SignInRowAnswer['by']>, string> = {
  password: 'Password',
  'password and app': 'Password and app',
  'password and recovery code': 'Password and recovery code',
  'password and passkey': 'Password and passkey',
  passkey: 'Passkey',
  'one-time link': 'One-time link',
  'demo button': 'Demo button',
}
