import { randomInt, createHmac, timingSafeEqual } from 'node:crypto'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { NewMessage } from '../../messages/messages.rules.ts'
import { eraseSecrets, queueSecretMessage } from '../../messages/messages.service.ts'
import type { Context } from '../../platform/context.ts'
import { newId } from '../../platform/ids.ts'
import type { Language } from '../../platform/languages.ts'
import { networkOf } from '../../platform/rate-limits.rules.ts'
import { hashSecret, newSecret, secretMatches } from '../../platform/secrets.ts'
import { listUsersByContact } from '../../students/users/users.service.ts'
import { openSession } from '../entry/entry.service.ts'
import { codeMessage } from './sign-in.texts.ts'
import * as rules from './sign-in.rules.ts'
import * as store from './sign-in.store.ts'
import { DAY_MS } from '../../platform/calendar.ts'
import type { Contact } from './sign-in.rules.ts'

type CodeRequest = {
  contact: rules.Contact
  language: Language
  ip: string
  /** What `findKnownBrowser` answers for this contact. */
  known: string | null
}

/**
 * Sends a code to a contact that a family of the institute has. Answers what the browser has to bring with the code,
 * for unknown contacts too; null when too much was asked for.
 */
export async function askForCode(
  ctx: Context,
  institute: Institute,
  { contact, language, ip, known }: CodeRequest,
): Promise<string | null> {
  const id = newId('code')
  const browser = newSecret()
  const contactHash = hashContact(contact)
  const by = {
    instituteId: institute.id,
    contactHash,
    networkHash: hashSecret(networkOf(ip)),
    knownBrowser: known === null ? null : hashSecret(known),
  }
  return ctx.db.transaction(async tx => {
    await store.lockContact(tx, institute.id, contactHash)
    const decision = rules.decideCode(await store.countAsked(tx, by), known !== null)
    if (decision.kind === 'too many') return null
    const code = String(randomInt(10 ** decision.digits)).padStart(decision.digits, '0')
    const users = await listUsersByContact(tx, institute.id, contact)
    const registrationIds = users.length > rules.MOST_USERS ? [] : users
    await store.insertSignIn(tx, {
      ...by,
      id,
      browserHash: hashSecret(browser),
      codeHash: hashSecret(`${browser} ${code}`),
      registrationIds,
    })
    if (registrationIds.length > 0) {
      const message: NewMessage = {
        instituteId: institute.id,
        about: id,
        at: ctx.clock.now(),
        ...codeMessage(contact, institute, language),
      }
      const until = new Date(Date.now() + rules.CODE_MINUTES * 60_000)
      await queueSecretMessage(tx, ctx, message, { text: code, until })
    }
    return `${id}.${browser}`
  })
}

type CodeResult =
  | { kind: 'entered'; cookie: string; known: string }
  | { kind: 'wrong'; left: number }
  | { kind: 'over' }

/** Opens a session if the code fits; a wrong one counts. A previous session of the browser ends only if a new one is opened. */
export async function enterByCode(
  ctx: Context,
  institute: Institute,
  sent: {
    pending: string | undefined
    code: string
    sessionCookie: string | undefined
    knownCookie: string | undefined
  },
): Promise<CodeResult> {
  const [, id, browser] = /^(\w+)\.([\w-]{43})$/.exec(sent.pending ?? '') ?? []
  if (id === undefined || browser === undefined) return { kind: 'over' }
  const browserHash = hashSecret(browser)
  return ctx.db.transaction(async tx => {
    const tried = await store.countTry(tx, { instituteId: institute.id, id, browserHash })
    if (tried === null) return { kind: 'over' }
    const [registrationId, ...otherRegistrationIds] = tried.registrationIds
    if (!secretMatches(`${browser} ${sent.code}`, tried.codeHash) || registrationId === undefined) {
      const left = rules.MOST_TRIES - tried.tries
      return left === 0 ? { kind: 'over' } : { kind: 'wrong', left }
    }
    await store.markSpent(tx, institute.id, id)
    await eraseSecrets(tx, [id])
    const cookie = await openSession(
      tx,
      institute.code,
      {
        instituteId: institute.id,
        registrationId,
        otherRegistrationIds,
        callbackUrl: null,
        tokenHash: browserHash,
      },
      sent.sessionCookie,
    )
    const known = rememberBrowser(ctx, institute, tried.contactHash, sent.knownCookie)
    return { kind: 'entered', cookie, known }
  })
}

export async function purgeSignIns({ db }: Context, limit: number): Promise<number> {
  return store.purgeOld(db, limit)
}

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

function hashContact(contact: Contact): Buffer {
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
function rememberBrowser(
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
