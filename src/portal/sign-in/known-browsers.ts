import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { DAY_MS } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import { hashSecret, newSecret } from '../../platform/secrets.ts'
import type { Contact } from './sign-in.rules.ts'

/**
 * The cookie of a browser in which a family signed in before. It opens nothing: a code is asked for as everywhere, but
 * strangers who ask for the family's codes, or from its network, do not hold this browser up. Each entry is signed for one
 * school and one contact and names neither in a way that its reader could use.
 */
export const KNOWN_DAYS = 180
const MOST_ENTRIES = 5
const SEPARATOR = '~'

type Entry = { instituteCode: string; day: string; browser: string; signature: string; text: string }

type Keys = Pick<Context, 'vault'>

export function hashContact(contact: Contact): Buffer {
  return hashSecret('phone' in contact ? contact.phone : contact.email)
}

/** What the browser is counted by when it asks for a code of this contact; null when the family did not sign in with it. */
export function findKnownBrowser(
  ctx: Keys,
  institute: Institute,
  contact: Contact,
  cookie: string | undefined,
): string | null {
  const contactHash = hashContact(contact)
  let found: string | null = null
  for (const entry of readEntries(cookie))
    if (isSigned(ctx, institute, contactHash, entry)) found = entry.browser
  return found
}

/** The cookie after a sign-in: a new entry in the place of an older one of this contact. */
export function rememberBrowser(
  ctx: Keys,
  institute: Institute,
  contactHash: Buffer,
  cookie: string | undefined,
): string {
  const others = readEntries(cookie).filter(entry => !isSigned(ctx, institute, contactHash, entry))
  const day = today().toString(36)
  const browser = newSecret()
  const signature = sign(ctx, institute, contactHash, { day, browser }).toString('base64url')
  const text = [institute.code, day, browser, signature].join('.')
  return [text, ...others.map(entry => entry.text)].slice(0, MOST_ENTRIES).join(SEPARATOR)
}

function readEntries(cookie = ''): Entry[] {
  return cookie
    .split(SEPARATOR, MOST_ENTRIES)
    .map(text => ({
      text,
      parts: /^([a-z0-9][a-z0-9-]{0,62})\.([0-9a-z]{1,6})\.([\w-]{43})\.([\w-]{43})$/.exec(text),
    }))
    .flatMap(({ text, parts }) => {
      const [, instituteCode = '', day = '', browser = '', signature = ''] = parts ?? []
      return parts === null ? [] : [{ instituteCode, day, browser, signature, text }]
    })
}

function isSigned(ctx: Keys, institute: Institute, contactHash: Buffer, entry: Entry): boolean {
  if (entry.instituteCode !== institute.code) return false
  const age = today() - Number.parseInt(entry.day, 36)
  const wanted = sign(ctx, institute, contactHash, entry)
  const sent = Buffer.from(entry.signature, 'base64url')
  return sent.length === wanted.length && timingSafeEqual(sent, wanted) && age >= 0 && age <= KNOWN_DAYS
}

function sign(
  { vault }: Keys,
  institute: Institute,
  contactHash: Buffer,
  { day, browser }: Pick<Entry, 'day' | 'browser'>,
): Buffer {
  return createHmac('sha256', vault.deriveKey('known browsers of families'))
    .update(`${institute.id} ${day} ${browser} `)
    .update(contactHash)
    .digest()
}

/** Uses real time, like codes and sessions. */
function today(): number {
  return Math.floor(Date.now() / DAY_MS)
}
