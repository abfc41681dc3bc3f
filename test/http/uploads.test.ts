import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { after, afterEach, test } from 'node:test'
import { createKey } from '../../src/institutes/keys.service.ts'
import { FILES, REQUEST, UPLOADS } from '../../src/platform/limits.rules.ts'
import { createPerson } from '../console/support.ts'
import { Uploads } from '../../src/http/limits/bodies.ts'
import { startBursar } from '../harness/bursar.ts'
import { DEMO, GROUP, type Credentials } from '../harness/client.ts'
import { openStandalone } from '../harness/processes/standalone.ts'
import { waitFor } from '../harness/wait.ts'

const bursar = await startBursar({ after })
const { uploads, routes } = bursar.app
/** Another process over the same database, as behind a proxy. */
const neighbour = await openStandalone(
  { after },
  {
    BURSAR_ROLE: 'api',
    PUBLIC_URL: bursar.url,
    DATABASE_URL: bursar.app.config.databaseUrl ?? '',
  },
)
const owner = await createPerson(bursar, {
  email: 'owner@demo.example',
  institute: 'demo-school',
  role: 'owner',
})
const open: PausedUpload[] = []

afterEach(async () => {
  for (const upload of open.splice(0)) upload.socket.destroy()
  await waitFor(async () => filesHeld() === 0 && (await permitsHeld()) === 0, 'the uploads to be forgotten')
  assert.equal(uploads.size + neighbour.app.uploads.size, 0)
})

/** A client that says how much will come, sends some of it and then nothing. */
class PausedUpload {
  readonly socket: Socket
  answer = ''

  constructor(
    path: string,
    headers: Record<string, string>,
    { length = 1_000, body = 'identifier', to = bursar.url } = {},
  ) {
    const { hostname, port } = new URL(to)
    this.socket = connect(Number(port), hostname)
    this.socket.on('data', part => (this.answer += part.toString())).on('error', () => {})
    const all = {
      host: `${hostname}:${port}`,
      'content-type': 'text/csv',
      'content-length': length,
      ...headers,
    }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    this.socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
    open.push(this)
  }

  static begin(path: string, headers: Record<string, string>, to = bursar.url): PausedUpload {
    return new PausedUpload(path, headers, { to })
  }

  /** The answer comes although most of the body never does. */
  async answered(): Promise<string> {
    await waitFor(async () => this.answer.includes('\r\n\r\n{'), 'an answer')
    return this.answer
  }
}

const PERMITS = `from pg_locks l join pg_database d on d.oid = l.database
  where l.locktype = 'advisory' and l.objsubid = 2 and d.datname = current_database()`
