import type { Institute } from '../institutes/institutes.rules.ts'
import { DAY_MS } from '../platform/calendar.ts'
import type { Context } from '../platform/context.ts'
import type { Queryable } from '../platform/db/database.ts'
import { conflict } from '../platform/errors.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import type { SecondIdentifier, UnitCall, UnitCredentials } from './biller-port.ts'
import type { AmountRule } from './bills.rules.ts'
import * as store from './biller.store.ts'
import type { Biller, SealedBiller } from './biller.store.ts'
import { FIRST_UNIT, unitOf } from './units/units.ts'

export type { Biller } from './biller.store.ts'

/** A change at the unit is reviewed there for some days; until then it signs with what it had. */
const REPLACED_LASTS_MS = 14 * DAY_MS

type Credentials = UnitCredentials & { previous: (UnitCredentials & { until: string })[] }

/** `schemeId` is no secret: it names the school to the unit. */
export type ShownBiller = Biller & { schemeId: string }
export type BillerChange = { before: Biller | null; after: ShownBiller }
/** `secret`: shown once. */
export type NewCredentials = ShownBiller & { secret: string }

/** Null: the school has not become a biller. */
export async function findBiller(
  { db, vault }: Pick<Context, 'db' | 'vault'>,
  { id }: Pick<Institute, 'id'>,
): Promise<ShownBiller | null> {
  const sealed = await store.findBiller(db, id)
  return sealed === null ? null : shown({ vault }, sealed)
}

type WantedBiller = { isOn: boolean; secondIdentifier: SecondIdentifier; amountRule: AmountRule }

/** Sets up how families are asked and how much apps take; the credentials of the unit are made with the first. */
export async function setBiller(
  ctx: Pick<Context, 'db' | 'clock' | 'vault'>,
  command: Command<BillerChange>,
  { institute, by }: { institute: Institute; by: string },
  wanted: WantedBiller,
): Promise<BillerChange> {
  return transact(ctx.db, command, async tx => {
    const before = await store.findBiller(tx, institute.id)
    const kept = before ?? {
      instituteId: institute.id,
      unit: FIRST_UNIT.name,
      heardAt: null,
      credentialsSealed: seal(ctx, institute.id, { ...FIRST_UNIT.newCredentials(), previous: [] }),
    }
    const after = { ...kept, ...wanted, changedAt: ctx.clock.now(), changedBy: by }
    await store.writeBiller(tx, after)
    return { before: before && withoutSecrets(before), after: shown(ctx, after) }
  })
}

/** New ones for the unit. Those that it has go on for two weeks, because a change there takes days. */
export async function renewCredentials(
  ctx: Pick<Context, 'db' | 'clock' | 'vault'>,
  command: Command<NewCredentials>,
  { institute, by }: { institute: Institute; by: string },
): Promise<NewCredentials> {
  return transact(ctx.db, command, async tx => {
    const before = await store.findBiller(tx, institute.id)
    if (before === null)
      throw conflict('Save how families are asked first; then the credentials can be shown.')
    const now = new Date()
    const { previous, ...last } = open(ctx, before)
    const made = unitOf(before.unit).newCredentials()
    const until = new Date(now.getTime() + REPLACED_LASTS_MS).toISOString()
    const live = previous.filter(one => new Date(one.until) > now).slice(-3)
    const credentialsSealed = seal(ctx, institute.id, { ...made, previous: [...live, { ...last, until }] })
    const after = { ...before, credentialsSealed, changedAt: ctx.clock.now(), changedBy: by }
    await store.writeBiller(tx, after)
    return { ...shown(ctx, after), secret: made.secret }
  })
}

/** The biller that a unit calls for; null unless the call is signed for a school that is one. */
export async function authenticate(
  ctx: Pick<Context, 'db' | 'clock' | 'vault'>,
  instituteId: number,
  call: UnitCall,
): Promise<Biller | null> {
  const sealed = await store.findBiller(ctx.db, instituteId)
  if (sealed === null) return null
  // Tokens run on real time.
  const now = new Date()
  const { previous, ...current } = open(ctx, sealed)
  const live = previous.filter(one => new Date(one.until) > now)
  const unit = unitOf(sealed.unit)
  if (![current, ...live].some(one => unit.isSigned(call, one, now))) return null
  await store.recordHeard(ctx.db, instituteId, ctx.clock.now())
  return withoutSecrets(sealed)
}

/** What the unit would sign with now, for a sandbox that plays it and for the test of the settings. */
export async function readCredentials(
  { db, vault }: { db: Queryable; vault: Context['vault'] },
  instituteId: number,
): Promise<{ biller: Biller; credentials: UnitCredentials } | null> {
  const sealed = await store.findBiller(db, instituteId)
  if (sealed === null) return null
  const { schemeId, secret } = open({ vault }, sealed)
  return { biller: withoutSecrets(sealed), credentials: { schemeId, secret } }
}

function shown({ vault }: Pick<Context, 'vault'>, sealed: SealedBiller): ShownBiller {
  return { ...withoutSecrets(sealed), schemeId: open({ vault }, sealed).schemeId }
}

function withoutSecrets({ credentialsSealed: _sealed, ...biller }: SealedBiller): Biller {
  return biller
}

const purposeOf = (instituteId: number): string => `biller ${instituteId}`

function seal({ vault }: Pick<Context, 'vault'>, instituteId: number, credentials: Credentials): Buffer {
  return vault.seal(JSON.stringify(credentials), purposeOf(instituteId))
}

function open(
  { vault }: Pick<Context, 'vault'>,
  { instituteId, credentialsSealed }: Pick<SealedBiller, 'instituteId' | 'credentialsSealed'>,
): Credentials {
  return JSON.parse(vault.open(credentialsSealed, purposeOf(instituteId))) as Credentials
}
