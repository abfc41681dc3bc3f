import type { Context } from '../platform/context.ts'
import { BursarError, ERROR_STATUS, SchoolMoving, type ErrorCode } from '../platform/errors.ts'
import type { OutboundAnswer } from '../platform/http-client/http-client.ts'
import { FORWARDED_BY, sendToCell, type IncomingCallback } from './forward.client.ts'
import * as store from './institutes.store.ts'

/** How a callback names its school. */
export type CallbackOf = { by: 'account' | 'id'; value: string | number }

/** Sends a callback on if its school has left; see forwardIfLeft. */
export type Forward = (of: CallbackOf) => Promise<boolean>

/**
 * Sends a callback for a school that has moved to another cell on to that cell, once, so that nothing a provider reports
 * depends on every proxy having the new map. False: the school has not left. What the new cell refuses is refused here;
 * if it does not answer, the sender is told to come again.
 */
export async function forwardIfLeft(
  { db, cell }: Pick<Context, 'db' | 'cell'>,
  { by, value }: CallbackOf,
  callback: IncomingCallback,
): Promise<boolean> {
  const left = await store.findLeft(db, by, String(value))
  if (left === null) return false
  if (callback.headers[FORWARDED_BY] !== undefined) throw new SchoolMoving()
  for (const address of left.forwardTo) {
    const result = await sendToCell(address, callback, cell ?? 'a cell')
    if (result.kind === 'answered') return acceptAnswer(result)
    // Only what was never sent goes to another process.
    if (result.reason !== 'not_reachable' && result.reason !== 'name_not_found') break
  }
  throw new SchoolMoving()
}

function acceptAnswer({ httpStatus, body }: OutboundAnswer): true {
  if (httpStatus >= 200 && httpStatus < 300) return true
  const refusal = readRefusal(body)
  throw refusal ?? new SchoolMoving()
}

/** Null: no error of ours, so another server answered in between. */
function readRefusal(body: Buffer): BursarError | null {
  try {
    const { code, message } = JSON.parse(body.toString('utf8')) as { code?: unknown; message?: unknown }
    if (typeof code !== 'string' || typeof message !== 'string' || !Object.hasOwn(ERROR_STATUS, code))
      return null
    const errorCode = code as ErrorCode
    return ERROR_STATUS[errorCode] >= 500 ? null : new BursarError(errorCode, message)
  } catch {
    return null
  }
}
