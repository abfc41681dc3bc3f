import { conflict, notFound } from '../platform/errors.ts'
import type { Ground } from '../platform/ground.ts'
import { newSecret } from '../platform/secrets.ts'
import type { Branch, Institute } from './institutes.rules.ts'
import * as store from './institutes.store.ts'

export type NewInstitute = {
  code: string
  name: string
  strictCatalogue: boolean
  /** The first one is the default branch. */
  branches: readonly { collectorCode: string; name: string }[]
}

export async function createInstitute(ground: Ground, input: NewInstitute): Promise<Institute> {
  const { db, vault } = ground
  await db.transaction(async tx => {
    const callbackKeySealed = vault.seal(newSecret(), callbackKeyPurpose(input.code))
    const id = await store.insertInstitute(tx, { ...input, callbackKeySealed })
    if (id === null) throw conflict(`There is already an institute with the code ${input.code}.`)
    for (const [index, branch] of input.branches.entries()) {
      const isNew = await store.insertBranch(tx, id, { ...branch, isDefault: index === 0 })
      if (!isNew) throw conflict(`The branch ${branch.collectorCode} is named twice.`)
    }
  })
  return getInstitute(ground, input.code)
}

export async function getInstitute({ db }: Ground, code: string): Promise<Institute> {
  const institute = await store.findInstitute(db, code)
  if (institute === null) throw notFound(`The institute ${code}`)
  return institute
}

export async function findInstitute({ db }: Ground, code: string): Promise<Institute | null> {
  return store.findInstitute(db, code)
}

/** Those of these ids, in any order. */
export async function getInstitutesById({ db }: Ground, ids: readonly number[]): Promise<Institute[]> {
  return store.findInstitutes(db, ids)
}

export async function listInstitutes({ db }: Ground): Promise<Institute[]> {
  return store.listInstitutes(db)
}

export async function setStrictCatalogue(ground: Ground, code: string, strict: boolean): Promise<Institute> {
  const institute = await getInstitute(ground, code)
  await store.setStrict(ground.db, institute.id, strict)
  return getInstitute(ground, code)
}

export async function addBranch(ground: Ground, code: string, branch: Branch): Promise<Institute> {
  const institute = await getInstitute(ground, code)
  await ground.db.transaction(async tx => {
    await store.lockInstitute(tx, institute.id)
    if (branch.isDefault) await store.clearDefaultBranch(tx, institute.id)
    const isNew = await store.insertBranch(tx, institute.id, branch)
    if (!isNew) throw conflict(`${institute.name} already has a branch ${branch.collectorCode}.`)
  })
  return getInstitute(ground, code)
}

/** The key that signs a payer's return to the ERP. */
export async function readCallbackKey({ db, vault }: Ground, institute: Institute): Promise<string> {
  const sealed = await store.readCallbackKey(db, institute.id)
  if (sealed === null) throw notFound(`The institute ${institute.code}`)
  return vault.open(sealed, callbackKeyPurpose(institute.code))
}

function callbackKeyPurpose(instituteCode: string): string {
  return `callback key of ${instituteCode}`
}
