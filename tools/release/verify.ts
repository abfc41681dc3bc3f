import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { readVersions } from './artifacts.ts'
import { type Install, installsOf, SERVER_TITLE } from './install-lines.ts'
import { filesOf, RELEASE, SUMS, sumsOf } from './release.ts'

/**
 * Tries a release as those who get it do: the digests, then every package by its printed lines in an empty folder, with one
 * call to the server that came with it, or to another one. `node tools/release/verify.ts [FOLDER]`
 */
const START_LIMIT_MS = 300_000

export type Outcome = { title: string; result: 'ok' | 'skipped' | 'failed'; about: string }

/** Null where every file has the digest that is written for it, and none is missing or new. */
export function wrongSums(release: string): string | null {
  const written = readFileSync(join(release, SUMS), 'utf8').split('\n')
  const now = sumsOf(release).split('\n')
  const wrong = [...now.filter(one => !written.includes(one)), ...written.filter(one => !now.includes(one))]
  const [line] = wrong
  return line === undefined ? null : `${line.slice(66)} is not what ${SUMS} says`
}

export async function verifyRelease(
  release: string,
  report: (outcome: Outcome) => void,
  other: { url: string; titles: readonly string[] } | null = null,
): Promise<void> {
  const wrong = wrongSums(release)
  report({
    title: 'Digests',
    result: wrong === null ? 'ok' : 'failed',
    about: wrong ?? `${filesOf(release).length - 1} files`,
  })
  if (wrong !== null) return
  const scratch = mkdtempSync(join(tmpdir(), 'bursar-verify-'))
  let server: ChildProcess | null = null
  try {
    const installs = installsOf(readVersions()).filter(
      ({ title }) => other === null || other.titles.includes(title),
    )
    const port = await freePort()
    const url = other?.url ?? `http://127.0.0.1:${port}`
    const env = { RELEASE: release, BURSAR_API_URL: url, PORT: String(port), DEMO: 'off' }
    for (const [index, install] of installs.entries()) {
      const cwd = join(scratch, String(index))
      mkdirSync(cwd)
      const lacks = whatLacks(install, release)
      if (lacks !== null) report({ title: install.title, result: 'skipped', about: lacks })
      else if (install.title === SERVER_TITLE) {
        const started = await startServer(install, cwd, env)
        ;({ server } = started)
        report(started.outcome)
        if (started.outcome.result === 'failed') return
      } else report(await runLines(install, cwd, env))
    }
  } finally {
    if (server?.pid !== undefined && server.exitCode === null) {
      process.kill(-server.pid, 'SIGINT')
      await once(server, 'close')
    }
    rmSync(scratch, { recursive: true, force: true })
  }
}

function whatLacks({ files, tools }: Install, release: string): string | null {
  const made = new Set(filesOf(release))
  const missing = files.find(file => !made.has(file))
  if (missing !== undefined) return `${missing} was not made`
  for (const [command, ...args] of tools) {
    if (spawnSync(command, args, { stdio: 'ignore' }).status !== 0)
      return `${[command, ...args].join(' ')} does not succeed on this machine`
  }
  return null
}

async function runLines({ title, lines, says }: Install, cwd: string, env: Environment): Promise<Outcome> {
  const child = shell(lines.join('\n'), cwd, env)
  const out = outputOf(child)
  const [code] = (await once(child, 'close')) as [number | null]
  if (code === 0 && says.test(out()))
    return { title, result: 'ok', about: out().trim().split('\n').at(-1) ?? '' }
  return { title, result: 'failed', about: out().slice(-2_000) }
}

async function startServer(
  { title, lines, says }: Install,
  cwd: string,
  env: Environment,
): Promise<{ server: ChildProcess; outcome: Outcome }> {
  const server = shell(lines.join('\n'), cwd, env)
  const out = outputOf(server)
  const until = Date.now() + START_LIMIT_MS
  while (!says.test(out()) && server.exitCode === null && Date.now() < until) await wait(200)
  const hasStarted = says.test(out())
  const about = hasStarted ? (env['BURSAR_API_URL'] ?? '') : out().slice(-2_000)
  return { server, outcome: { title, result: hasStarted ? 'ok' : 'failed', about } }
}

type Environment = Record<string, string>

/** As somebody has it who has none of ours: no module of this checkout, and no setting of the npm that runs this. */
function shell(lines: string, cwd: string, env: Environment): ChildProcess {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_(?!config_registry)|NODE_)/.test(name))
  const path = (process.env['PATH'] ?? '').split(':').filter(one => !one.includes('node_modules'))
  return spawn('sh', ['-ec', lines], {
    cwd,
    env: { ...Object.fromEntries(own), PATH: path.join(':'), ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function outputOf(child: ChildProcess): () => string {
  let out = ''
  child.stdout?.on('data', part => (out += String(part)))
  child.stderr?.on('data', part => (out += String(part)))
  return () => out
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

if (import.meta.main) {
  const [folder = RELEASE] = process.argv.slice(2)
  await verifyRelease(resolve(folder), ({ title, result, about }) => {
    process.stdout.write(`${result.padEnd(8)} ${title}: ${about}\n`)
    if (result === 'failed') process.exitCode = 1
  })
}
