import { Navigate, useSearch } from '@tanstack/react-router'
import { useInstitute } from '../../api/session.ts'

/** Opens the keys, unless a link from Home asks for another page. */
export function DevelopersPage() {
  const { code: institute } = useInstitute()
  const { view }: Record<string, string | undefined> = useSearch({ strict: false })
  return <Navigate to={pageOf(view)} params={{ institute }} search={{}} replace />
}

function pageOf(view: string | undefined) {
  if (view === 'webhooks') return '/i/$institute/developers/webhooks'
  return view === 'erp' ? '/i/$institute/developers/erp' : '/i/$institute/developers/keys'
}
