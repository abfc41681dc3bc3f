import { Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { get } from '../../../api/client.ts'
import { useCommand } from '../../../api/command.ts'
import { useInstitutePath, useMay } from '../../../api/session.ts'

/** Whether the office may change what the ERP keeps. */
export function ErpLock() {
  const path = `${useInstitutePath()}/erp-lock`
  const mayChange = useMay('owner', 'finance')
  const lock = useQuery({
    queryKey: ['erp-lock', path],
    queryFn: ({ signal }) => get<{ locked: boolean }>(path, {}, signal),
  })
  const change = useCommand<{ locked: boolean }>({
    method: 'PUT',
    path,
    refreshes: ['erp-lock', 'student', 'audit'],
  })
  if (!lock.isSuccess) return null
  return (
    <Checkbox
      mt="xl"
      label="Lock students that the ERP keeps"
      description="They cannot be edited here and get no fees by this structure: the ERP sends both."
      checked={lock.data.locked}
      disabled={!mayChange || change.isPending}
      onChange={event => change.mutate({ locked: event.currentTarget.checked })}
    />
  )
}
