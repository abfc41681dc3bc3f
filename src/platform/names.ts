const LONGEST = 2_000

/**
 * Text that names somebody or something: identifiers, codes, grades, registration ids. Two of them are the same when
 * people cannot tell them apart, so they are kept in one form: Unicode NFC, without zero-width characters, blanks or
 * line ends around them.
 */
export function canonicalName(text: string): string {
  // No name is as long, so it is refused by all who take one; putting very many marks in order takes quadratic time.
  if (text.length > LONGEST) return text
  return text
    .normalize('NFC')
    .replaceAll(/[\u200B-\u200D\u2060\uFEFF]/g, '')
    .trim()
}

/**
 * The form in which typed names of classes, sections and categories are compared: capitals count like small letters. A store compares `lower(btrim(…))`.
 */
export function nameKey(text: string): string {
  return canonicalName(text).toLowerCase()
}

export function isSameName(one: string, other: string): boolean {
  return nameKey(one) === nameKey(other)
}

/** Decimal digits of any script as plain ones: ९८ is 98. */
export function plainDigits(text: string): string {
  return text.replaceAll(/\p{Nd}/gu, digit => {
    const code = digit.codePointAt(0) ?? 0
    let value = 0
    // Digits of a script stand side by side, zero first.
    while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++
    return code < 128 ? digit : String(value)
  })
}

const MODES = new Map([
  ['upi', 'UPI'],
  ['netbanking', 'Net banking'],
  ['enach', 'eNACH'],
  ['upi_autopay', 'UPI Autopay'],
  ['bharat_connect', 'Bharat Connect'],
  ['neft', 'NEFT'],
  ['rtgs', 'RTGS'],
  ['imps', 'IMPS'],
  ['dd', 'DD'],
])

/** How something was paid: upi reads as UPI, card as Card. */
export function readableMode(mode: string): string {
  return MODES.get(mode) ?? mode.charAt(0).toUpperCase() + mode.slice(1).replaceAll('_', ' ')
}

/** TUITION_FEE reads as Tuition fee; anything else is shown as the institute wrote it. */
export function readableComponent(code: string): string {
  if (!/^[A-Z0-9_]+$/.test(code)) return code
  const words = code.toLowerCase().replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Class 5 B, where the school has sections. */
export function classOf(gradeName: string, section: string | null): string {
  return section === null || section === '' ? gradeName : `${gradeName} ${section}`
}

/** How people are reached, as the wire and the public forms take it. */
export function isPhone(text: string): boolean {
  const digits = text.replaceAll(/[\s\-()[\]]/g, '').replace(/^(\+|0)/, '')
  return /^\d{7,15}$/.test(digits)
}

export function isEmail(text: string): boolean {
  const [local = '', domain = '', ...more] = text.split('@')
  if (local === '' || more.length > 0 || /\s/.test(text) || !isOneLine(text)) return false
  return domain.slice(1, -1).includes('.')
}

/** No control characters and nothing that breaks a line: what goes into headers and mails stays in its place. */
export function isOneLine(text: string): boolean {
  return !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)
}
