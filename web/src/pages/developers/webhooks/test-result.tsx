import { useQuery } from '@tanstack/react-query'
import type { DeliveryAnswer } from '../../../../../src/webhooks/delivery-log/delivery.list.ts'
import { get } from '../../../api/client.ts'
import { useInstitutePath } from '../../../api/session.ts'
import { Failed } from '../../../ui/states.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { Attempts } from './attempts.tsx'
import { DELIVERY_LABELS } from '../texts.ts'

const LOOK_AGAIN_MS = 700

export function TestResult({ deliveryId }: { deliveryId: string }) {
  const path = useInstitutePath()
  const delivery = useQuery({
    queryKey: ['deliveries', path, deliveryId],
    queryFn: ({ signal }) => get<DeliveryAnswer>(`${path}/deliveries/${deliveryId}`, {}, signal),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? LOOK_AGAIN_MS : false),
  })
  if (delivery.isError) return <Failed error={delivery.error} />
  if (delivery.data === undefined) return null
  const { label, tone } = DELIVERY_LABELS[delivery.data.status]
  return (
    <section aria-label="The test" aria-live="polite" className="card">
      <p>
        The test: <StatusBadge tone={tone}>{label}</StatusBadge>
      </p>
      <Attempts delivery={delivery.data} />
    </section>
  )
}
