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

const AT_ONCE = 6

async function flood({ url, seed, filesPerRoute, routes, ...headers }: Flood): Promise<Flooded> {
  const random = new Random(seed)
  const tasks = routes.flatMap(route => draw(route, random, filesPerRoute).map(file => ({ route, file })))
  const result: Flooded = { sent: 0, statuses: {}, broken: [] }
  const queue = tasks.values()
  const sender = async (): Promise<void> => {
    for (const { route, file } of queue) {
      const status = await send(url, route, file, headers)
      result.sent++
      result.statuses[status] = (result.statuses[status] ?? 0) + 1
      if (Number(status) >= 500 && status !== '503')
        result.broken.push(`${route.method} ${route.url} ${file.name}: ${status}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sender))
  return result
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

process.on('message', (wanted: Flood) => {
  void flood(wanted).then(result => process.send?.(result, () => process.exit(0)))
})
