/** What was typed into a search field: an id, or words of which any group may fit. */
export type OrderSearch = { kind: 'id'; id: string } | { kind: 'words'; anyOf: string[][] }

const MOST_WORDS = 8
const PHONE_DIGITS = 10

/** Names by the beginnings of their words, identifiers, phones however they are written. */
export function readSearch(text: string): OrderSearch | null {
  const plain = text.trim()
  if (/^order_[a-z0-9]+$/.test(plain)) return { kind: 'id', id: plain }
  const words = plain.split(/\s+/).filter(word => word !== '')
  if (words.length === 0) return null
  const anyOf = [words.slice(0, MOST_WORDS)]
  const digits = plain.replaceAll(/\D/g, '')
  if (digits !== '' && /^[+\d][\d\s().-]*$/.test(plain)) {
    anyOf.push([digits])
    if (digits.length > PHONE_DIGITS) anyOf.push([digits.slice(-PHONE_DIGITS)])
  }
  return { kind: 'words', anyOf }
}
