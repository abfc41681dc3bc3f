import type { Ground } from '../platform/ground.ts'
import type { Log } from '../platform/log.ts'
import type { Channel } from './messages.rules.ts'

/** What became of one try. */
export type Outcome =
  | { kind: 'sent' }
  /** For good: the same again would be refused again. */
  | { kind: 'refused'; words: string }
  /** `isAway`: the server itself could not be used, so others need not be tried now. */
  | { kind: 'delayed'; words: string; isAway: boolean }

/** The port that a channel's provider implements. The id is the same on every try, so that a repeat can be told. */
export type Sender = {
  send(message: { id: string; recipient: string; subject: string; body: string }): Promise<Outcome>
}

export type Post = Pick<Ground, 'db' | 'clock'> & { senders: Readonly<Record<Channel, Sender>>; log: Log }
