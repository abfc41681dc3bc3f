import { useQuery } from '@tanstack/react-query'
import type { ErpSettingsAnswer } from '../../../../src/console/developers/developers.routes.ts'
import { get } from '../../api/client.ts'
import { useInstitutePath } from '../../api/session.ts'

export function useBranches(): ErpSettingsAnswer['branches'] {
  const path = useInstitutePath()
  const erp = useQuery({
    queryKey: ['erp', path],
    queryFn: ({ signal }) => get<ErpSettingsAnswer>(`${path}/erp`, {}, signal),
  })
  return erp.data?.branches ?? []
}
