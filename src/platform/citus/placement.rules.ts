/**
 * Where each table goes when Bursar's database is spread over the nodes of a Citus: a school's rows to the shard of its
 * institute, what all schools share to every node, and the rest stays whole on the coordinator.
 */
export type Table = {
  name: string
  /** It has a column institute_id that is never null. */
  hasInstitute: boolean
  /** Unique constraints that do not contain it, which no shard could check alone. */
  wideKeys: readonly string[]
  references: readonly string[]
}

export type Kind = 'distributed' | 'reference' | 'local'

export type Placement = { name: string; kind: Kind; because: string }

/** Every other table of a school lies on the shard of its students. */
export const FIRST_TABLE = 'students'

/** They have an institute and could be distributed. */
export const ELSEWHERE: Readonly<Record<string, Omit<Placement, 'name'>>> = {
  // So that finding out whose key it is asks no other node.
  branches: { kind: 'reference', because: 'read with every request, beside its school' },
  console_memberships: { kind: 'local', because: 'read for a person, over all schools' },
}

export function placeTables(tables: readonly Table[]): Placement[] {
  const distributed = new Set(tables.filter(isOfOneSchool).map(({ name }) => name))
  const referenced = new Set(
    tables.filter(({ name }) => distributed.has(name)).flatMap(({ references }) => references),
  )
  const placements = tables.map((table): Placement => {
    const { name } = table
    const elsewhere = ELSEWHERE[name]
    if (elsewhere !== undefined) return { name, ...elsewhere }
    if (distributed.has(name)) return { name, kind: 'distributed', because: 'rows of one school each' }
    if (referenced.has(name)) return { name, kind: 'reference', because: 'schools’ rows refer to it' }
    return { name, kind: 'local', because: whyLocal(table) }
  })
  return placements.toSorted((a, b) => rankOf(a) - rankOf(b) || a.name.localeCompare(b.name))
}

function isOfOneSchool({ name, hasInstitute, wideKeys }: Table): boolean {
  return hasInstitute && wideKeys.length === 0 && !(name in ELSEWHERE)
}

function whyLocal({ hasInstitute, wideKeys }: Table): string {
  if (hasInstitute) return `unique over all schools by ${wideKeys.join(', ')}`
  return 'of the installation'
}

/** Shared tables come first, and of the distributed ones the one that all others lie beside. */
function rankOf({ name, kind }: Placement): number {
  if (kind === 'reference') return 0
  if (kind === 'local') return 3
  return name === FIRST_TABLE ? 1 : 2
}

/** What no Citus can keep, in words: each would fail half way. */
export function findObstacles(tables: readonly Table[], placements: readonly Placement[]): string[] {
  const kinds = new Map(placements.map(({ name, kind }) => [name, kind]))
  return tables.flatMap(({ name, references }) =>
    references
      .filter(target => kinds.get(name) !== 'distributed' && kinds.get(target) === 'distributed')
      .map(target => `${name} is not distributed and has a foreign key to ${target}, which is`),
  )
}
