import type { Institute, MoneyGiven } from '../../institutes/institutes.rules.ts'
import type { Transaction } from '../../platform/db/database.ts'
import type { Command } from '../../platform/idempotency.ts'
import type { Paise } from '../../platform/money.ts'
import type { ConsoleContext } from '../context.ts'
import type { Effect } from './approvals.rules.ts'
import type { AuditNote } from '../audit/audit.service.ts'

export type ActTarget = { institute: Institute; about: string }

/** What an act gave away, read in its own transaction. */
export type Weight = {
  title: string
  /** What may wait only once at a time. */
  subject: string
  /** The deciding person reads this amount; what is done after the approval may not give away more. */
  amountPaise: Paise
  gifts: readonly MoneyGiven[]
  /** What this is a part of, such as a class whose fees are set part by part. */
  wholePaise?: Paise
  effect?: Effect | undefined
  /** Who took the money that goes back: may ask for it, and not approve it. */
  takenBy?: string | null | readonly string[]
  /** The request with its amount, where it said "all that is left": what is approved is what was seen. */
  exact?: { reason: string }
}

type CompletedAct<Request, Result, Before> = ActTarget & { request: Request; result: Result; before: Before }

/**
 * An act that may need a second person. Its service has to open one transaction by `transact` and give it the command. There
 * the act is done first and weighed then, by what it did and under the locks that it took; if that is more than one person
 * may give away, all of it is rolled back and the request kept. An approval is decided in the same place, so the act and
 * its approval are either both done or neither.
 */
export type GuardedAct<Request extends { reason: string }, Result, Before = undefined> = {
  /** Reads what the act will change, where its result does not tell. It runs first in the transaction. */
  lookBefore?(tx: Transaction, ctx: ConsoleContext, target: ActTarget, request: Request): Promise<Before>
  perform(
    ctx: ConsoleContext,
    command: Command<Result>,
    target: ActTarget,
    request: Request,
    /** Who asked for it. */
    actor: string,
  ): Promise<Result>
  weigh(tx: Transaction, ctx: ConsoleContext, done: CompletedAct<Request, Result, Before>): Promise<Weight>
  note(target: ActTarget, request: Request, result: Result): AuditNote
}
