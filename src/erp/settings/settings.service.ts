import { knownBranch, type Institute } from '../../institutes/institutes.rules.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { badField, badFields } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import {
  mayKeepSecret,
  settingsProblems,
  STANDARD_LOOKUP,
  STANDARD_MAX_CALLS,
  tidyLookup,
  type ErpAuth,
  type ErpSettings,
  type WantedSettings,
} from './settings.rules.ts'
import * as store from './settings.store.ts'

export type { ErpSettings, WantedSettings } from './settings.rules.ts'
export type { StoredSettings } from './settings.store.ts'

/** Sets where an institute's ERP, or that of one of its branches, is asked for students. Replaces all that was set. */
export async function setErpSettings(
  ctx: Context,
  command: Command<ErpSettings>,
  institute: Institute,
  wanted: WantedSettings,
): Promise<ErpSettings> {
  const problems = settingsProblems(wanted, ctx.mode)
  if (problems.length > 0) throw badFields(problems)
  const collectorCode = branchOf(institute, wanted.collectorCode)
  const { auth, secret } = readAuth(wanted)
  const place = { instituteId: institute.id, collectorCode }
  return transact(ctx.db, command, async tx => {
    const secretSealed =
      secret === undefined
        ? await keptSecret(tx, place, { url: wanted.url, auth })
        : secret === null
          ? null
          : ctx.vault.seal(secret, sealPurpose(place))
    return withoutSecret(
      await store.saveSettings(tx, {
        ...place,
        url: wanted.url,
        auth,
        secretSealed,
        lookup: tidyLookup(wanted.lookup ?? STANDARD_LOOKUP),
        customSchedule: wanted.customSchedule ?? false,
        maxCalls: wanted.maxCalls ?? STANDARD_MAX_CALLS,
      }),
    )
  })
}

async function keptSecret(
  tx: Transaction,
  place: { instituteId: number; collectorCode: string | null },
  after: Pick<ErpSettings, 'url' | 'auth'>,
): Promise<Buffer | null> {
  const known = await store.listSettings(tx, [place.instituteId])
  const before = known.find(({ collectorCode }) => collectorCode === place.collectorCode)
  if (before !== undefined && mayKeepSecret(before, after)) return before.secretSealed
  throw badField(
    after.auth.kind === 'basic' ? 'password' : 'header.value',
    'is needed: what was set is kept only for the same host and the same name',
  )
}

/** From now on nothing is fetched, and what is stored counts as fresh. Removing what is not there is no mistake. */
export async function removeErpSettings(
  ctx: Context,
  command: Command<boolean>,
  institute: Institute,
  collectorCode: string | undefined,
): Promise<boolean> {
  const branch = branchOf(institute, collectorCode)
  return transact(ctx.db, command, async tx => store.deleteSettings(tx, institute.id, branch))
}

/** The institute's own and those of its branches, without secrets. */
export async function listErpSettings(ctx: Context, institute: Institute): Promise<ErpSettings[]> {
  return (await store.listSettings(ctx.db, [institute.id])).map(withoutSecret)
}

/** The header by which the ERP knows us. */
export function authHeaders({ vault }: Context, settings: store.StoredSettings): Record<string, string> {
  const { auth, secretSealed } = settings
  if (auth.kind === 'none' || secretSealed === null) return {}
  const secret = vault.open(secretSealed, sealPurpose(settings))
  if (auth.kind === 'header') return { [auth.headerName]: secret }
  return { authorization: `Basic ${Buffer.from(`${auth.username}:${secret}`).toString('base64')}` }
}

/** With one branch there is only the institute. */
function branchOf(institute: Institute, collectorCode: string | undefined): string | null {
  if (collectorCode === undefined) return null
  if (institute.branches.length === 1) return null
  return knownBranch(institute, collectorCode, 'collector_code')
}

/** Binds a sealed value to its row. */
function sealPurpose(place: { instituteId: number; collectorCode: string | null }): string {
  return `erp secret of institute ${place.instituteId}, ${place.collectorCode ?? 'all branches'}`
}

/** `secret`: null when there is none, undefined when the one that is set is to stay. */
function readAuth(wanted: WantedSettings): { auth: ErpAuth; secret: string | null | undefined } {
  const { username, password, header, keepsSecret = false } = wanted
  if (username !== undefined) {
    return { auth: { kind: 'basic', username }, secret: password ?? (keepsSecret ? undefined : '') }
  }
  if (header !== undefined) return { auth: { kind: 'header', headerName: header.name }, secret: header.value }
  return { auth: { kind: 'none' }, secret: null }
}

function withoutSecret(stored: store.StoredSettings): ErpSettings {
  const { collectorCode, url, auth, lookup, customSchedule, maxCalls, updatedAt } = stored
  return { collectorCode, url, auth, lookup, customSchedule, maxCalls, updatedAt }
}
