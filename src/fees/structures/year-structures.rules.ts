import type { FeeStructure } from './structure.rules.ts'

/** What one year costs: by the institute's structure, and in branches that have one of their own by that. */
export type YearStructures = {
  shared: FeeStructure | null
  /** By branch. */
  own: ReadonlyMap<string, FeeStructure>
}

export function structureFor({ shared, own }: YearStructures, collectorCode: string): FeeStructure | null {
  return own.get(collectorCode) ?? shared
}

/** The branches whose students cost what this structure says; null is the institute's. */
export function branchesUnder(
  { own }: YearStructures,
  collectorCode: string | null,
  branches: readonly { collectorCode: string }[],
): string[] {
  if (collectorCode !== null) return [collectorCode]
  return branches.map(branch => branch.collectorCode).filter(code => !own.has(code))
}

/** Every name of a concession by rule, of whichever branch: a child who changes the branch leaves those of the old one. */
export function ruleNamesOf(structures: YearStructures): Set<string> {
  return new Set(allOf(structures).flatMap(one => one.concessions.map(rule => rule.discountType)))
}

/** The classes of all branches in one order, so that brothers and sisters of two branches are counted the same from both. */
export function gradesOf(structures: YearStructures): string[] {
  return mergeOrders(allOf(structures).map(one => one.grades))
}

function allOf({ shared, own }: YearStructures): FeeStructure[] {
  const ofBranches = [...own].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, of]) => of)
  return shared === null ? ofBranches : [shared, ...ofBranches]
}

/** The first order stays; what only later ones have comes behind what it follows there. */
export function mergeOrders(orders: readonly (readonly string[])[]): string[] {
  const merged: string[] = []
  for (const order of orders) {
    let at = 0
    for (const name of order) {
      const known = merged.indexOf(name)
      if (known < 0) merged.splice(at, 0, name)
      at = (known < 0 ? at : known) + 1
    }
  }
  return merged
}
