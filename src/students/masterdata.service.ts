import { listEntries } from '../institutes/catalogue.service.ts'
import {
  branchFilter,
  branchFor,
  type Branch,
  type CatalogueEntry,
  type Institute,
} from '../institutes/institutes.rules.ts'
import type { Context } from '../platform/context.ts'

/** The institute's branches, or the one that is asked for. */
export function listBranches(institute: Institute, collectorCode: string | undefined): Branch[] {
  const only = branchFilter(institute, collectorCode)
  return institute.branches
    .filter(branch => only === undefined || branch.collectorCode === only)
    .toSorted((one, other) => (one.collectorCode < other.collectorCode ? -1 : 1))
}

/** A branch has the institute's codes; naming one that does not exist is still a mistake. */
export async function listCodes(
  ctx: Context,
  institute: Institute,
  kind: CatalogueEntry['kind'],
  collectorCode: string | undefined,
): Promise<{ code: string; name: string }[]> {
  if (collectorCode !== undefined) branchFor(institute, collectorCode)
  return listEntries(ctx, institute, kind)
}
