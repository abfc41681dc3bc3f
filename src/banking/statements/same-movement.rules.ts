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
  const sifted: Sifted<Own> = { fresh: [], same: [], doubtful: [] }
  const ofOthers = Map.groupBy(others.map(described), ({ line }) => keyOf(line))
  for (const [key, group] of Map.groupBy(lines.map(described), ({ line }) => keyOf(line))) {
    const left = { own: group, others: ofOthers.get(key) ?? [] }
    sifted.same.push(...pair(left, isSameReference))
    sifted.same.push(...pair(left, (one, other) => one.references.length * other.references.length === 0))
    sifted.doubtful.push(...pair(left, () => true))
    sifted.fresh.push(...left.own.map(({ line }) => line))
  }
  return sifted
}

type Described<One> = { line: One; references: string[]; said: string }

const keyOf = ({ day, amountPaise }: Line): string => `${day} ${amountPaise}`

/** A UTR, the number of a cheque or of a UPI payment. */
function described<One extends Line>(line: One): Described<One> {
  const words = `${line.reference ?? ''} ${line.text}`.toUpperCase()
  const references = (words.match(/[A-Z0-9]{6,}/g) ?? []).filter(word => /\d.*\d.*\d.*\d/.test(word))
  return { line, references, said: words.replaceAll(/[^A-Z0-9]/g, '') }
}

function isSameReference(one: Described<Line>, other: Described<Line>): boolean {
  const isIn = ({ references }: Described<Line>, { said }: Described<Line>): boolean =>
    references.some(reference => said.includes(reference))
  return isIn(one, other) || isIn(other, one)
}

/** Takes pairs out of what is left; answers our side of them. */
function pair<Own extends Line>(
  left: { own: Described<Own>[]; others: Described<Line>[] },
  isPair: (one: Described<Line>, other: Described<Line>) => boolean,
): Own[] {
  const paired: Own[] = []
  left.own = left.own.filter(one => {
    const at = left.others.findIndex(other => isPair(one, other))
    if (at === -1) return true
    left.others = left.others.toSpliced(at, 1)
    paired.push(one.line)
    return false
  })
  return paired
}
