/**
 * Text that names somebody or something: identifiers, codes, grades, registration ids. Two of them are the same when
 * people cannot tell them apart, so they are kept in one form: Unicode NFC, without zero-width characters, blanks or
 * line ends around them.
 */
export function canonicalName(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(/[\u200B-\u200D\u2060\uFEFF]/g, '')
    .trim()
}
