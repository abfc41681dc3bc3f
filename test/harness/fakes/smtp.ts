import type { AddressInfo, Socket } from 'node:net'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'
import { waitFor } from '../wait.ts'

/** A mail server on a real socket that behaves as a test tells it to. */
export type Mail = {
  /** As the envelope says. */
  from: string
  to: string[]
  /** By lower-case name, decoded; one that stands twice is joined by a line break. */
  headers: Record<string, string>
  text: string
  isSecure: boolean
  user: string | undefined
}

export type Refusal = { code: number; words: string; recipient?: string }

export type Behaviour =
  | 'accept'
  /** Accepts connections and says nothing. */
  | 'hang'
  /** Greets with 421. */
  | 'busy'
  /** Drops the connection in the middle of the text. */
  | 'drop-mid-data'
  /** Takes the mail and does not answer until it is released. */
  | 'hold'
  /** Refuses the recipient, or all. */
  | { refuse: Refusal }

export type FakeSmtp = {
  url: string
  mails: Mail[]
  connections: number
  /** How often somebody tried a password. */
  logins: number
  behave(how: Behaviour): void
  /** Answers what is held and accepts from now on. */
  release(): void
  waitForMails(count: number): Promise<Mail[]>
}

type Owner = { after(done: () => Promise<void> | void): void }
type Account = { user: string; password: string }
/** `urlPassword` stands in the url in place of the account's. */
type Options = { account?: Account; urlPassword?: string; hasTls?: boolean }

export async function startFakeSmtp(owner: Owner, options: Options = {}): Promise<FakeSmtp> {
  const { account, hasTls = false } = options
  let behaviour: Behaviour = 'accept'
  let held: (() => void)[] = []
  const mails: Mail[] = []
  const dropAt = (session: SMTPServerSession): void => {
    for (const { id, _socket } of server.connections as Set<{ id: string; _socket?: Socket }>) {
      if (id === session.id) _socket?.destroy()
    }
  }
  const handlers: SMTPServerOptions = {
    onConnect(_session, callback) {
      smtp.connections++
      if (behaviour === 'busy') return callback(refusal({ code: 421, words: '4.3.2 come back later' }))
      if (behaviour !== 'hang') callback()
    },
    onAuth({ username, password }, _session, callback) {
      smtp.logins++
      if (username === account?.user && password === account?.password) callback(null, { user: username })
      else callback(refusal({ code: 535, words: '5.7.8 wrong user or password' }))
    },
    onRcptTo({ address }, _session, callback) {
      const refuse = typeof behaviour === 'object' ? behaviour.refuse : null
      const isRefused = refuse !== null && (refuse.recipient ?? address) === address
      callback(isRefused ? refusal(refuse) : null)
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        if (behaviour === 'drop-mid-data') dropAt(session)
      })
      stream.on('end', () => {
        mails.push(readMail(session, Buffer.concat(chunks).toString('utf8')))
        if (behaviour === 'hold') held.push(callback)
        else callback()
      })
    },
  }
  const server = new SMTPServer({
    ...handlers,
    logger: false,
    authOptional: account === undefined,
    disabledCommands: [...(account === undefined ? ['AUTH'] : []), ...(hasTls ? [] : ['STARTTLS'])],
    closeTimeout: 1,
    disableReverseLookup: true,
  })
  // A client that goes away in the middle is what some tests are about.
  server.on('error', () => {})
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  const close = async (): Promise<void> => {
    if (!server.server.listening) return
    await new Promise<void>(resolve => server.close(resolve))
  }
  owner.after(close)
  const credentials =
    account === undefined ? '' : `${account.user}:${options.urlPassword ?? account.password}@`
  const smtp: FakeSmtp = {
    url: `smtp://${credentials}127.0.0.1:${port}`,
    mails,
    connections: 0,
    logins: 0,
    behave: how => void (behaviour = how),
    release() {
      behaviour = 'accept'
      for (const answer of held) answer()
      held = []
    },
    async waitForMails(count) {
      await waitFor(async () => mails.length >= count, `${count} mails, of which ${mails.length} came`)
      return mails
    },
  }
  return smtp
}

function refusal({ code, words }: Refusal): Error {
  return Object.assign(new Error(words), { responseCode: code })
}

function readMail(session: SMTPServerSession, source: string): Mail {
  const [head = '', body = ''] = source.split(/\r\n\r\n([^]*)/)
  const headers: Record<string, string> = {}
  for (const line of head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const at = line.indexOf(':')
    const name = line.slice(0, at).toLowerCase()
    const value = decodeWords(line.slice(at + 1).trim())
    headers[name] = headers[name] === undefined ? value : `${headers[name]}\n${value}`
  }
  const { mailFrom, rcptTo } = session.envelope
  return {
    from: mailFrom === false ? '' : mailFrom.address,
    to: rcptTo.map(({ address }) => address),
    headers,
    text: decodeText(body, headers['content-transfer-encoding'] ?? '7bit').replaceAll('\r\n', '\n'),
    isSecure: session.secure,
    user: session.user as string | undefined,
  }
}

function decodeText(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  return encoding === 'quoted-printable' ? decodeQuoted(body.replaceAll(/=\r\n/g, '')) : body
}

function decodeQuoted(text: string): string {
  const bytes = text.replaceAll(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCodePoint(parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

/** RFC 2047. */
function decodeWords(text: string): string {
  return text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([bq])\?(.*?)\?=/gi, (_, how: string, word: string) =>
      how.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString('utf8')
        : decodeQuoted(word.replaceAll('_', ' ')),
    )
}
