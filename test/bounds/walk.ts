import assert from 'node:assert/strict'
import { fork, type ChildProcess, type ForkOptions } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { READER } from '../../src/platform/limits.rules.ts'
import { keepCollectionsShort } from '../../src/app/heap.ts'
import { demoVisitor } from '../console/support.ts'
import { startBursar } from '../harness/bursar.ts'
import { StallWatch } from '../harness/processes/stalls.ts'
import { byteRoutes } from '../harness/worst-files.ts'
import { fillSchool } from './full-school.ts'
import type { Flood, Flooded, FloodReport } from './flood.ts'

/** The walk itself: `bounds.long.ts` runs this file in a process with the memory of an installation. */
const MAX_STALL_MS = 50
/** The guide gives a process 512 MB, of which it uses 280 when nothing is sent. */
const MAX_GROWTH_MB = 512 - 280
const FILES_PER_ROUTE = 3
const seed = Number(process.env['BOUNDS_SEED'] ?? Math.floor(Math.random() * 1_000_000))
const isWhole = process.env['BOUNDS'] === 'all'
/** A part of an address, to look into one route. */
const onlyRoutes = process.env['BOUNDS_ROUTES'] ?? ''

// As `src/app/main.ts` does.
keepCollectionsShort()
const bursar = await startBursar({ after }, { BURSAR_ROLE: 'all' }, { keepsLog: false })
const { url } = bursar
const owner = await demoVisitor(url)

const start = (file: string, args: readonly string[] = []): ChildProcess => {
  // Without our flags: the sender holds files that a Bursar with little memory never does.
  const options = { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] } satisfies ForkOptions
  const child = fork(new URL(file, import.meta.url), args, options)
  after(() => void child.kill('SIGKILL'))
  return child
}

/** Ids that nobody has do: whatever a route would do with the body, it is received and read first. */
function pathOf(route: string, known: Record<string, string>): string {
  const query = Object.entries(known).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  const path = route.replaceAll(
    /:(\w+)/g,
    (_, name: string) => known[name] ?? `${name}_01k9zq4m0ve8sbn6yt2hw3c5da`,
  )
  return `${path.replace('*', 'x')}?name=worst.csv&${query.join('&')}`
}

async function prepare(): Promise<Flood> {
  await fillSchool(bursar)
  const name = 'HDFC current 4512'
  const account = await owner.post('/console/api/institutes/demo-school/bank-accounts', { name })
  assert.equal(account.status, 201, account.text)
  const known = { institute_code: 'demo-school', account_id: account.body.data.id }
  const routes = byteRoutes(bursar)
    // It would end the session that the others need.
    .filter(({ url: path }) => !path.includes('/session') && path.includes(onlyRoutes))
    .map(route => ({ ...route, url: pathOf(route.url, known) }))
  const cookie = [owner.cookie, owner.device].filter(one => one !== null).join('; ')
  return {
    url,
    seed,
    ...(isWhole ? {} : { filesPerRoute: FILES_PER_ROUTE }),
    routes,
    console: { cookie, 'x-csrf': owner.csrf ?? '' },
    api: { authorization: `Basic ${Buffer.from('key_test_demo:secret_test_demo').toString('base64')}` },
  }
}

/** The median time, in milliseconds, of what another school does meanwhile. */
async function timeOfOtherSchool(meanwhile: () => Promise<void>): Promise<number> {
  const other = start('other-school.ts', [url])
  const median = Promise.race([
    once(other, 'message').then(([ms]) => Number(ms)),
    once(other, 'exit').then(() => assert.fail('the other school was not served')),
  ])
  const [ms] = await Promise.all([median, meanwhile().then(() => other.send('end'))])
  return ms
}

/** As many as files are read at a time take the processor from everybody, whoever they work for. */
async function timesBesideBurners(): Promise<number> {
  const burners = Array.from({ length: READER.processes + 1 }, () => start('burn.ts'))
  const median = await timeOfOtherSchool(async () => {})
  for (const burner of burners) burner.kill('SIGKILL')
  return median
}

const residentMb = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024

type Watched = Flooded & { stall: Stall; grownMb: number; otherMs: number }
/** With what was under way, so that whoever reads of it knows where to look. */
type Stall = { ms: number; during: readonly string[] }

/** Sends it all, and looks at this process and at the other school meanwhile. */
async function watchFlood(wanted: Flood): Promise<Watched> {
  const before = residentMb()
  const sender = start('flood.ts')
  const { promise: flooded, resolve: end } = Promise.withResolvers<Flooded>()
  let underWay: readonly string[] = []
  sender.on('message', (report: FloodReport) => {
    if ('flooded' in report) end(report.flooded)
    else underWay = report.underWay
  })
  sender.on('exit', () => end({ sent: 0, statuses: {}, broken: ['the sender died'] }))
  sender.send(wanted)
  let most = before
  let stall: Stall = { ms: 0, during: [] }
  const stalls = new StallWatch()
  const watch = setInterval(() => {
    most = Math.max(most, residentMb())
    const ms = stalls.take()
    if (ms > 25)
      console.log(
        `STALL ${Math.round(ms)} at ${Math.round(performance.now())} ms: ${underWay.map(u => u.slice(-40)).join(' | ')}`,
      )
    if (ms > stall.ms) stall = { ms, during: underWay }
  }, 20)
  const otherMs = await timeOfOtherSchool(async () => void (await flooded))
  clearInterval(watch)
  stalls.stop()
  return { ...(await flooded), stall, grownMb: most - before, otherMs }
}

test('the worst files of every route, all of one school', async t => {
  t.diagnostic(`seed ${seed}; BOUNDS_SEED=${seed} draws the same files, BOUNDS=all sends every one`)
  const wanted = await prepare()
  await timeOfOtherSchool(async () => {})
  const besideBurners = await timesBesideBurners()
  const flood = async (): Promise<Watched> => {
    const seen = await watchFlood(wanted)
    const { sent, statuses, stall, grownMb, otherMs } = seen
    t.diagnostic(
      `${sent} sent to ${wanted.routes.length} routes: ${JSON.stringify(statuses)}; the other school ${Math.round(besideBurners)} ms ` +
        `beside busy processes, ${Math.round(otherMs)} ms beside these; longest turn ${Math.round(stall.ms)} ms of CPU; ${Math.round(grownMb)} MB more`,
    )
    return seen
  }
  // What is compiled or collected once is not the sender's doing, so the first clean one of three counts, as in `assertNoStall`.
  let seen = await flood()
  for (let tries = 1; tries < 3 && seen.stall.ms > MAX_STALL_MS; tries++) seen = await flood()
  const { sent, broken, stall, grownMb, otherMs } = seen
  assert.deepEqual(broken, [])
  assert.ok(sent >= wanted.routes.length)
  const where = `while these were under way:\n${stall.during.join('\n')}`
  assert.ok(
    stall.ms <= MAX_STALL_MS,
    `the event loop stood still for ${Math.round(stall.ms)} ms of CPU, ${where}`,
  )
  assert.ok(grownMb <= MAX_GROWTH_MB, `${Math.round(grownMb)} MB more`)
  assert.ok(otherMs <= 2 * besideBurners, `${Math.round(otherMs)} ms instead of ${Math.round(besideBurners)}`)
})
