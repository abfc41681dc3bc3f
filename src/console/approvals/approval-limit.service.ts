import { takeDue } from '../../platform/jobs/due-rows.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { ApprovalLimits } from '../../institutes/approval-limit/approval-limit.rules.ts'
import {
  readApprovalLimits,
  writeApprovalLimits,
} from '../../institutes/approval-limit/approval-limit.service.ts'
import { getInstitutesById } from '../../institutes/institutes.service.ts'
import { queueMessages } from '../../messages/messages.service.ts'
import type { Context } from '../../platform/context.ts'
import { conflict } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { emailsOf } from '../team/people.service.ts'
import { decidedMessages } from './approvals.texts.ts'
import * as store from './approvals.store.ts'

/** Null: nothing needs a second person. */
export type LimitSetting = { limits: ApprovalLimits | null }

export async function readLimit(
  { db }: Pick<Context, 'db'>,
  { id }: Pick<Institute, 'id'>,
): Promise<LimitSetting> {
  return { limits: await readApprovalLimits(db, id) }
}

export type ChangedLimit = { before: LimitSetting; after: LimitSetting }

/** Where one person alone handles money nobody could approve, so it cannot be switched on there. */
export async function changeLimit(
  { db }: Pick<Context, 'db'>,
  command: Command<ChangedLimit>,
  institute: Institute,
  after: LimitSetting,
): Promise<ChangedLimit> {
  return transact(db, command, async tx => {
    const before = { limits: await readApprovalLimits(tx, institute.id) }
    const people = await emailsOf(tx, institute.id, ['owner', 'finance'])
    if (after.limits !== null && people.length < 2)
      throw conflict('Only one person here handles money. Invite a second owner or finance person first.')
    await writeApprovalLimits(tx, institute.id, after.limits)
    return { before, after }
  })
}

/** Ends requests that nobody decided in time, and tells who asked. */
export async function expireApprovals(ctx: Context, limit: number): Promise<number> {
  const at = ctx.clock.now()
  return takeDue(ctx.db, await store.findExpired(ctx.db, at, limit), async (tx, keys) => {
    const expired = await store.expireSome(tx, at, keys)
    const institutes = await getInstitutesById(ctx, [...new Set(expired.map(one => one.instituteId))])
    const codes = new Map(institutes.map(({ id, code }) => [id, code]))
    const messages = expired.flatMap(one => {
      const url = `${ctx.publicUrl}/console/i/${codes.get(one.instituteId) ?? ''}/approvals`
      return decidedMessages({ ...one, state: 'expired' }, { url, at })
    })
    await queueMessages(tx, messages)
    return expired.length
  })
}

export async function nextApprovalExpiry({ db }: Pick<Context, 'db'>): Promise<Date | null> {
  return store.nextExpiry(db)
}
