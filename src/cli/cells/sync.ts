import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Command } from 'commander'
import { readConfig } from '../../app/config.ts'
import type { CellConnections } from '../../cells/connections.ts'
import { describeTroubles } from '../../cells/directory.rules.ts'
import type { SyncResult } from '../../cells/directory.service.ts'
import { type Proxies, type ProxyResult, syncOnce, Watch } from '../../cells/maps.service.ts'
import { type Finishing, finishMoves, forgetOldRows } from '../../cells/moves.service.ts'
import type { Context } from '../../platform/context.ts'
import { addExamples, InputError, formatTimeOfDay, show, showLine } from '../terminal.ts'
import { describeFailure } from '../with-database.ts'
import { withConnections } from './with-directory.ts'

type SyncOptions = { maps?: string; socket?: string[]; watch?: true }

export function addSyncCommand(cells: Command): void {
  const sync = cells
    .command('sync')
    .description('read the schools, keys and accounts of every cell, and tell the proxies where each is')
    .option('--maps <folder>', 'write the map files and the backends there, which HAProxy starts from')
    .option(
      '--socket <address>',
      'set them in a running HAProxy: path of its admin socket or host:port; repeat for more',
      collectSocket,
    )
    .option('--watch', 'go on and look every second')
    .action(runSync)
  addExamples(sync, [
    'bursar cells sync --maps /etc/haproxy/maps',
    'bursar cells sync --maps /etc/haproxy/maps --socket /run/haproxy/admin.sock --watch',
  ])
}

const EVERY_MS = 1_000
/** Every so many looks, what moved schools left behind is deleted if its time is over. */
const FORGET_EVERY = 3_600

async function runSync({ maps, socket, watch }: SyncOptions): Promise<void> {
  const { proxies: set } = readConfig(process.env)
  const folder = maps === undefined ? set.folder : resolve(maps)
  const proxies: Proxies = { folder, sockets: socket ?? set.sockets }
  await withConnections(async (ctx, connections) => {
    if (watch !== true) {
      const { sync, results } = await syncOnce(ctx, connections, proxies)
      const problems = problemsOf(sync, results)
      show({ ...toJson(sync, results), problems }, [describe(sync, results), ...problems].join('\n'))
      if (problems.length > 0) process.exitCode = 1
      return
    }
    await goOn(ctx, connections, proxies)
  })
}

/** Runs until it is stopped. A problem is reported once, and once more when it is over. */
async function goOn(ctx: Context, connections: CellConnections, proxies: Proxies): Promise<void> {
  const stopped = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopped.abort())
  const watch = new Watch(ctx, connections, proxies)
  const finisher = new Finisher(ctx, connections, proxies)
  let told = ''
  for (let looks = 0; !stopped.signal.aborted; looks++) {
    // A cell that is away is asked again an hour later.
    if (looks % FORGET_EVERY === 0) await forgetOldRows(ctx, { now: new Date() }).catch(() => {})
    finisher.look()
    const outcome = await watch.look().catch((error: unknown) => describeFailure(error))
    const problems =
      typeof outcome === 'string'
        ? [`The directory cannot be read, the proxies go on with what they have: ${outcome}`]
        : outcome === null
          ? null
          : problemsOf(outcome.sync, outcome.results)
    const at = formatTimeOfDay(new Date())
    if (typeof outcome === 'object' && outcome !== null && isNews(outcome.sync, outcome.results))
      showLine(toJson(outcome.sync, outcome.results), `${at} ${describe(outcome.sync, outcome.results)}`)
    if (problems !== null && problems.join('\n') !== told) {
      told = problems.join('\n')
      showLine(
        { problems },
        problems.length === 0 ? `${at} All is well again.` : `${at} ${problems.join('\n')}`,
      )
    }
    await wait(EVERY_MS, undefined, { signal: stopped.signal }).catch(() => {})
  }
  await finisher.end()
}

/** Goes on with moves that were killed after their school had left, beside the looks: they may take minutes. */
class Finisher {
  readonly #finish: () => Promise<Finishing[]>
  #underWay: Promise<void> | null = null
  #told = ''

  constructor(ctx: Context, connections: CellConnections, proxies: Proxies) {
    this.#finish = () => finishMoves(ctx, connections, proxies, ({ text }) => this.#say(text))
  }

  look(): void {
    this.#underWay ??= this.#run().finally(() => (this.#underWay = null))
  }

  async #run(): Promise<void> {
    // The look beside this one already reports that the directory is away.
    const finished = await this.#finish().catch((): Finishing[] => [])
    for (const { code, problem } of finished) {
      if (problem === null) this.#say(`${code}: its move, which was killed, has ended.`)
      else if (problem !== this.#told) this.#say(`${code}: its move cannot go on: ${problem}`)
      this.#told = problem ?? ''
    }
  }

  #say(text: string): void {
    showLine({ move: text }, `${formatTimeOfDay(new Date())} ${text}`)
  }

  async end(): Promise<void> {
    await this.#underWay
  }
}

function isNews({ isChanged }: SyncResult, results: readonly ProxyResult[]): boolean {
  return isChanged || results.some(({ changed }) => changed !== null && changed > 0)
}

function describe({ changes, isChanged }: SyncResult, results: readonly ProxyResult[]): string {
  const found = isChanged
    ? `${changes.schools.length} schools, ${changes.routes.length} keys and accounts are new or moved, ${changes.gone.length} gone.`
    : 'The directory is as the cells are.'
  const set = results.flatMap(({ socket, changed }) =>
    changed === null ? [] : [`${changed} entries set at ${socket}.`],
  )
  return [found, ...set].join(' ')
}

function problemsOf({ changes, away }: SyncResult, results: readonly ProxyResult[]): string[] {
  return [
    ...away.map(({ cell, reason }) => `${cell} is away, its schools keep their routes: ${reason}`),
    ...describeTroubles(changes),
    ...results.flatMap(({ socket, problem }) =>
      problem === null ? [] : [`The proxy at ${socket}: ${problem}`],
    ),
  ]
}

function toJson({ changes, away, isChanged }: SyncResult, results: readonly ProxyResult[]): object {
  const { schools, routes, gone, conflicts, missing } = changes
  const counts = { schools: schools.length, routes: routes.length, gone: gone.length }
  return { changed: isChanged, ...counts, conflicts, missing, away, proxies: results }
}

function collectSocket(text: string, before: readonly string[] = []): string[] {
  if (!text.includes('/') && !/:\d{1,5}$/.test(text))
    throw new InputError(`"${text}" is neither the path of a socket nor HOST:PORT.`)
  return [...before, text]
}
