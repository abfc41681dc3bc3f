import type { StatementLine } from './lines.rules.ts'

type Line = Pick<StatementLine, 'day' | 'amountPaise' | 'text' | 'reference'>

/** What becomes of lines that no statement has in these words. */
export type Sifted<Own> = {
  fresh: Own[]
  /** On a statement of another format, in the bank's other words. */
  same: Own[]
  /** The day and amount of such a line, but both have a reference and not the same one: a person has to say. */
  doubtful: Own[]
}

/**
 * A bank words one booking differently in its CSV file and in MT940. Lines of a day and amount are paired one to one with
 * those that another format brought: first by a reference that both name, then where one of them names none. The third
 * booking of an amount is new when there were two, whatever they say.
 */
export function siftLines<Own extends Line>(lines: readonly Own[], others: readonly Line[]): Sifted<Own> {
  const [own, known] = [describe(lines), describe(others)]
  const sifted: Sifted<Own> = { fresh: [], same: [], doubtful: [] }
  const ofOthers = Map.groupBy(known, ({ line }) => keyOf(line))
  for (const [key, group] of Map.groupBy(own, ({ line }) => keyOf(line))) {
    const left = pairByReference(group, ofOthers.get(key) ?? [])
    const [unnamed, named] = parted(left.own)
    const [otherUnnamed, otherNamed] = parted(left.others)
    // One that names nothing may be any of the other format; one that names something, only one that does not.
    const likely = Math.min(unnamed.length, left.others.length)
    const freeOthers = Math.max(otherUnnamed.length - unnamed.length, 0)
    const alsoLikely = Math.min(named.length, freeOthers)
    const namedOthers = otherNamed.length - Math.max(likely - otherUnnamed.length, 0)
    const asked = alsoLikely + Math.min(named.length - alsoLikely, namedOthers)
    sifted.same.push(...left.paired, ...unnamed.slice(0, likely), ...named.slice(0, alsoLikely))
    sifted.doubtful.push(...named.slice(alsoLikely, asked))
    sifted.fresh.push(...unnamed.slice(likely), ...named.slice(asked))
  }
  return sifted
}

type Described<One> = { line: One; references: ReadonlySet<string> }

const keyOf = ({ day, amountPaise }: Line): string => `${day} ${amountPaise}`

/** Those that name no reference, and the others. */
function parted<One>(some: readonly Described<One>[]): [One[], One[]] {
  const linesOf = (all: readonly Described<One>[]): One[] => all.map(({ line }) => line)
  return [
    linesOf(some.filter(one => one.references.size === 0)),
    linesOf(some.filter(one => one.references.size > 0)),
  ]
}

/** A UTR, the number of a cheque or of a UPI payment; with the letters before it, and without, since banks part them. */
function describe<One extends Line>(lines: readonly One[]): Described<One>[] {
  const named = lines.map(line => ({ line, references: referencesIn(line) }))
  const keys = new Map<string, Set<string>>()
  for (const { line, references } of named)
    for (const reference of references)
      keys.set(reference, (keys.get(reference) ?? new Set()).add(keyOf(line)))
  // What stands in bookings of several days or amounts, as an account's number does, names none of them.
  const isOfOne = (reference: string): boolean => (keys.get(reference)?.size ?? 0) === 1
  return named.map(({ line, references }) => ({
    line,
    references: new Set([...references].filter(isOfOne)),
  }))
}

function referencesIn({ day, reference, text }: Line): Set<string> {
  const words = `${reference ?? ''} ${text}`.toUpperCase().match(/[A-Z0-9]{6,}/g) ?? []
  const [year = '', month = '', date = ''] = day.split('-')
  const days = new Set([
    year + month + date,
    date + month + year,
    date + month + year.slice(2),
    year.slice(2) + month + date,
  ])
  const numbered = words.filter(word => /\d.*\d.*\d.*\d/.test(word))
  const numbers = numbered.flatMap(word => word.match(/\d{6,}/g) ?? [])
  return new Set([...numbered, ...numbers].filter(word => !days.has(word)))
}

/** Each with the first line that is left under one of its references. */
function pairByReference<Own extends Line>(
  own: readonly Described<Own>[],
  others: readonly Described<Line>[],
): { paired: Own[]; own: Described<Own>[]; others: Described<Line>[] } {
  const byReference = new Map<string, Described<Line>[]>()
  for (const other of others)
    for (const reference of other.references) {
      const named = byReference.get(reference)
      if (named === undefined) byReference.set(reference, [other])
      else named.push(other)
    }
  const taken = new Set<Described<Line>>()
  /** What is taken leaves the list, so that a reference of many lines is gone through once. */
  const takeUnder = (reference: string): boolean => {
    const named = byReference.get(reference) ?? []
    for (let other = named.pop(); other !== undefined; other = named.pop())
      if (!taken.has(other)) {
        taken.add(other)
        return true
      }
    return false
  }
  const isPaired = own.map(one => [...one.references].some(takeUnder))
  return {
    paired: own.filter((_, index) => isPaired[index]).map(({ line }) => line),
    own: own.filter((_, index) => !isPaired[index]),
    others: others.filter(other => !taken.has(other)),
  }
}
