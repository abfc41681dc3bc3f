import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writtenSbom } from '../sbom.ts'
import { entriesOf, entryOf, tarGzOf, zipOf, type Entry } from './archives.ts'

/** What a release consists of. Each part is made of this checkout, as `npm ci` and `npm run release` built it. */
export const ROOT = join(import.meta.dirname, '..', '..')

/** Pure Python, and writes the same bytes for the same files and SOURCE_DATE_EPOCH. */
const FLIT = 'flit_core==3.12.0'
const LICENSE = join(ROOT, 'LICENSE')

export type Versions = { server: string; cli: string; clients: string; frappe: string; odoo: string }

export function readVersions(): Versions {
  const ofPackage = (folder: string): string => found(/"version": "(.+)"/, join(folder, 'package.json'))
  return {
    server: ofPackage('.'),
    cli: ofPackage('cli'),
    clients: ofPackage('sdk/node'),
    odoo: found(/"version": "(.+)"/, 'connectors/odoo/bursar_connector/__manifest__.py'),
    frappe: found(/__version__ = "(.+)"/, 'connectors/frappe/bursar_connector/__init__.py'),
  }
}

/** When the commit was made that this is built from: every file of an archive has that time. */
export function timeOfCommit(): Date {
  const given = process.env['SOURCE_DATE_EPOCH']
  return new Date(1_000 * Number(given ?? git('log', '-1', '--format=%ct')))
}

export type Part = {
  name: string
  /** Where it goes in the folder of the release. */
  to: string
  /** Why it cannot be made on this machine, or null. */
  lacks: () => string | null
  make: (to: string, at: Date) => Promise<void> | void
}

const always = (): null => null
const needs =
  (tool: string, ...args: string[]) =>
  (): string | null =>
    spawnSync(tool, args, { stdio: 'ignore' }).status === 0 ? null : `${tool} is not on this machine`

export function partsOf(versions: Versions): Part[] {
  const { clients } = versions
  return [
    { name: 'server', to: 'npm', lacks: always, make: packServer },
    { name: 'command line', to: 'npm', lacks: always, make: to => packDeveloper('cli', to) },
    { name: 'Node client', to: 'npm', lacks: always, make: to => packDeveloper('sdk/node', to) },
    { name: 'Python client', to: 'python', lacks: lacksFlit, make: buildPython },
    { name: 'PHP client', to: 'composer', lacks: always, make: zipInto('sdk/php', `bursar-sdk-${clients}`) },
    {
      name: 'Java client',
      to: 'maven',
      lacks: needs('javac', '-version'),
      make: (to, at) => buildJava(to, clients, at),
    },
    { name: 'Go client', to: 'go', lacks: always, make: zipInto('sdk/go', `bursar-go-${clients}`, true) },
    {
      name: 'app for Frappe',
      to: 'frappe',
      lacks: always,
      make: tarInto('connectors/frappe', `bursar-frappe-${versions.frappe}`),
    },
    {
      name: 'module for Odoo',
      to: 'odoo',
      lacks: always,
      make: tarInto('connectors/odoo/bursar_connector', `bursar-odoo-${versions.odoo}`),
    },
    {
      name: 'build context of the container',
      to: 'container',
      lacks: always,
      make: (to, at) => packContext(to, versions.server, at),
    },
    {
      name: 'bill of materials',
      to: '',
      lacks: always,
      make: to => writeFileSync(join(to, `bursar-${versions.server}.cdx.json`), writtenSbom(ROOT)),
    },
  ]
}

function packServer(to: string): void {
  run(ROOT, process.execPath, 'tools/build-package.ts')
  npmPack(ROOT, to)
}

/** A package of its own, with the licence that lies at the top of the repository. */
function packDeveloper(folder: string, to: string): void {
  run(join(ROOT, folder), 'npm', 'run', '--silent', 'prepack')
  inScratch(scratch => {
    for (const name of ['package.json', 'README.md', 'dist', 'samples'])
      if (existsSync(join(ROOT, folder, name)))
        cpSync(join(ROOT, folder, name), join(scratch, name), { recursive: true })
    cpSync(LICENSE, join(scratch, 'LICENSE'))
    npmPack(scratch, to)
  })
}

function npmPack(folder: string, to: string): void {
  run(folder, 'npm', 'pack', '--silent', '--ignore-scripts', '--pack-destination', to)
}

const FLIT_PLACE = join(ROOT, 'node_modules/.cache/release', FLIT)

