import type { FastifyInstance } from 'fastify'
import { DAY_MS } from '../platform/calendar.ts'
import type { Context } from '../platform/context.ts'
import { noSuchAddress } from './failures.ts'

const PATH = '/.well-known/security.txt'
/** The standard advises less than a year; each answer is of its own day, so it never runs out while Bursar runs. */
const GOOD_FOR_DAYS = 180

/** Whom to tell of a weakness, where everybody looks for it (RFC 9116). The process' real time counts, also in a sandbox. */
export function addSecurityTxt(
  app: FastifyInstance,
  ctx: Pick<Context, 'publicUrl'>,
  contacts: readonly string[],
): void {
  app.get(PATH, (request, reply) => {
    if (contacts.length === 0) throw noSuchAddress(request)
    return reply
      .header('content-type', 'text/plain; charset=utf-8')
      .header('cache-control', 'public, max-age=86400')
      .send(securityTxt(contacts, ctx.publicUrl, new Date()))
  })
}

export function securityTxt(contacts: readonly string[], publicUrl: string, now: Date): string {
  const day = Math.floor(now.getTime() / DAY_MS) + GOOD_FOR_DAYS
  return [
    ...contacts.map(contact => `Contact: ${contact}`),
    `Expires: ${new Date(day * DAY_MS).toISOString()}`,
    'Preferred-Languages: en, hi',
    `Canonical: ${new URL(PATH, publicUrl).href}`,
    '',
  ].join('\n')
}

/** Contacts as addresses that a program can follow; null when one is neither e-mail nor https. */
export function parseContacts(text: string): string[] | null {
  const contacts = text.split(',').map(part => {
    const contact = part.trim()
    const address = contact.replace(/^mailto:/, '')
    if (/^[^\s@:/<>]+@[^\s@:/<>.][^\s@:/<>]*$/.test(address) && address.split('@')[1]?.includes('.'))
      return `mailto:${address}`
    return URL.parse(contact)?.protocol === 'https:' && !/\s/.test(contact) ? contact : null
  })
  return contacts.some(contact => contact === null) ? null : contacts.filter(contact => contact !== null)
}
