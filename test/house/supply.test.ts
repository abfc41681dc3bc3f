import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { unverifiedEntries } from '../../tools/complete-lock.ts'
import { sbomOf, writtenSbom, type Lock } from '../../tools/sbom.ts'
import { read, readStages, readYaml, ROOT } from '../deploy/files.ts'

type Scripted = Lock & { packages: Record<string, { hasInstallScript?: boolean }> }
const readJson = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
const lock = readJson('package-lock.json') as Scripted
const { allowScripts, files } = readJson('package.json') as {
  allowScripts: Record<string, boolean>
  files: string[]
}

test('every package in the lock is installed only if its digest is the one there', () => {
  assert.deepEqual(unverifiedEntries(lock), [])
  const tool = { version: '1', dev: true, optional: true, cpu: ['x64'] }
  assert.deepEqual(unverifiedEntries({ packages: { '': {}, 'node_modules/tool': tool } }), [
    'node_modules/tool',
  ])
})

test('no package runs a script when it is installed but those that are listed, and each of those does', () => {
  const scripted = Object.entries(lock.packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path]) => path.replace(/^.*node_modules\//, ''))
  assert.deepEqual(new Set(scripted), new Set(Object.keys(allowScripts)))
  assert.ok(Object.values(allowScripts).every(Boolean))
  assert.match(readFileSync(join(ROOT, '.ci/run'), 'utf8'), /^npm ci --strict-allow-scripts$/m)
})

const BY_DIGEST = /@sha256:[0-9a-f]{64}$/

test('every base image in deploy/ is named by its digest', () => {
  const stages = readStages()
  const names = stages.map(({ name }) => name)
  const bases = stages.map(({ base }) => base).filter(base => !names.includes(base))
  assert.ok(bases.length > 0)
  const services = Object.values(readYaml('compose.yml').services as Record<string, { image?: string }>)
  const images = services.flatMap(({ image }) => image ?? []).filter(image => !image.startsWith('bursar:'))
  assert.ok(images.length > 0)
  for (const image of [...bases, ...images]) assert.match(image, BY_DIGEST)
  const foreign = readdirSync(join(ROOT, 'deploy'), { recursive: true, encoding: 'utf8' })
    .filter(name => /\.ya?ml$/.test(name))
    .flatMap(name => [...read(name).matchAll(/^\s*image: *(\S+)/gm)].map(([, image = '']) => image))
    .filter(image => !/^bursar(:|$)/.test(image))
  for (const image of foreign) assert.match(image, BY_DIGEST)
})

test('the bill of materials names every package that a server may run, once, with its digest, and the same lock gives the same bytes', () => {
  const bom = sbomOf(lock)
  assert.equal(writtenSbom(ROOT), writtenSbom(ROOT))
  assert.doesNotMatch(writtenSbom(ROOT), /timestamp|serialNumber/)
  const shipped = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true)
  const expected = shipped.map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`)
  const named = bom.components.map(
    ({ group, name, version }) => `${group ? `${group}/` : ''}${name}@${version}`,
  )
  assert.deepEqual(named.toSorted(), [...new Set(expected)].toSorted())
  for (const { purl, hashes } of bom.components) {
    assert.equal(hashes[0]?.alg, 'SHA-512', purl)
    assert.match(hashes[0].content, /^[0-9a-f]{128}$/, purl)
  }
  const refs = new Set([bom.metadata.component['bom-ref'], ...bom.components.map(one => one['bom-ref'])])
  assert.equal(bom.dependencies.length, refs.size)
  for (const { ref, dependsOn } of bom.dependencies)
    for (const one of [ref, ...dependsOn]) assert.ok(refs.has(one), one)
  const reached = new Set<string>()
  const walk = (ref: string): void => {
    if (reached.has(ref)) return
    reached.add(ref)
    for (const next of bom.dependencies.find(one => one.ref === ref)?.dependsOn ?? []) walk(next)
  }
  walk(bom.metadata.component['bom-ref'])
  assert.deepEqual(
    [...refs].filter(ref => !reached.has(ref)),
    [],
    'each is there because something needs it',
  )
})

test('the bill of materials is made with the package', () => {
  const build = readFileSync(join(ROOT, 'tools/build-package.ts'), 'utf8')
  assert.match(build, /writeFileSync\(join\(DIST, 'sbom\.cdx\.json'\), writtenSbom\(ROOT\)\)/)
  assert.ok(files.includes('dist'))
})
