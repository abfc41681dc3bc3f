import type { Institute } from '../../../institutes/institutes.rules.ts'
import { setSecondFactorRequired } from '../../../institutes/institutes.service.ts'
import type { Context } from '../../../platform/context.ts'
import { lockSetting, readSetting, writeSetting } from '../../../platform/db/instance-settings.ts'
import { transact, type Command } from '../../../platform/idempotency.ts'
import { NO_INSTITUTE, recordAudit } from '../../audit/audit.service.ts'
import * as store from './requirement.store.ts'

/** Who asks for a second factor at a school. */
export type Requirement = { byInstitute: boolean; byOperator: boolean }

export async function readRequirement(
  { db }: Pick<Context, 'db'>,
  institute: Institute,
): Promise<Requirement> {
  const [byInstitute, byOperator] = await Promise.all([
    store.isRequiredAt(db, institute.id),
    isRequiredOfAll({ db }),
  ])
  return { byInstitute, byOperator }
}

export async function isRequiredOfAll({ db }: Pick<Context, 'db'>): Promise<boolean> {
  return (await readSetting(db, 'second_factor')) === 'required'
}

export type RequirementChange = { before: boolean; after: boolean }

/** Everybody who works at the school needs one. Who has none is led to set one up first, so nobody is shut out. */
export async function requireAt(
  { db }: Context,
  command: Command<RequirementChange>,
  institute: Institute,
  isRequired: boolean,
): Promise<RequirementChange> {
  return transact(db, command, async tx => {
    const before = await setSecondFactorRequired(tx, institute.id, isRequired)
    return { before, after: isRequired }
  })
}

/** Everybody who signs in to the console needs one, operators too. */
export async function requireOfAll(
  { db }: Context,
  command: Command<RequirementChange>,
  isRequired: boolean,
): Promise<RequirementChange> {
  return transact(db, command, async tx => {
    await lockSetting(tx, 'second_factor')
    const before = (await readSetting(tx, 'second_factor')) === 'required'
    await writeSetting(tx, 'second_factor', isRequired ? 'required' : 'optional')
    return { before, after: isRequired }
  })
}

/** Used by the command line, for one school or for all. */
export async function requireByCommand(
  ctx: Context,
  institute: Institute | null,
  isRequired: boolean,
): Promise<RequirementChange> {
  const instituteId = institute?.id ?? NO_INSTITUTE
  const command: Command<RequirementChange> = {
    instituteId,
    audit: (tx, change) =>
      recordAudit(
        tx,
        ctx,
        { instituteId, actor: 'command line' },
        requirementNote(institute?.code ?? 'installation', change),
      ),
  }
  return institute === null
    ? requireOfAll(ctx, command, isRequired)
    : requireAt(ctx, command, institute, isRequired)
}

export function requirementNote(about: string, { before, after }: RequirementChange) {
  return {
    what: 'second_factor.requirement.changed',
    about,
    before: { required: before },
    after: { required: after },
  }
}
