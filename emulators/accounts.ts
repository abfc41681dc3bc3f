import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from './clock.ts'
import { escape, page } from './page.ts'
import { postEvents, type SignedEvent } from './post-events.ts'
import { type EmulatorAnswer, type SeenRequest, type Server, startServer, textOf } from './server.ts'

/** A merchant's account at an emulated vendor: a server of its own, with its own books. */
export type Account = {
  name: string
  /** The settings of Bursar that open it. */
  settings: Record<string, string>
  url: string
  outbox: SignedEvent[]
  /** Whether a request has its credentials. */
  owns(headers: IncomingHttpHeaders): boolean
}

/** What `npm run emulator` was told. */
export type RunOptions = { port: number; callbackUrl: string; clock: Clock }

type Options = { vendor: string; port: number; callbackUrl: string; accounts: readonly Account[] }

/**
 * One address for several accounts, as a vendor has: calls go to the account whose keys they carry, payers' pages to the
 * one that has them. Where an account's events go is set on the page, as at the vendor's dashboard.
 */
export async function serveAccounts({ vendor, port, callbackUrl, accounts }: Options): Promise<Server> {
  const callbacks = new Map(accounts.map(({ name }) => [name, callbackUrl]))
  const server = await startServer(
    request => {
      const { method, path, headers, body } = request
      if (method === 'POST' && path === '/callback') {
        callbacks.set(textOf(body, 'account'), textOf(body, 'url'))
        return { status: 303, location: '/' }
      }
      if (path === '/') return { status: 200, body: accountsPage(vendor, accounts, callbacks) }
      const desk = deskOf(accounts, path)
      if (desk !== null) return pass(desk.account, { ...request, path: desk.path })
      const owner = accounts.find(account => account.owns(headers))
      return owner === undefined ? firstFound(accounts, request) : pass(owner, request)
    },
    { port },
  )
  for (const { name, outbox } of accounts) void postEvents(outbox, () => callbacks.get(name) ?? callbackUrl)
  return server
}

const deskPath = (name: string): string => `/desk/${name.replaceAll(' ', '-')}`

/** A desk is one of several at this address; what a page says is relative to where it stands. */
function deskOf(accounts: readonly Account[], path: string): { account: Account; path: string } | null {
  const account = accounts.find(({ name }) => path.startsWith(`${deskPath(name)}/`))
  return account === undefined ? null : { account, path: path.slice(deskPath(account.name).length) }
}

/** A page, or a call without keys: the last account's answer when none knows it. */
async function firstFound(accounts: readonly Account[], request: SeenRequest): Promise<EmulatorAnswer> {
  let answer: EmulatorAnswer = { status: 404, body: {} }
  for (const account of accounts) {
    answer = await pass(account, request)
    if (answer.status !== 404) return answer
  }
  return answer
}

async function pass(
  { url }: Account,
  { method, path, query, headers, body }: SeenRequest,
): Promise<EmulatorAnswer> {
  const type = headers['content-type'] ?? 'application/json'
  const isForm = type.startsWith('application/x-www-form-urlencoded')
  const sent = Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => name === 'authorization' || (name.startsWith('x-') && name !== 'x-forwarded-for'),
    ),
  ) as Record<string, string>
  const answer = await fetch(`${url}${path}?${query}`, {
    method,
    headers: { ...sent, 'content-type': type },
    redirect: 'manual',
    body:
      method === 'GET'
        ? null
        : isForm
          ? new URLSearchParams(body as Record<string, string>).toString()
          : JSON.stringify(body),
  })
  const location = answer.headers.get('location')
  if (location !== null) return { status: answer.status, location }
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true
  return { status: answer.status, body: isJson ? (JSON.parse(text) as unknown) : text }
}

function accountsPage(
  vendor: string,
  accounts: readonly Account[],
  callbacks: ReadonlyMap<string, string>,
): string {
  const parts = accounts.map(({ name, settings }) => {
    const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}`)
    return `<h2>${name}</h2><p><a href="${deskPath(name)}/">Play its payers and banks</a></p><pre>${escape(lines.join('\n'))}</pre>
<form method="post" action="/callback"><input type="hidden" name="account" value="${name}">
<label>Its events go to <input name="url" size="60" value="${escape(callbacks.get(name) ?? '')}"></label> <button>Change</button></form>`
  })
  return page(vendor, 'Accounts', parts)
}

/** What is printed at the start. */
export function describeAccounts(
  vendor: string,
  { url }: Server,
  { apiUrl, accounts, callbackUrl }: { apiUrl: string; accounts: readonly Account[]; callbackUrl: string },
): string {
  const lines = accounts.flatMap(({ name, settings }) => [
    `The account ${name}:`,
    ...Object.entries(settings).map(([key, value]) => `  ${key}=${value}`),
  ])
  return [
    `${vendor} is at ${url}: the accounts, their payers and banks, and where their events go (now ${callbackUrl}).`,
    `Start Bursar with ${apiUrl} and the keys of one account, or enter them for an institute in the console.`,
    'A sandbox takes the keys that are marked test, live mode those that are marked live.',
    ...lines,
  ].join('\n')
}
