import { badField } from '../platform/errors.ts'
import type { Language } from '../platform/languages.ts'
import type { Scope } from './scopes.rules.ts'

export type Branch = { collectorCode: string; name: string; isDefault: boolean }

export type Institute = {
  id: number
  code: string
  name: string
  strictCatalogue: boolean
  /** The school's own colour and the picture that stands on its pages, by the tag of its content. */
  color: string | null
  logoTag: string | null
  /** Language of families' pages until the payer chooses; null: the browser's. */
  familyLanguage: Language | null
  /** Parents may sign in with a code that is sent to their phone or mail. */
  hasParentSignIn: boolean
  /** Students that the ERP keeps cannot be edited by the office. */
  locksErpStudents: boolean
  branches: readonly Branch[]
}

/** What an institute decides about the pages of its families. */
export type FamilyPages = Pick<Institute, 'familyLanguage' | 'hasParentSignIn'>

const INSTITUTE_CODE = /^[a-z0-9][a-z0-9-]{0,62}$/

/** It stands in addresses and on the command line. */
export function isInstituteCode(text: string): boolean {
  return INSTITUTE_CODE.test(text)
}

/** A code of the institute's own vocabulary. */
export type CatalogueEntry = { kind: 'grade' | 'component' | 'discount'; code: string }

/** The institute and scopes of the API key that a request came with. */
export type Caller = {
  institute: Institute
  keyId: string
  scopes: readonly Scope[]
  ratePerSecond: number | null
  burst: number | null
}

/** The branch that a request is about: with one branch it is that one, whatever was sent. */
export function branchFor(
  institute: Institute,
  collectorCode: string | null | undefined,
  key = 'collector_code',
): string {
  const [only, second] = institute.branches
  if (only !== undefined && second === undefined) return only.collectorCode
  if (collectorCode === undefined || collectorCode === null) {
    throw badField(key, `is required, this institute has several branches: ${listBranches(institute)}`)
  }
  return knownBranch(institute, collectorCode, key)
}

/** The branch that a list is filtered by: with one branch it is that one, whatever was sent. */
export function branchFilter(institute: Institute, collectorCode: string | undefined): string | undefined {
  return collectorCode === undefined ? undefined : branchFor(institute, collectorCode)
}

export function knownBranch(institute: Institute, collectorCode: string, key: string): string {
  if (institute.branches.some(branch => branch.collectorCode === collectorCode)) return collectorCode
  throw badField(key, `is not a branch of this institute; its branches are: ${listBranches(institute)}`)
}

export function defaultBranch(institute: Institute): string {
  const branch = institute.branches.find(candidate => candidate.isDefault) ?? institute.branches[0]
  if (branch === undefined)
    throw badField('collector_code', 'cannot be chosen: the institute has no branch yet')
  return branch.collectorCode
}

function listBranches(institute: Institute): string {
  return institute.branches.map(branch => branch.collectorCode).join(', ')
}