function lacksFlit(): string | null {
  const lacks = needs('python3', '-m', 'pip', '--version')()
  if (lacks !== null) return 'python3 with pip is not on this machine'
  if (existsSync(FLIT_PLACE)) return null
  const args = ['-m', 'pip', 'install', '--quiet', '--retries', '1', '--target', FLIT_PLACE, FLIT]
  return spawnSync('python3', args, { stdio: 'ignore' }).status === 0
    ? null
    : `${FLIT} cannot be had from PyPI`
}

function buildPython(to: string, at: Date): void {
  inScratch(scratch => {
    writeEntries(scratch, entriesOf(join(ROOT, 'sdk/python'), ''))
    cpSync(LICENSE, join(scratch, 'LICENSE'))
    const build = `import sys; from flit_core import buildapi as api; api.build_wheel(sys.argv[1]); api.build_sdist(sys.argv[1])`
    const env = { PYTHONPATH: FLIT_PLACE, SOURCE_DATE_EPOCH: String(at.getTime() / 1_000) }
    execFileSync('python3', ['-c', build, to], {
      cwd: scratch,
      stdio: 'pipe',
      env: { ...process.env, ...env },
    })
  })
}

/** Composer looks for composer.json at the top; a Go module lies in a folder, which go.mod can name. */
function zipInto(folder: string, name: string, isInFolder = false): Part['make'] {
  return (to, at) => {
    const under = isInFolder ? `${name}/` : ''
    const entries = [...entriesOf(join(ROOT, folder), under), entryOf(LICENSE, `${under}LICENSE`)]
    writeFileSync(join(to, `${name}.zip`), zipOf(entries, at))
  }
}

function buildJava(to: string, version: string, at: Date): void {
  const name = join(to, `bursar-sdk-${version}`)
  const sources = entriesOf(join(ROOT, 'sdk/java/src/main/java'), '')
  inScratch(classes => {
    const files = sources.map(one => join(ROOT, 'sdk/java/src/main/java', one.name))
    run(ROOT, 'javac', '--release', '11', '-encoding', 'UTF-8', '-d', classes, ...files)
    writeFileSync(`${name}.jar`, zipOf(jarOf(entriesOf(classes, ''), version), at))
  })
  writeFileSync(`${name}-sources.jar`, zipOf(jarOf(sources, version), at))
  cpSync(join(ROOT, 'sdk/java/pom.xml'), `${name}.pom`)
}

function jarOf(entries: Entry[], version: string): Entry[] {
  const lines = [
    'Manifest-Version: 1.0',
    'Implementation-Title: bursar-sdk',
    `Implementation-Version: ${version}`,
    'Automatic-Module-Name: bursar',
  ]
  const manifest = { name: 'META-INF/MANIFEST.MF', bytes: Buffer.from(`${lines.join('\r\n')}\r\n\r\n`) }
  return [manifest, entryOf(LICENSE, 'META-INF/license.txt'), ...entries]
}

/** As a folder of `apps/` in a bench, or of Odoo's addons. */
function tarInto(folder: string, name: string): Part['make'] {
  return async (to, at) => {
    const under = 'bursar_connector/'
    const entries = [...entriesOf(join(ROOT, folder), under), entryOf(LICENSE, `${under}LICENSE`)]
    writeFileSync(join(to, `${name}.tar.gz`), await tarGzOf(entries, at))
  }
}

async function packContext(to: string, version: string, at: Date): Promise<void> {
  const names = [...contextOfImage(), 'deploy/Dockerfile']
  const entries = names.map(name => entryOf(join(ROOT, name), name))
  writeFileSync(join(to, `bursar-${version}-context.tar.gz`), await tarGzOf(entries, at))
}

/** What `docker build` copies: what is in git, but for what .dockerignore leaves out. */
export function contextOfImage(): string[] {
  const kept = readFileSync(join(ROOT, 'deploy/Dockerfile.dockerignore'), 'utf8')
    .split('\n')
    .filter(line => line.startsWith('!'))
    .map(line => line.slice(1))
  return git('ls-files', '--cached', '--others', '--exclude-standard', ...kept).split('\n')
}

export function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()
}

function run(cwd: string, command: string, ...args: string[]): void {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
}

function inScratch(use: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-release-'))
  try {
    use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function writeEntries(folder: string, entries: readonly Entry[]): void {
  for (const { name, bytes } of entries) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), bytes)
  }
}

function found(pattern: RegExp, path: string): string {
  const [, value = ''] = pattern.exec(readFileSync(join(ROOT, path), 'utf8')) ?? []
  return value
}
