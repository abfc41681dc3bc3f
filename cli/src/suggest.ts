import { InputError } from '../../src/cli/terminal.ts'

const MOST_EDITS = 3

/** The value, if it is one of those known; otherwise the one that was probably meant is named. */
export function oneOf(text: string, known: readonly string[], what: string): string {
  if (known.includes(text)) return text
  const near = nearest(text, known)
  const hint = near === null ? `Those are: ${known.join(', ')}.` : `Did you mean ${near}?`
  throw new InputError(`"${text}" is not ${what}. ${hint}`)
}

function nearest(text: string, known: readonly string[]): string | null {
  const ranked = known
    .map(one => ({ one, edits: editDistance(text.toLowerCase(), one) }))
    .filter(({ one, edits }) => edits <= MOST_EDITS && edits < one.length / 2)
    .sort((a, b) => a.edits - b.edits)
  return ranked[0]?.one ?? null
}

/** Levenshtein's. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
