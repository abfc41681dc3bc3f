import { randomInt } from 'node:crypto'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { NewMessage } from '../../messages/messages.rules.ts'
import { eraseSecrets, queueSecretMessage } from '../../messages/messages.service.ts'
import type { Context } from '../../platform/context.ts'
import { newId } from '../../platform/ids.ts'
import type { Language } from '../../platform/languages.ts'
import { networkOf } from '../../platform/rate-limits.rules.ts'
import { hashSecret, newSecret, secretMatches } from '../../platform/secrets.ts'
import { listUsersByContact, MOST_OWN_USERS } from '../../students/users/users.service.ts'
import { openSession } from '../entry/entry.service.ts'
import { findKnown, remember } from './known-browsers.ts'
import { codeMessage } from './sign-in.texts.ts'
import * as rules from './sign-in.rules.ts'
import * as store from './sign-in.store.ts'
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
    const registrationIds = users.length > MOST_OWN_USERS ? [] : users
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
    const known = remember(ctx, institute, tried.contactHash, sent.knownCookie)
    return { kind: 'entered', cookie, known }
  })
}

export async function purgeSignIns({ db }: Context, limit: number): Promise<number> {
  return store.purgeOld(db, limit)
}

function hashContact(contact: Contact): Buffer {
  return hashSecret('phone' in contact ? contact.phone : contact.email)
}

/** What the browser is counted by when it asks for a code of this contact; null when the family did not sign in with it. */
export function findKnownBrowser(
  ctx: Pick<Context, 'vault'>,
  institute: Institute,
  contact: Contact,
  cookie: string | undefined,
): string | null {
  return findKnown(ctx, institute, hashContact(contact), cookie)
}
