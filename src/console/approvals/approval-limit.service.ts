import type { Institute } from '../../institutes/institutes.rules.ts'
import type { ApprovalLimits } from '../../institutes/approval-limit/approval-limit.rules.ts'
import {
  readApprovalLimits,
  writeApprovalLimits,
} from '../../institutes/approval-limit/approval-limit.service.ts'
import type { Context } from '../../platform/context.ts'
import { conflict } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import { emailsOf } from '../team/people.service.ts'

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
