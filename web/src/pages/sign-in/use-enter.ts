import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { sessionQuery } from '../../api/session.ts'

/** After sign-in: reloads the session and continues to the page that was asked for. */
export function useEnter(): () => Promise<void> {
  const client = useQueryClient()
  const router = useRouter()
  const navigate = useNavigate()
  const { next }: Record<string, string | undefined> = useSearch({ strict: false })
  return async () => {
    client.clear()
    await client.fetchQuery(sessionQuery)
    // Only an address of the console: a link to sign in must not lead anywhere else afterwards.
    if (next !== undefined && /^\/(?![/\\])/.test(next))
      router.history.push(`/console${next}`.replace(/^\/console\/console/, '/console'))
    else await navigate({ to: '/' })
  }
}
