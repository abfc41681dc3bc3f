import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Command } from '../../platform/idempotency.ts'
import type { Paise } from '../../platform/money.ts'
import type { PaymentContext } from '../../payments/context.ts'
import type { Effect } from './approvals.rules.ts'
import type { AuditNote } from '../audit/audit.service.ts'

export type ActTarget = { institute: Institute; about: string }

/** What an act comes to. `countedPaise` is held against the institute's amount: small parts of one thing add up. */
export type Weight = {
  title: string
  subject: string
  amountPaise: Paise
  countedPaise: Paise
  effect?: Effect | undefined
  /** The request with its amount, where it said "all that is left": what is approved is what was seen. */
  exact?: { reason: string }
}

/**
 * An act that may need a second person. Its service has to open one transaction by `transact` and give it the command:
 * the approval is decided in there, so the act and its approval are either both done or neither.
 */
export type GuardedAct<Request extends { reason: string }, Result> = {
  /** Refuses what could not be done anyway, so that nobody is asked to approve it. */
  weigh(ctx: PaymentContext, target: ActTarget, request: Request): Promise<Weight>
  perform(
    ctx: PaymentContext,
    command: Command<Result>,
    target: ActTarget,
    request: Request,
    /** Who asked for it. */
    actor: string,
  ): Promise<Result>
  note(target: ActTarget, request: Request, result: Result): AuditNote
}
