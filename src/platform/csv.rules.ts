/** Leading characters that nobody sees: spaces of every width, characters without width, byte order marks, controls. */
const UNSEEN = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]+/u

/**
 * Whether a spreadsheet may run a text as a formula. Some programs drop invisible characters before they look at the
 * first, and some take signs of full width for the plain ones.
 */
export function isLikeFormula(text: string): boolean {
  const [first = ''] = text.replace(UNSEEN, '')
  return /^[=+\-@|]/.test(first.normalize('NFKC')) || /^[\t\r\n]/.test(text)
}

/** A text as one cell: an apostrophe before what begins like a formula makes it text, wherever the file is opened. */
export function csvText(text: string): string {
  const safe = isLikeFormula(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
