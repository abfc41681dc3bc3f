import type { Institute } from '../../institutes/institutes.rules.ts'
import { notFound } from '../../platform/errors.ts'
import type { Ground } from '../../platform/context.ts'
import { innerAct, type Act } from '../../platform/idempotency.ts'
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
  ground: Ground,
  act: Act<ErpChange>,
  institute: Institute,
  wanted: WantedSettings,
): Promise<ErpChange> {
  const before = await settingsOf(ground, institute, wanted.collectorCode)
  const isSecretNew = wanted.password !== undefined || wanted.header?.value !== undefined
  const complete = (after: ErpSettings): ErpChange => ({ before, after, isSecretNew })
  const inner = innerAct(act, complete)
  return complete(await setErpSettings(ground, inner, institute, { ...wanted, keepsSecret: true }))
}

export async function removeErp(
  ground: Ground,
  act: Act<ErpChange>,
  institute: Institute,
  collectorCode: string | undefined,
): Promise<ErpChange> {
  const before = await settingsOf(ground, institute, collectorCode)
  if (before === null) throw notFound('This connection')
  const change = { before, after: null, isSecretNew: false }
  await removeErpSettings(
    ground,
    innerAct<boolean, ErpChange>(act, () => change),
    institute,
    collectorCode,
  )
  return change
}

/** With one branch there is only the institute. */
async function settingsOf(
  ground: Ground,
  institute: Institute,
  collectorCode: string | undefined,
): Promise<ErpSettings | null> {
  const place = institute.branches.length === 1 ? null : (collectorCode ?? null)
  return (await listErpSettings(ground, institute)).find(one => one.collectorCode === place) ?? null
}
