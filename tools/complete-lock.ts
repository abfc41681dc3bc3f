import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

/**
 * `npm ci` wants an entry for every optional dependency, also for platforms that a mirror of the registry does not
 * carry, and `npm install` behind such a mirror leaves those out. This writes them back, with the platform that
 * their name tells, so that npm knows to skip them elsewhere, and asks the registry for every digest that is not there. Run
 * by `npm run lock` after a change of dependencies. If a digest cannot be had, choose a version whose binaries are all there.
 */
type Entry = {
  version?: string
  integrity?: string
  dev?: boolean
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  optionalDependencies?: Record<string, string>
}
type Lock = { packages: Record<string, Entry> }

const PLATFORM =
  /(?:(android|darwin|freebsd|linux|openharmony|win32)-([a-z0-9]+)(?:-([a-z]+))?|(wasm32)-wasi)$/

/** The optional dependencies that the lock names and has no entry for. */
export function missingEntries(lock: Lock): { path: string; entry: Entry }[] {
  return Object.values(lock.packages).flatMap(({ optionalDependencies = {}, dev }) =>
    Object.entries(optionalDependencies).flatMap(([name, version]) => {
      const path = `node_modules/${name}`
      const platform = PLATFORM.exec(name)
      if (path in lock.packages || platform === null) return []
      const [, os, cpu, abi = '', wasm = ''] = platform
      const entry: Entry = {
        version,
        ...(dev === true ? { dev } : {}),
        optional: true,
        ...(os === undefined ? {} : { os: [os] }),
        cpu: [cpu ?? wasm],
        ...(abi.startsWith('musl') ? { libc: ['musl'] } : {}),
        ...(abi.startsWith('gnu') ? { libc: ['glibc'] } : {}),
      }
      return [{ path, entry }]
    }),
  )
}

/** Packages that would be installed without being compared with a digest. */
export function unverifiedEntries(lock: Lock): string[] {
  return Object.entries(lock.packages)
    .filter(([path, { integrity }]) => path !== '' && integrity === undefined)
    .map(([path]) => path)
}

async function askDigest(path: string, version: string): Promise<string | null> {
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const answer = await fetch(new URL(`${name.replace('/', '%2f')}/${version}`, registry))
  if (!answer.ok) return null
  const { dist } = (await answer.json()) as { dist: { integrity?: string } }
  return dist.integrity ?? null
}

if (import.meta.main) {
  const file = new URL('../package-lock.json', import.meta.url)
  const lock = JSON.parse(readFileSync(file, 'utf8')) as Lock
  const missing = missingEntries(lock)
  for (const { path, entry } of missing) lock.packages[path] = entry
  for (const path of unverifiedEntries(lock)) {
    const { version = '', ...entry } = lock.packages[path] ?? {}
    const integrity = await askDigest(path, version)
    if (integrity === null) process.stderr.write(`The registry has no digest of ${path} ${version}.\n`)
    else lock.packages[path] = { version, integrity, ...entry }
  }
  const [root, ...rest] = Object.entries(lock.packages)
  const sorted = rest.sort(([left], [right]) => (left < right ? -1 : 1))
  lock.packages = Object.fromEntries(root === undefined ? sorted : [root, ...sorted])
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
  process.stdout.write(`${missing.length} entries added to package-lock.json\n`)
  process.exitCode = unverifiedEntries(lock).length === 0 ? 0 : 1
}
