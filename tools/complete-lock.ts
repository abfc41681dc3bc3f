import { readFileSync, writeFileSync } from 'node:fs'

/**
 * `npm ci` wants an entry for every optional dependency, also for platforms that a mirror of the registry does not
 * carry, and `npm install` behind such a mirror leaves those out. This writes them back, with the platform that
 * their name tells, so that npm knows to skip them elsewhere. Run by `npm run lock` after a change of dependencies.
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

/**
 * Packages that would be installed without being compared with a digest. A mirror that does not carry a platform's binary does
 * not tell its digest either; that is let pass for tools of developers alone, never for what a server runs.
 */
export function unverifiedEntries(lock: Lock): string[] {
  return Object.entries(lock.packages)
    .filter(([path, { integrity }]) => path !== '' && integrity === undefined)
    .filter(([, { dev, optional, cpu }]) => dev !== true || optional !== true || cpu === undefined)
    .map(([path]) => path)
}

if (import.meta.main) {
  const file = new URL('../package-lock.json', import.meta.url)
  const lock = JSON.parse(readFileSync(file, 'utf8')) as Lock
  const missing = missingEntries(lock)
  for (const { path, entry } of missing) lock.packages[path] = entry
  const [root, ...rest] = Object.entries(lock.packages)
  const sorted = rest.sort(([left], [right]) => (left < right ? -1 : 1))
  lock.packages = Object.fromEntries(root === undefined ? sorted : [root, ...sorted])
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
  process.stdout.write(`${missing.length} entries added to package-lock.json\n`)
}
