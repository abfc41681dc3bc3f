import { knownBranch, type Institute } from '../../institutes/institutes.rules.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { badField, badFields, BursarError, notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { hostProblem } from '../../platform/http-client/addresses.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import {
  isSameHost,
  mayKeepSecret,
  settingsFor,
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

/** The settings before and after a change. */
export type SettingsChange = { before: ErpSettings | null; after: ErpSettings | null }

type SettingsKey = { instituteId: number; collectorCode: string | null }

/** Sets where an institute's ERP, or that of one of its branches, is asked for students. Replaces all that was set. */
export async function setErpSettings(
  ctx: Context,
  command: Command<SettingsChange>,
  institute: Institute,
  wanted: WantedSettings,
): Promise<SettingsChange> {
  const badHost = hostProblem(wanted.url, ctx)
  const problems = settingsProblems(wanted, ctx.mode)
  if (badHost !== null) problems.push({ key: 'url', message: badHost })
  if (problems.length > 0) throw badFields(problems)
  const { auth, secret } = readAuth(wanted)
  const place = placeOf(institute, wanted.collectorCode)
  return transact(ctx.db, command, async tx => {
    const before = await settingsAt(tx, place)
    if (wanted.staysAtHost === true && (before === null || !isSameHost(before, wanted))) {
      throw new BursarError('AUE00001', 'Only an owner says from which host students and fees are fetched.')
    }
    const secretSealed =
      typeof secret === 'string'
        ? ctx.vault.seal(secret, sealPurpose(place))
        : secret === undefined
          ? keptSecret(before, { url: wanted.url, auth })
          : null
    await store.saveSettings(tx, {
      ...place,
      url: wanted.url,
      auth,
      secretSealed,
      lookup: tidyLookup(wanted.lookup ?? STANDARD_LOOKUP),
      customSchedule: wanted.customSchedule ?? false,
      maxCalls: wanted.maxCalls ?? STANDARD_MAX_CALLS,
    })
    return changeFrom(before, await settingsAt(tx, place))
  })
}

function keptSecret(
  before: store.StoredSettings | null,
  after: Pick<ErpSettings, 'url' | 'auth'>,
): Buffer | null {
  if (before !== null && mayKeepSecret(before, after)) return before.secretSealed
  throw badField(
    after.auth.kind === 'basic' ? 'password' : 'header.value',
    'is needed: what was set is kept only for the same host and the same name',
  )
}

/** After this nothing is fetched, and what is stored counts as fresh. */
export async function removeErpSettings(
  ctx: Context,
  command: Command<SettingsChange>,
  institute: Institute,
  { collectorCode, mustExist = false }: { collectorCode?: string | undefined; mustExist?: boolean },
): Promise<SettingsChange> {
  const place = placeOf(institute, collectorCode)
  return transact(ctx.db, command, async tx => {
    const before = await settingsAt(tx, place)
    if (before === null && mustExist) throw notFound('This connection')
    await store.deleteSettings(tx, place.instituteId, place.collectorCode)
    return changeFrom(before, null)
  })
}

async function settingsAt(tx: Transaction, place: SettingsKey): Promise<store.StoredSettings | null> {
  const all = await store.listSettings(tx, [place.instituteId])
  return all.find(({ collectorCode }) => collectorCode === place.collectorCode) ?? null
}

function changeFrom(before: store.StoredSettings | null, after: store.StoredSettings | null): SettingsChange {
  return { before: before && withoutSecret(before), after: after && withoutSecret(after) }
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

/** Where the ERP of a branch is called, and the headers by which it knows us; null when none is set. */
export async function callHeaders(
  ctx: Context,
  institute: Institute,
  collectorCode: string | undefined,
): Promise<{ url: string; headers: Record<string, string> } | null> {
  const settings = settingsFor(await store.listSettings(ctx.db, [institute.id]), collectorCode)
  return settings === null ? null : { url: settings.url, headers: authHeaders(ctx, settings) }
}

/** An institute with one branch has settings of its own and none of the branch. */
function placeOf(institute: Institute, collectorCode: string | undefined): SettingsKey {
  const { id: instituteId, branches } = institute
  if (collectorCode === undefined || branches.length === 1) return { instituteId, collectorCode: null }
  return { instituteId, collectorCode: knownBranch(institute, collectorCode, 'collector_code') }
}

/** Binds a sealed value to its row. */
function sealPurpose(place: SettingsKey): string {
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
  const { instituteId: _institute, secretSealed: _secret, ...settings } = stored
  return settings
}
