import type { DeliveryAnswer } from '../../../../../src/webhooks/delivery-log/delivery.list.ts'
import { Timeline } from '../../../ui/detail.tsx'
import { formatCount } from '../../../ui/money.tsx'

type Attempt = DeliveryAnswer['attempts'][number]

/** Every attempt of a delivery, the newest first. Receivers live in real time. */
export function Attempts({ delivery: { attempts } }: { delivery: DeliveryAnswer }) {
  if (attempts.length === 0) return <p className="faint">It has not been tried yet.</p>
  return (
    <Timeline
      entries={attempts
        .map((attempt, index) => ({
          id: String(index),
          at: attempt.attempted_at,
          isReal: true,
          title: `${index + 1}. ${titleOf(attempt)}`,
          tone: attempt.problem === undefined ? ('good' as const) : ('bad' as const),
          ...(attempt.problem === undefined ? {} : { why: attempt.problem }),
          raw: attempt,
        }))
        .toReversed()}
    />
  )
}

function titleOf({ http_status: status, duration_ms: ms }: Attempt): string {
  const took = ms === undefined ? '' : ` after ${formatCount(ms)} ms`
  return status === undefined ? `No answer${took}` : `Answered ${status}${took}`
}
