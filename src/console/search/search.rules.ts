/** What something typed into the search field can be, so that nothing is looked for where it cannot be. */
export type Guess =
  /** An id of ours, whole. */
  | { kind: 'id'; id: string }
  | { kind: 'request'; id: string }
  | {
      kind: 'words'
      /** A bank's reference or a UTR, from its beginning on; null when it can be none. */
      reference: string | null
      /** The number as printed, such as 2026-27/000042. */
      receipt: { financialYear: string; number: number } | null
    }

export const SHORTEST_SEARCH = 2
export const LONGEST_SEARCH = 100
const SHORTEST_REFERENCE = 4

export function guess(typed: string): Guess {
  const text = typed.trim()
  if (/^req_[0-9a-z]+$/.test(text)) return { kind: 'request', id: text }
  if (/^[a-z]+_[0-9a-z]{26}$/.test(text)) return { kind: 'id', id: text }
  const [, financialYear, number] = /^(\d{4}-\d{2})\/(\d{1,9})$/.exec(text) ?? []
  const isReference = text.length >= SHORTEST_REFERENCE && !/\s/.test(text)
  return {
    kind: 'words',
    reference: isReference ? text : null,
    receipt:
      financialYear === undefined || number === undefined ? null : { financialYear, number: Number(number) },
  }
}

export type Range = { from: string; to: string }

/** All texts that begin so, byte by byte; banks write capitals, people do not. */
export function rangesOf(beginning: string): Range[] {
  return [...new Set([beginning, beginning.toUpperCase()])].map(from => ({ from, to: `${from}\u{10FFFF}` }))
}
