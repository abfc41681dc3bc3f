import { isInstituteCode, type Institute } from '../../institutes/institutes.rules.ts'
import { createInstitute, type NewInstitute } from '../../institutes/institutes.service.ts'
import { badField } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import type { Command } from '../../platform/idempotency.ts'

export async function openInstitute(
  ctx: Context,
  command: Command<Institute>,
  input: NewInstitute,
): Promise<Institute> {
  if (!isInstituteCode(input.code))
    throw badField('code', 'can have 1 to 63 lower-case letters, digits and hyphens, not a hyphen first')
  return createInstitute(ctx, input, command)
}
