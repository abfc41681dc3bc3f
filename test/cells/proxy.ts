import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { freePort } from '../harness/postgres/standby.ts'
import { waitFor } from '../harness/wait.ts'

type Owner = Pick<TestContext, 'after'>

/** What keeps a test with a proxy from running here; false if nothing. */
export const WITHOUT_HAPROXY =
  !['/usr/sbin/haproxy', '/usr/local/sbin/haproxy'].some(path => existsSync(path)) &&
  'no HAProxy on this machine; install it: apt-get install haproxy'

export const CONFIG = join(import.meta.dirname, '../../deploy/haproxy/haproxy.cfg')

/** A folder for maps, and the proxy of deploy/ that starts from them. */
export type TestProxy = {
  url: string
  maps: string
  socket: string
  /** While it runs. */
  readonly pid: number
  /** What it said of servers that it found up or down, and of its own reloads. */
  readonly notices: readonly ProxyNotice[]
  start(): Promise<void>
  stop(): Promise<void>
  /** At once, with its workers. */
  kill(): Promise<void>
  /** Reads its files again as an operator tells it to; only of one that was prepared for that. */
  reload(): Promise<void>
}

export type ProxyNotice = { atMs: number; text: string }

const NOTICE =
  /^.*(?:Server \S+ is (?:UP|DOWN)|has no server available|New worker|Loading success|worker .* exited).*$/gm

/** Not started: it wants its maps first. One that `reloads` is a master with a worker. */
export async function prepareProxy(owner: Owner, { reloads = false } = {}): Promise<TestProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'bursar-proxy-'))
  const maps = join(folder, 'maps')
  const socket = join(folder, 'admin.sock')
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess | null = null
  let said = ''
  const notices: ProxyNotice[] = []
  const hear = (text: string): void => {
    said += text
    const atMs = performance.now()
    for (const [line] of text.matchAll(NOTICE)) notices.push({ atMs, text: line })
  }
  const stop = async (): Promise<void> => {
    if (child === null || child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  const kill = async (): Promise<void> => {
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    killWithChildren(child.pid)
    await ended
  }
  const untilLoaded = async (from: number): Promise<void> =>
    waitFor(async () => /Loading success/.test(said.slice(from)), 'HAProxy to load its files')
  owner.after(async () => {
    await (reloads ? kill() : stop())
    await rm(folder, { recursive: true, force: true })
  })
  return {
    url,
    maps,
    socket,
    notices,
    stop,
    kill,
    async reload() {
      const before = said.length
      child?.kill('SIGUSR2')
      await untilLoaded(before)
    },
    get pid() {
      return child?.pid ?? 0
    },
    async start() {
      const env = { BURSAR_MAPS: maps, BURSAR_BIND: `127.0.0.1:${port}`, BURSAR_ADMIN: socket }
      const path = '/usr/sbin:/usr/local/sbin'
      const before = said.length
      child = spawn(
        'haproxy',
        [...(reloads ? ['-W'] : []), '-db', '-f', CONFIG, '-f', join(maps, 'cells.cfg')],
        {
          env: { PATH: path, ...env },
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      )
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (text: Buffer) => hear(text.toString()))
      const ended = once(child, 'exit').then(() => Promise.reject(new Error(`HAProxy ended: ${said}`)))
      // It ends in the end, and nobody waits for that.
      ended.catch(() => {})
      await Promise.race([
        waitFor(async () => (await fetch(`${url}/healthz`)).status === 200, 'HAProxy'),
        ended,
      ])
      // A worker answers before its master is ready for signals: one that came earlier would end the master.
      if (reloads) await untilLoaded(before)
    },
  }
}

/** As when the machine of a server loses power: none of its processes does anything more. Answers which they were. */
export function killWithChildren(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(/\s+/)
  const pids = [pid, ...children.filter(text => text !== '').map(Number)]
  for (const one of pids) {
    try {
      process.kill(one, 'SIGKILL')
    } catch {
      // It ended meanwhile.
    }
  }
  return pids
}
