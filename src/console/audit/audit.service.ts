import type { Transaction } from '../../platform/db/database.ts'
import type { Context } from '../../platform/context.ts'
import { newId } from '../../platform/ids.ts'
import { insertAudit } from './audit.store.ts'
import type { Origin, Who } from '../console.rules.ts'

export type { AuditRow } from './audit.store.ts'

/** What an action leaves in the log. Never a secret: everyone who reads the log reads this. */
export type AuditNote = {
  /** What was done, such as `team.member.removed`. */
  what: string
  /** The id of what it was done to. */
  about: string
  why?: string | undefined
  before?: unknown
  after?: unknown
}

/** The installation itself, and what people do to their own accounts. */
export const NO_INSTITUTE = 0

export type Actor = { who: Pick<Who, 'userId' | 'email' | 'token'>; origin: Origin } | 'command line'

/** Takes the transaction of what it records. */
export async function recordAudit(
  tx: Transaction,
  { clock }: Context,
  { instituteId, actor }: { instituteId: number; actor: Actor },
  ...notes: readonly AuditNote[]
): Promise<void> {
  const isCommand = actor === 'command line'
  const at = clock.now()
  const entries = notes.map(note => ({
    id: newId('audit'),
    at,
    actorKind: isCommand ? ('command_line' as const) : ('user' as const),
    actorId: isCommand ? null : actor.who.userId,
    actorName: isCommand ? 'Command line' : nameOf(actor.who),
    what: note.what,
    about: note.about,
    why: note.why ?? null,
    before: note.before,
    after: note.after,
    requestId: isCommand ? null : actor.origin.requestId,
    ip: isCommand ? null : actor.origin.ip,
  }))
  await insertAudit(tx, instituteId, entries)
}

function nameOf({ email, token }: Pick<Who, 'email' | 'token'>): string {
  return token === undefined ? email : `${email} (token ${token})`
}
