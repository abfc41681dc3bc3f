import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { AccountCountsAnswer } from '../../../../../src/dues/virtual-accounts/virtual-account.schemas.ts'
import { get } from '../../../api/client.ts'
import { useInstitutePath, useMay } from '../../../api/session.ts'
import { counted } from '../../../ui/money.tsx'

const LOOK_AGAIN_MS = 3_000

/** How many students have an account number of their own, and how far those are that were asked for. */
export function AccountNumbers() {
  const path = `${useInstitutePath()}/students/virtual-accounts`
  const mayLook = useMay('owner', 'finance')
  const { data } = useQuery({
    queryKey: ['account-numbers', path],
    queryFn: ({ signal }) => get<AccountCountsAnswer>(path, {}, signal),
    enabled: mayLook,
    refetchInterval: ({ state }) => ((state.data?.waiting ?? 0) > 0 ? LOOK_AGAIN_MS : false),
  })
  if (data === undefined || data.given + data.waiting + data.refused === 0) return null
  return (
    <section aria-label="Account numbers of students">
      <h2 className="section-title">Account numbers of students</h2>
      <Text size="sm" role="status">
        {counted(data.given, 'student')} with a number of their own
        {data.waiting > 0 && `, ${data.waiting} more asked for`}.
      </Text>
      {data.refused > 0 && (
        <Text size="sm" c="red">
          The payment provider gives none to {counted(data.refused, 'student')}: {data.refusal} When that is
          settled, ask for them again.
        </Text>
      )}
    </section>
  )
}
