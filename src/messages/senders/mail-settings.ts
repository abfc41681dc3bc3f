/** How an operator says where mail goes and whom it comes from. */
export type MailAddress = { name: string; address: string }

// Narrower than the standard: nothing in it that a server or a header could read as a second address.
const ADDRESS = /^[^\s\p{Cc}<>,;:"()\\@]+@[^\s\p{Cc}<>,;:"()\\@]+$/u

export function isMailAddress(text: string): boolean {
  return ADDRESS.test(text)
}

/** `Name <address>` or an address alone; null when it is neither. */
export function parseMailAddress(text: string): MailAddress | null {
  const [, quoted, plain = '', address = text] = /^(?:"([^<>"]*)"\s*|([^<>"]*))<([^<>]+)>$/.exec(text) ?? []
  const name = quoted ?? plain
  return isMailAddress(address) && !/\p{Cc}/u.test(name) ? { name: name.trim(), address } : null
}

/** What may stand behind the `?` of an SMTP_URL, where it goes before our own settings. */
const URL_OPTIONS: readonly string[] = [
  'requireTLS',
  'ignoreTLS',
  'tls.rejectUnauthorized',
  'tls.servername',
  'name',
  'connectionTimeout',
  'greetingTimeout',
  'socketTimeout',
]

/** What is wrong with an SMTP_URL, to be read behind its name, without repeating it: it holds a password. */
export function smtpUrlProblem(text: string): string | null {
  const url = URL.parse(text)
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
    return 'must be an address such as smtps://user:password@host:465 or smtp://host:587'
  }
  const unknown = [...url.searchParams.keys()].filter(key => !URL_OPTIONS.includes(key))
  if (unknown.length === 0) return null
  return `has the unknown option ${unknown.join(', ')}; there are ${URL_OPTIONS.join(', ')}`
}
