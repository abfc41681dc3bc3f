import { isInstituteCode, type Institute } from '../../institutes/institutes.rules.ts'
import { createInstitute, type NewInstitute } from '../../institutes/institutes.service.ts'
import { badField } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import type { Command } from '../../platform/idempotency.ts'
import * as store from './operator.store.ts'

export type { InstituteRow } from './operator.store.ts'

export async function listInstitutes(
  { db }: Context,
  filter: { search: string | undefined; cursor: string | undefined },
  limit: number,
): Promise<{ institutes: store.InstituteRow[]; nextCursor: string | undefined }> {
  const found = await store.listInstitutes(db, filter, limit + 1)
  const institutes = found.slice(0, limit)
  return { institutes, nextCursor: found.length > limit ? institutes.at(-1)?.code : undefined }
}

export async function openInstitute(
  ctx: Context,
  command: Command<Institute>,
  input: NewInstitute,
): Promise<Institute> {
  if (!isInstituteCode(input.code))
    throw badField('code', 'can have 1 to 63 lower-case letters, digits and hyphens, not a hyphen first')
  return createInstitute(ctx, input, command)
}
