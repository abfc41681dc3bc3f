import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { Triggered } from './trigger.service.ts'

const out = outputOf<Triggered>()
export const triggeredOutput = out.object('TriggeredEvent', {
  event_id: out.text('Id of the event.', 'evt_01k9zq4m0ve8sbn6yt2hw3c5da'),
  event_code: out.text('As asked for.', 'flex.instalment.bounced'),
  resource_id: out.text(
    'The made-up order, plan, application or student that it is about.',
    'plan_01k9zq4m0ve8sbn6yt2hw3c5da',
  ),
  subscriptions: out.integer('How many subscriptions it is delivered to.', 1),
})

export function remarkOnTriggered({ subscriptions, eventCode }: Triggered): string | undefined {
  if (subscriptions > 0) return undefined
  return `Recorded, but this branch has no subscription for ${eventCode}: Add Webhook makes one.`
}

export type TriggeredAnswer = Shown<typeof triggeredOutput>
