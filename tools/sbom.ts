/**
 * The bill of materials of the package, as CycloneDX: every npm package that a server may run, with its digest. It is made
 * from the lock file alone and has neither a time nor a random number in it, so the same lock gives the same bytes.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type Entry = {
  version?: string
  integrity?: string
  license?: string
  dev?: boolean
  optional?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}
export type Lock = { name: string; version: string; packages: Record<string, Entry> }

const ALGORITHMS: Record<string, string> = {
  sha1: 'SHA-1',
  sha256: 'SHA-256',
  sha384: 'SHA-384',
  sha512: 'SHA-512',
}

export function sbomOf(lock: Lock) {
  const root = { path: '', ref: purlOf(lock.name, lock.version) }
  const shipped = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true)
  const refs = new Map(shipped.map(([path, { version = '' }]) => [path, purlOf(nameOf(path), version)]))
  const components = new Map(
    shipped.map(([path, entry]) => [refs.get(path) ?? '', componentOf(nameOf(path), entry)] as const),
  )
  // Two copies of one version are one component, which needs what either needs.
  const needs = new Map<string, Set<string>>()
  for (const [path, ref] of [[root.path, root.ref] as const, ...refs]) {
    const { dependencies = {}, optionalDependencies = {} } = lock.packages[path] ?? {}
    const found = Object.keys({ ...dependencies, ...optionalDependencies }).flatMap(
      name => refs.get(resolve(path, name, refs) ?? '') ?? [],
    )
    needs.set(ref, new Set([...(needs.get(ref) ?? []), ...found]))
  }
  const { license } = lock.packages[''] ?? {}
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        'bom-ref': root.ref,
        type: 'application',
        name: lock.name,
        version: lock.version,
        purl: root.ref,
        ...licensesOf(license),
      },
    },
    components: [...components.values()].toSorted((one, other) => compare(one.purl, other.purl)),
    dependencies: [...needs]
      .toSorted(([one], [other]) => compare(one, other))
      .map(([ref, on]) => ({ ref, dependsOn: [...on].toSorted(compare) })),
  }
}

function componentOf(name: string, { version = '', integrity = '', license, optional }: Entry) {
  const purl = purlOf(name, version)
  const [, group, rest = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? []
  return {
    'bom-ref': purl,
    type: 'library',
    ...(group === undefined ? {} : { group }),
    name: rest,
    version,
    scope: optional === true ? 'optional' : 'required',
    hashes: integrity
      .split(' ')
      .filter(one => one !== '')
      .map(one => {
        const [algorithm = '', digest = ''] = one.split('-')
        return {
          alg: ALGORITHMS[algorithm] ?? algorithm,
          content: Buffer.from(digest, 'base64').toString('hex'),
        }
      }),
    ...licensesOf(license),
    purl,
  }
}

function licensesOf(license: string | undefined) {
  if (license === undefined) return {}
  return {
    licenses: [/ (AND|OR|WITH) /.test(license) ? { expression: license } : { license: { id: license } }],
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace(/^@/, '%40')}@${version}`
}

/** As Node looks for it: beside the package's own, then further up. */
function resolve(from: string, name: string, known: ReadonlyMap<string, string>): string | null {
  const steps = from.split('/node_modules/')
  for (let depth = from === '' ? 0 : steps.length; depth >= 0; depth--) {
    const path = [...steps.slice(0, depth), depth === 0 ? `node_modules/${name}` : name].join(
      '/node_modules/',
    )
    if (known.has(path)) return path
  }
  return null
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}

export function writtenSbom(root: string): string {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
  return `${JSON.stringify(sbomOf(lock), null, 2)}\n`
}
