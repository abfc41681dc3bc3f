import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from '../platform/context.ts'
import { conflict } from '../platform/errors.ts'
import type { Arguments } from './acts.ts'

const GOOD_FOR_S = 600

/** What was shown to whom. */
type Shown = { holderId: string; name: string; sent: Arguments }

/**
 * Says that this was shown before it is done, and stands for it as its Idempotency-Key. Nothing of it is kept: it is signed,
 * so that any process knows it again.
 */
export function confirmationOf(ctx: Context, shown: Shown): string {
  return sign(ctx, shown, Math.floor(Date.now() / 1_000) + GOOD_FOR_S)
}

export function requireConfirmed(ctx: Context, shown: Shown, confirmation: string): void {
  const until = Number.parseInt(confirmation, 36)
  const wanted = Buffer.from(sign(ctx, shown, until))
  const sent = Buffer.from(confirmation)
  if (sent.length !== wanted.length || !timingSafeEqual(sent, wanted))
    throw conflict(
      'This confirmation is of another call. Call it without one first, and look at what would happen.',
    )
  if (until * 1_000 < Date.now())
    throw conflict('This confirmation is older than ten minutes. Call it without one, and look again.')
}

function sign({ vault }: Context, { holderId, name, sent }: Shown, until: number): string {
  const entries = Object.entries(sent).toSorted(([one], [other]) => (one < other ? -1 : 1))
  const signature = createHmac('sha256', vault.deriveKey('confirmation of an assistant'))
    .update(JSON.stringify([holderId, name, entries, until]))
    .digest('base64url')
  return `${until.toString(36)}.${signature.slice(0, 22)}`
}
