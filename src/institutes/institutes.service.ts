import * as store from './institutes.store.ts'
import type { Queryable, Transaction } from '../platform/db/database.ts'
import { conflict, notFound, SchoolMoving } from '../platform/errors.ts'
import type { Context } from '../platform/context.ts'
import { transact, type Command } from '../platform/idempotency.ts'
import { newSecret } from '../platform/secrets.ts'
import {
  type Branch,
  type FamilyPages,
  type Institute,
  isBeyond,
  type ApprovalLimits,
  type MoneyGiven,
} from './institutes.rules.ts'
import { newId } from '../platform/ids.ts'
import { ZERO, type Paise } from '../platform/money.ts'

export type NewInstitute = {
  code: string
  name: string
  strictCatalogue: boolean
  /** The first one is the default branch. */
  branches: readonly { collectorCode: string; name: string }[]
}

/** An command of the installation's, and of nobody who is to be remembered. */
const UNSEEN: Command<unknown> = { instituteId: 0 }

export async function createInstitute(
  ctx: Context,
  input: NewInstitute,
  command: Command<Institute> = UNSEEN,
): Promise<Institute> {
  const { db, vault } = ctx
  return transact(db, command, async tx => {
    const callbackKeySealed = vault.seal(newSecret(), callbackKeyPurpose(input.code))
    const id = await store.insertInstitute(tx, { ...input, callbackKeySealed })
    if (id === null) throw conflict(`There is already an institute with the code ${input.code}.`)
    for (const [index, branch] of input.branches.entries()) {
      const isNew = await store.insertBranch(tx, id, { ...branch, isDefault: index === 0 })
      if (!isNew) throw conflict(`The branch ${branch.collectorCode} is named twice.`)
    }
    return required(tx, input.code)
  })
}

/** What parents and people at the console read; its code stays. */
export async function renameInstitute(
  { db }: Context,
  command: Command<RenamedInstitute>,
  code: string,
  name: string,
): Promise<RenamedInstitute> {
  return transact(db, command, async tx => {
    const { id, name: before } = await required(tx, code)
    await store.setName(tx, id, name)
    return { code, before, after: name }
  })
}

/** Where parents sign in. */
export const FAMILY_ADDRESS = '/school'

export function familyPageUrl({ publicUrl }: Pick<Context, 'publicUrl'>, { code }: Institute): string {
  return `${publicUrl}${FAMILY_ADDRESS}/${code}`
}

export async function setFamilyPages(
  { db }: Context,
  command: Command<Institute>,
  code: string,
  pages: FamilyPages,
): Promise<Institute> {
  return transact(db, command, async tx => {
    const { id } = await required(tx, code)
    await store.setFamilyPages(tx, id, pages)
    return required(tx, code)
  })
}

/** Whether staff need a second factor; answers how it was before. */
export async function setSecondFactorRequired(
  tx: Transaction,
  instituteId: number,
  isRequired: boolean,
): Promise<boolean> {
  return store.setSecondFactorRequired(tx, instituteId, isRequired)
}

export type RenamedInstitute = { code: string; before: string; after: string }

export type ErpLock = { before: boolean; isLocked: boolean }

/** Whether the office may edit students that the ERP keeps. */
export async function setErpLock(
  { db }: Context,
  command: Command<ErpLock>,
  institute: Institute,
  isLocked: boolean,
): Promise<ErpLock> {
  return transact(db, command, async tx => {
    await store.setErpLock(tx, institute.id, isLocked)
    return { before: institute.locksErpStudents, isLocked }
  })
}

export async function getInstitute(ctx: Context, code: string): Promise<Institute> {
  const institute = await findInstitute(ctx, code)
  if (institute === null) throw notFound(`The institute ${code}`)
  return institute
}

async function required(db: Queryable, code: string): Promise<Institute> {
  const institute = await store.findInstitute(db, code)
  if (institute === null) throw notFound(`The institute ${code}`)
  return institute
}

export async function findInstitute({ db }: Context, code: string): Promise<Institute | null> {
  const institute = await store.findInstitute(db, code)
  if (institute === null) await refuseIfLeft(db, 'code', code)
  return institute
}

/**
 * A school that has moved to another cell is unknown here, but whoever still asks here is not told so: the same again is
 * sent to the right cell. Callbacks are sent on instead: forward.service.ts.
 */
export async function refuseIfLeft(db: Queryable, by: store.SchoolName, value: string): Promise<void> {
  if ((await store.findLeft(db, by, value)) !== null) throw new SchoolMoving()
}

/** Reads institutes by their ids, in any order. */
export async function getInstitutesById({ db }: Context, ids: readonly number[]): Promise<Institute[]> {
  return store.findInstitutes(db, ids)
}

