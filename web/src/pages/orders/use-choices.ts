import { useQuery } from '@tanstack/react-query'
import type { ChoicesAnswer } from '../../../../src/console/orders/order.output.ts'
import { get } from '../../api/client.ts'
import { useInstitutePath } from '../../api/session.ts'

const NONE: ChoicesAnswer = { branches: [], components: [], grades: [], is_strict: false }

/** Branches, fees and grades for forms; empty until loaded. */
export function useChoices(): ChoicesAnswer {
  const path = useInstitutePath()
  const choices = useQuery({
    queryKey: ['order-choices', path],
    queryFn: ({ signal }) => get<ChoicesAnswer>(`${path}/order-choices`, {}, signal),
    staleTime: 60_000,
  })
  return choices.data ?? NONE
}
