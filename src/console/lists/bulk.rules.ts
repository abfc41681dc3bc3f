import { badField, BursarError } from '../../platform/errors.ts'

export type LeftOut = { id: string; name: string; why: string }

/** An act on several: what it was done to, and what was left out. */
export type Bulk = { done: string[]; leftOut: LeftOut[] }

/** One request is for so many; who has more sends several, and sees how far it is. */
export const MOST_AT_ONCE = 100

const MOST_PICKED = 200
const ID = /^[A-Za-z0-9_.-]{1,64}$/

/** The rows of a list that `picked` names. */
export function pickedIds(picked: string): string[] {
  const ids = picked.split(',')
  if (ids.length <= MOST_PICKED && ids.every(id => ID.test(id))) return ids
  throw badField('picked', `must be at most ${MOST_PICKED} ids of this list, with commas between them`)
}

type NamedItem = { id: string; name: string }

/** Parts what a rule allows from what is left out, and says why. An id that fits nothing is left out. */
export function sift<Item extends NamedItem>(
  ids: readonly string[],
  found: readonly Item[],
  refusalOf: (item: Item) => string | null,
): { good: Item[]; leftOut: LeftOut[] } {
  const byId = new Map(found.map(item => [item.id, item]))
  const judged = [...new Set(ids)].map(id => {
    const item = byId.get(id)
    return { id, item, why: item === undefined ? 'It was not found.' : refusalOf(item) }
  })
  return {
    good: judged.flatMap(({ item, why }) => (item === undefined || why !== null ? [] : [item])),
    leftOut: judged.flatMap(({ id, item, why }) =>
      why === null ? [] : [{ id, name: item?.name ?? id, why }],
    ),
  }
}

/** The message of a rule that throws; null when it lets it pass. */
export function refusalFrom(rule: () => void): string | null {
  try {
    rule()
    return null
  } catch (error) {
    if (error instanceof BursarError) return error.message
    throw error
  }
}