export async function listInstitutes({ db }: Pick<Context, 'db'>): Promise<Institute[]> {
  return store.listInstitutes(db)
}

export async function setStrictCatalogue(ctx: Context, code: string, strict: boolean): Promise<Institute> {
  const institute = await getInstitute(ctx, code)
  await store.setStrict(ctx.db, institute.id, strict)
  return getInstitute(ctx, code)
}

export async function addBranch(
  { db }: Context,
  code: string,
  branch: Branch,
  command: Command<Institute> = UNSEEN,
): Promise<Institute> {
  return transact(db, command, async tx => {
    const institute = await required(tx, code)
    await store.lockInstitute(tx, institute.id)
    if (branch.isDefault) await store.clearDefaultBranch(tx, institute.id)
    const isNew = await store.insertBranch(tx, institute.id, branch)
    if (!isNew) throw conflict(`${institute.name} already has a branch ${branch.collectorCode}.`)
    return required(tx, code)
  })
}

export type NewDefault = { code: string; before: string | undefined; after: string }

/** The branch of whatever names none. */
export async function setDefaultBranch(
  { db }: Context,
  command: Command<NewDefault>,
  { code, collectorCode }: { code: string; collectorCode: string },
): Promise<NewDefault> {
  return transact(db, command, async tx => {
    const { id } = await required(tx, code)
    await store.lockInstitute(tx, id)
    const { branches } = await required(tx, code)
    if (!branches.some(branch => branch.collectorCode === collectorCode)) throw notFound('This branch')
    await store.clearDefaultBranch(tx, id)
    await store.setDefaultBranch(tx, id, collectorCode)
    const before = branches.find(({ isDefault }) => isDefault)?.collectorCode
    return { code, before, after: collectorCode }
  })
}

/** The key that signs a payer's return to the ERP. */
export async function readCallbackKey({ db, vault }: Context, institute: Institute): Promise<string> {
  const sealed = await store.readCallbackKey(db, institute.id)
  if (sealed === null) throw notFound(`The institute ${institute.code}`)
  return vault.open(sealed, callbackKeyPurpose(institute.code))
}

function callbackKeyPurpose(instituteCode: string): string {
  return `callback key of ${instituteCode}`
}

/** How papers name people of the office: by their names, or as they are known where there is none. */
export async function readStaffNames(
  { db }: Pick<Context, 'db'>,
  emails: readonly (string | null)[],
): Promise<(email: string) => string> {
  const known = emails.filter(email => email !== null)
  const names = known.length === 0 ? [] : await store.listStaffNames(db, known)
  const byEmail = new Map(names.map(({ email, name }) => [email, name]))
  return email => byEmail.get(email) ?? email
}

/** Beyond them what a person gives away needs a second one; null: nothing does. */
export async function readApprovalLimits(db: Queryable, instituteId: number): Promise<ApprovalLimits | null> {
  return store.findLimits(db, instituteId)
}

export async function writeApprovalLimits(
  tx: Transaction,
  instituteId: number,
  limits: ApprovalLimits | null,
): Promise<void> {
  await store.writeLimits(tx, instituteId, limits)
}

type GivingAct = {
  act: string
  gifts: readonly MoneyGiven[]
  wholePaise?: Paise
  at: Date
}

/**
 * Whether one person may give this alone; if so, it is written down and counts from then on. It is asked in the
 * transaction of the act, which holds the order or the child, and last of all: the row of the limits is locked until the
 * commit, so that of two acts for one child the later knows of the earlier, whatever each of them holds besides.
 */
export async function giveAlone(
  tx: Transaction,
  instituteId: number,
  { act, gifts: all, wholePaise = ZERO, at }: GivingAct,
): Promise<boolean> {
  const gifts = all.filter(gift => gift.amountPaise > 0)
  if (gifts.length === 0 && wholePaise === 0) return true
  const limits = await store.lockLimits(tx, instituteId)
  if (limits === null) return true
  const abouts = [...new Set(gifts.map(gift => gift.about))]
  const earlier = await store.sumGiven(tx, instituteId, abouts)
  if (isBeyond(limits, gifts, { wholePaise, earlier })) return false
  await store.insertGiven(
    tx,
    gifts.map(({ about, amountPaise, refundId = null }) => {
      return { instituteId, id: newId('given'), about, act, amountPaise, refundId, givenAt: at }
    }),
  )
  return true
}

/** A refund that failed gave nothing. */
export async function forgetRefund(tx: Transaction, instituteId: number, refundId: string): Promise<void> {
  await store.deleteOfRefund(tx, instituteId, refundId)
}
