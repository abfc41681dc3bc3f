import { setTimeout as wait } from 'node:timers/promises'
import { worstOf, type ByteRoute, type WorstFile } from '../harness/worst-files.ts'
import { Random } from '../sim/random.ts'

/**
 * A process of its own, so that neither making the worst files nor sending them is computed by the Bursar that is watched:
 * somebody of one school sends every route the worst that there is, many at once.
 */
export type Flood = {
  url: string
  seed: number
  /** How many of a file route's worst files are drawn; all when absent. */
  filesPerRoute?: number
  routes: readonly ByteRoute[]
  /** Of the person at the console and of the API key. */
  console: Record<string, string>
  api: Record<string, string>
}

export type Flooded = { sent: number; statuses: Record<string, number>; broken: string[] }

/** What the watcher is told: what is under way whenever that changes, and the result at the end. */
export type FloodReport = { underWay: readonly string[] } | { flooded: Flooded }

/** More than one key or person may send at once, so that counting them is a part of it. */
const AT_ONCE = 6
const TRY_AGAIN_MS = 250

const tell = (report: FloodReport, done?: () => void): void =>
  void process.send?.(report, undefined, {}, done)

async function flood({ url, seed, filesPerRoute, routes, ...headers }: Flood): Promise<Flooded> {
  const random = new Random(seed)
  const tasks = routes.flatMap(route => draw(route, random, filesPerRoute).map(file => ({ route, file })))
  const result: Flooded = { sent: 0, statuses: {}, broken: [] }
  const queue = tasks.values()
  const underWay = new Set<string>()
  const sender = async (): Promise<void> => {
    for (const { route, file } of queue) {
      const name = `${route.method} ${route.url} ${file.name}`
      tell({ underWay: [...underWay.add(name)] })
      const status = await sendUntilRead(route, () => send(url, route, file, headers))
      underWay.delete(name)
      result.sent++
      result.statuses[status] = (result.statuses[status] ?? 0) + 1
      if (Number(status) >= 500 && status !== '503') result.broken.push(`${name}: ${status}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sender))
  return result
}

/** A file that is refused because others are under way would not have been tried, so it comes again until it is read. */
async function sendUntilRead({ takes }: ByteRoute, send: () => Promise<string>): Promise<string> {
  for (;;) {
    const status = await send()
    if (status !== '429' || takes === 'json' || takes === 'form') return status
    await wait(TRY_AGAIN_MS)
  }
}

/** One body of each route, since one parser reads them all; of files as many as are asked for. */
function draw(route: ByteRoute, random: Random, files = Infinity): WorstFile[] {
  const count = route.takes === 'json' || route.takes === 'form' ? 1 : files
  const left = [...worstOf(route)]
  const drawn: WorstFile[] = []
  while (drawn.length < count && left.length > 0)
    drawn.push(...left.splice(random.between(0, left.length - 1), 1))
  return drawn
}

async function send(
  url: string,
  { method, url: path }: ByteRoute,
  { bytes, mediaType }: WorstFile,
  { console: cookie, api }: Pick<Flood, 'console' | 'api'>,
): Promise<string> {
  const own = path.startsWith('/console/') ? cookie : path.startsWith('/api/') ? api : {}
  try {
    const answer = await fetch(url + path, {
      method,
      body: bytes(),
      redirect: 'manual',
      headers: { ...own, 'content-type': mediaType, origin: url },
    })
    await answer.arrayBuffer()
    return String(answer.status)
  } catch {
    // A body that is refused before its end: the connection closes under the sender.
    return 'closed'
  }
}

process.on('disconnect', () => process.exit())
process.on('message', (wanted: Flood) => {
  void flood(wanted).then(flooded => tell({ flooded }, () => process.exit(0)))
})
