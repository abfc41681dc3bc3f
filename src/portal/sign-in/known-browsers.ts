import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { DAY_MS } from '../../platform/calendar.ts'
import type { Context } from '../../platform/context.ts'
import { newSecret } from '../../platform/secrets.ts'

/**
 * The cookie of a browser in which a family got in before. It opens nothing: a code or a fact is asked for as everywhere, but
 * strangers who try for the same family, or from its network, do not hold this browser up. Each entry is signed for one school
 * and one subject, by its digest: a contact, or the admission number of a child. It names neither in a way that its reader
 * could use.
 */
export const KNOWN_DAYS = 180
const MOST_ENTRIES = 5
const SEPARATOR = '~'

type Entry = { instituteCode: string; day: string; browser: string; signature: string; text: string }

type Keys = Pick<Context, 'vault'>

/** What the browser is counted by; null when nobody got in with it at this school as this subject. */
export function findKnown(
  ctx: Keys,
  institute: Institute,
  subject: Buffer,
  cookie: string | undefined,
): string | null {
  let found: string | null = null
  for (const entry of readEntries(cookie)) if (isSigned(ctx, institute, subject, entry)) found = entry.browser
  return found
}

/** The cookie after somebody got in: a new entry in the place of an older one of this subject. */
export function remember(
  ctx: Keys,
  institute: Institute,
  subject: Buffer,
  cookie: string | undefined,
): string {
  const others = readEntries(cookie).filter(entry => !isSigned(ctx, institute, subject, entry))
  const day = today().toString(36)
  const browser = newSecret()
  const signature = sign(ctx, institute, subject, { day, browser }).toString('base64url')
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

function isSigned(ctx: Keys, institute: Institute, subject: Buffer, entry: Entry): boolean {
  if (entry.instituteCode !== institute.code) return false
  const age = today() - Number.parseInt(entry.day, 36)
  const wanted = sign(ctx, institute, subject, entry)
  const sent = Buffer.from(entry.signature, 'base64url')
  return sent.length === wanted.length && timingSafeEqual(sent, wanted) && age >= 0 && age <= KNOWN_DAYS
}

function sign(
  { vault }: Keys,
  institute: Institute,
  subject: Buffer,
  { day, browser }: Pick<Entry, 'day' | 'browser'>,
): Buffer {
  return createHmac('sha256', vault.deriveKey('known browsers of families'))
    .update(`${institute.id} ${day} ${browser} `)
    .update(subject)
    .digest()
}

/** Uses real time, like codes and sessions. */
function today(): number {
  return Math.floor(Date.now() / DAY_MS)
}