const IMPORTS = '/api/v1/integrations/erp/imports?kind=students'
const basic = ({ key, secret }: Credentials): Record<string, string> => {
  return { authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}` }
}
const session = { origin: bursar.url, cookie: owner.cookie ?? '', 'x-csrf': owner.csrf ?? '' }
const STATEMENTS = '/console/api/institutes/demo-school/bank/statements?account_id=a'

type Process = Pick<typeof neighbour, 'app' | 'url'>

/** Each is counted over all processes too once its file lies there. */
async function pause(
  count: number,
  path: string,
  headers: Record<string, string>,
  { app, url }: Process = bursar,
): Promise<void> {
  const before = [app.uploads.size, filesHeld()] as const
  for (let no = 0; no < count; no++) PausedUpload.begin(path, headers, url)
  await waitFor(
    async () => app.uploads.size === before[0] + count && filesHeld() === before[1] + count,
    `${count} uploads under way`,
  )
}

test('a key that is sending its files already is refused the next before its body is read', async () => {
  await pause(UPLOADS.perKey, IMPORTS, basic(DEMO))
  const answer = await new PausedUpload(IMPORTS, basic(DEMO), { body: '' }).answered()
  assert.match(answer, /^HTTP\/1.1 429 /)
  assert.match(answer, /retry-after: 5\r\n/)
  assert.match(answer, /connection: close\r\n/)
  assert.match(answer, /"code":"RLE00000","message":"You are sending 4 files already/)
  assert.equal(uploads.size, UPLOADS.perKey)
  open[0]?.socket.destroy()
  await waitFor(async () => uploads.size === UPLOADS.perKey - 1, 'the end of one of them')
  const { status } = await bursar.demo.send('POST', IMPORTS, 'identifier\n', { 'content-type': 'text/csv' })
  assert.equal(status, 201)
})

test('keys and people of one school together have a limit, which no other school feels', async () => {
  await pause(UPLOADS.perKey, IMPORTS, basic(DEMO))
  await pause(UPLOADS.perKey, STATEMENTS, session)
  assert.equal(uploads.size, UPLOADS.perSchool)
  const { keyId, secret } = await createKey(bursar.app.ctx, 'demo-school', {
    label: 'third',
    scopes: ['read', 'write'],
  })
  const third = await new PausedUpload(IMPORTS, basic({ key: keyId, secret })).answered()
  assert.match(third, /^HTTP\/1.1 429 .*8 files of this school are being sent or read already/s)
  await pause(1, IMPORTS, basic(GROUP))
})

test('over several processes a key and a school may send no more than to one', async () => {
  await pause(UPLOADS.perKey - 1, IMPORTS, basic(DEMO))
  await pause(1, IMPORTS, basic(DEMO), neighbour)
  for (const to of [bursar.url, neighbour.url]) {
    const refused = await new PausedUpload(IMPORTS, basic(DEMO), { to }).answered()
    assert.match(refused, /^HTTP\/1.1 429 .*You are sending 4 files already/s)
  }
  await pause(UPLOADS.perKey, STATEMENTS, session, neighbour)
  const { keyId, secret } = await createKey(bursar.app.ctx, 'demo-school', {
    label: 'fourth',
    scopes: ['read', 'write'],
  })
  const fourth = basic({ key: keyId, secret })
  const refused = await new PausedUpload(IMPORTS, fourth).answered()
  assert.match(refused, /^HTTP\/1.1 429 .*8 files of this school are being sent or read already/s)
  await pause(1, IMPORTS, basic(GROUP), neighbour)
  assert.equal(filesHeld(), UPLOADS.perSchool + 1)
  open[0]?.socket.destroy()
  await waitFor(async () => (await permitsHeld()) === 2 * UPLOADS.perSchool, 'the end of one of them')
  await pause(1, IMPORTS, fourth, neighbour)
})

test('a process that dies with uploads under way keeps nobody from sending', async () => {
  await pause(UPLOADS.perKey, IMPORTS, basic(DEMO), neighbour)
  assert.equal(await permitsHeld(), 2 * UPLOADS.perKey)
  // All that the others learn of its death is that its connection ends.
  await bursar.sql(`select pg_terminate_backend(l.pid) ${PERMITS}`)
  await waitFor(async () => (await permitsHeld()) === 0, 'the end of its permits')
  await pause(1, IMPORTS, basic(DEMO))
})

test('a file that stops coming is given up: its sender is told, and nothing of it is left', async () => {
  await pause(1, IMPORTS, basic(DEMO))
  await pause(1, STATEMENTS, session)
  assert.equal(filesHeld(), 2)
  assert.equal(uploads.sweep(performance.now()), 0, 'bytes have come just now')
  assert.equal(uploads.sweep(performance.now() + UPLOADS.idleSeconds * 1_000), 2)
  for (const upload of open) {
    const answer = await upload.answered()
    assert.match(answer, /^HTTP\/1.1 400 .*Nothing of the file came for 20 seconds/s)
    await waitFor(async () => upload.socket.closed, 'the end of the connection')
  }
  assert.equal(uploads.size, 0)
  assert.equal(filesHeld(), 0)
})

/** What becomes of a file of the largest roster's size over such a line. */
function receive(bytesEverySecond: number): { seconds: number; problem: string | undefined } {
  const upload = new Uploads({ tryAcquire: async () => () => {} }).begin({ key: 'key', instituteId: 1 })
  const begunMs = performance.now()
  for (let seconds = 1; ; seconds++) {
    const nowMs = begunMs + seconds * 1_000
    upload.took(bytesEverySecond, nowMs)
    const problem = upload.problemAt(nowMs)?.message
    if (problem !== undefined || seconds * bytesEverySecond >= FILES.roster.bytes) return { seconds, problem }
  }
}

test('a file over a slow line has as long as it needs, and one that trickles has not', () => {
  assert.deepEqual(receive(62_500), { seconds: 160, problem: undefined }, '10 MB at half a megabit a second')
  const { seconds, problem } = receive(1)
  assert.equal(seconds, REQUEST.seconds + 1)
  assert.match(
    problem ?? '',
    /^The file comes too slowly: at least 50 kB a second after the first 30 seconds/,
  )
})

test('a sender that goes away at any moment holds nothing any more: no place, no permit, no open file', async () => {
  for (let round = 0; round < 20; round++) {
    const { socket } = new PausedUpload(IMPORTS, basic(GROUP), { length: 11, body: 'identifier\n' })
    await once(socket, 'connect')
    socket.destroySoon()
    await once(socket, 'close')
  }
  await waitFor(
    async () => uploads.size === 0 && filesHeld() === 0 && (await permitsHeld()) === 0,
    'all that they held to be free',
  )
})

test('a stop waits for a file no longer than for any other request', async () => {
  const stopping = new Uploads({ tryAcquire: async () => () => {} })
  const upload = stopping.begin({ key: 'key', instituteId: 1 })
  const told = assert.rejects(upload.next(Promise.withResolvers<never>().promise), /being restarted/)
  const nowMs = performance.now()
  stopping.endSoon(nowMs)
  upload.took(10_000_000, nowMs + REQUEST.seconds * 1_000 - 1)
  assert.equal(stopping.sweep(nowMs + REQUEST.seconds * 1_000 - 1), 0)
  assert.equal(stopping.sweep(nowMs + REQUEST.seconds * 1_000), 1)
  await told
})

test('a file that says that it is too large is refused before it comes', async () => {
  const length = FILES.import.bytes + 1
  const answer = await new PausedUpload(IMPORTS, basic(DEMO), { length }).answered()
  assert.match(answer, /^HTTP\/1.1 413 .*larger than 50 MB/s)
  assert.equal(uploads.size, 0)
})

test('every route that takes a file counts it', async () => {
  const taking = routes.filter(({ file }) => file !== null)
  assert.ok(taking.length >= 10)
  for (const { url, scope } of taking.filter(({ url }) => !url.includes('/lenders/'))) {
    const path = url.replace(':institute_code', 'demo-school')
    PausedUpload.begin(path, scope === null ? session : basic(DEMO))
    await waitFor(async () => uploads.size === 1, `${path} to count its upload`)
    open.pop()?.socket.destroy()
    await waitFor(async () => uploads.size === 0, `${path} to forget its upload`)
  }
})

/** Two for each file that is under way in any process: one of its key and one of its school. */
async function permitsHeld(): Promise<number> {
  return (await bursar.sql(`select ${PERMITS}`)).length
}

/** Without a name they are still there as long as they are open. */
function filesHeld(): number {
  const paths = readdirSync('/proc/self/fd').flatMap(fd => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)]
    } catch {
      return []
    }
  })
  return paths.filter(path => path.includes('bursar-upload-')).length
}

test('the connection of a sender that is served stays open for the next request', async () => {
  const [upload] = [new PausedUpload(IMPORTS, basic(GROUP), { length: 11, body: 'identifier\n' })]
  const answer = await upload.answered()
  assert.match(answer, /^HTTP\/1.1 201 /)
  assert.doesNotMatch(answer, /connection: close/)
  upload.socket.end()
  await once(upload.socket, 'close')
})
