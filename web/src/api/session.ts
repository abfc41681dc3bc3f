import { queryOptions, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { SessionAnswer } from '../../../src/console/auth/session.schemas.ts'
import { get, setToken } from './client.ts'

export type Session = SessionAnswer
export type Person = NonNullable<SessionAnswer['person']>
export type Institute = NonNullable<SessionAnswer['institutes']>[number]
export type Role = Institute['role']

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: 60_000,
  async queryFn({ signal }) {
    const session = await get<Session>('/session', {}, signal)
    setToken(session.csrf)
    return session
  },
})

/** Who is signed in; pages inside the shell can rely on somebody being there. */
export function useSession(): Session | undefined {
  return useQuery(sessionQuery).data
}

export function usePerson(): Person | undefined {
  return useSession()?.person
}

/** The institute that the address names. */
export function useInstitute(): Institute {
  const { institute: code = '' } = useParams({ strict: false })
  const known = useSession()?.institutes?.find(one => one.code === code)
  return known ?? { code, name: code, role: 'viewer' }
}

export function useInstitutePath(): string {
  return `/institutes/${encodeURIComponent(useInstitute().code)}`
}

export function useMay(...roles: readonly Role[]): boolean {
  return roles.includes(useInstitute().role)
}

export type OwnLender = NonNullable<SessionAnswer['lenders']>[number]

/** The lender that the address names. */
export function useLender(): OwnLender {
  const { lender: code = '' } = useParams({ strict: false })
  const known = useSession()?.lenders?.find(one => one.code === code)
  return known ?? { code, title: code }
}

export function useLenderPath(): string {
  return `/lenders/${encodeURIComponent(useLender().code)}`
}
