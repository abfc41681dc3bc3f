import { ALL_SETTINGS } from './settings.ts'

/** Shorter names are too near to those of other programs: POST is not a misspelt PORT. */
const SHORTEST_NAME = 7
const MOST_EDITS = 2
/** Of the tests and of the developer's command line. */
const OTHERS = /^BURSAR_(?:TEST|API|CLI)_/

/**
 * Variables that look like settings of ours and are none, one sentence each. They are warnings, because other programs
 * share the environment; Kubernetes, for one, sets BURSAR_PORT for a service that is called bursar.
 */
export function findMisspelt(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = Object.keys(ALL_SETTINGS)
  return Object.keys(env)
    .filter(name => !Object.hasOwn(ALL_SETTINGS, name))
    .flatMap(name => {
      const meant = nearest(name, known)
      if (meant !== null) return [`${name} is not a setting and was ignored; did you mean ${meant}?`]
      if (!name.startsWith('BURSAR_') || OTHERS.test(name)) return []
      return [`${name} is not a setting and was ignored; \`bursar config\` lists them.`]
    })
}

function nearest(name: string, known: readonly string[]): string | null {
  const plain = name.replace(/^BURSAR_/, '')
  if (plain !== name && known.includes(plain)) return plain
  const upper = name.toUpperCase()
  if (name !== upper && upper.length >= SHORTEST_NAME && known.includes(upper)) return upper
  const candidates = known
    .filter(candidate => candidate.length >= SHORTEST_NAME)
    .map(candidate => ({ candidate, edits: editDistance(name, candidate) }))
    .filter(({ edits }) => edits <= MOST_EDITS)
    .sort((a, b) => a.edits - b.edits)
  return candidates[0]?.candidate ?? null
}

/** Levenshtein's. */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MOST_EDITS) return Infinity
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of a.split('').entries()) {
    const next = [i + 1]
    for (const [j, other] of b.split('').entries())
      next.push(
        Math.min((row[j] ?? 0) + (letter === other ? 0 : 1), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1),
      )
    row = next
  }
  return row[b.length] ?? 0
}
