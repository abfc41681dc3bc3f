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
