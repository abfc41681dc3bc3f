import type { Institute } from '../../institutes/institutes.rules.ts'
import { notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { innerCommand, type Command } from '../../platform/idempotency.ts'
import {
  listErpSettings,
  removeErpSettings,
  setErpSettings,
  type ErpSettings,
  type WantedSettings,
} from '../../erp/settings/settings.service.ts'

export type ErpChange = { before: ErpSettings | null; after: ErpSettings | null; isSecretNew: boolean }

/** By a form that never shows the secret: it stays unless a new one is given. */
export async function setErp(
  ctx: Context,
  command: Command<ErpChange>,
  institute: Institute,
  wanted: WantedSettings,
): Promise<ErpChange> {
  const before = await settingsOf(ctx, institute, wanted.collectorCode)
  const isSecretNew = wanted.password !== undefined || wanted.header?.value !== undefined
  const complete = (after: ErpSettings): ErpChange => ({ before, after, isSecretNew })
  const inner = innerCommand(command, complete)
  return complete(await setErpSettings(ctx, inner, institute, { ...wanted, keepsSecret: true }))
}

export async function removeErp(
  ctx: Context,
  command: Command<ErpChange>,
  institute: Institute,
  collectorCode: string | undefined,
): Promise<ErpChange> {
  const before = await settingsOf(ctx, institute, collectorCode)
  if (before === null) throw notFound('This connection')
  const change = { before, after: null, isSecretNew: false }
  await removeErpSettings(
    ctx,
    innerCommand<boolean, ErpChange>(command, () => change),
    institute,
    collectorCode,
  )
  return change
}

/** With one branch there is only the institute. */
async function settingsOf(
  ctx: Context,
  institute: Institute,
  collectorCode: string | undefined,
): Promise<ErpSettings | null> {
  const place = institute.branches.length === 1 ? null : (collectorCode ?? null)
  return (await listErpSettings(ctx, institute)).find(one => one.collectorCode === place) ?? null
}
