import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { writtenSbom } from './sbom.ts'

/**
 * What `npm pack` packs: the server as it lies here, with its TypeScript turned into JavaScript, since Node runs no
 * TypeScript inside node_modules. Types become blanks, so that a line and column in a stack trace are those of the source.
 */
const ROOT = join(import.meta.dirname, '..')
const DIST = join(ROOT, 'dist')
const SOURCES = ['src', 'cli/src', 'sdk/node/src']
const COPIED = ['package.json', 'cli/package.json', 'migrations', 'docs/erp-developer', 'web/dist', 'build']

/** `'./x.ts'` of imports, and the modules of processes of their own: `new URL('x.ts', import.meta.url)`. */
const MODULE = /(from |import\(|import |new URL\()'((?:\.{1,2}\/)?[\w./-]+)\.ts'/g

for (const name of existsSync(DIST) ? readdirSync(DIST) : [])
  if (name !== 'release') rmSync(join(DIST, name), { recursive: true })
for (const path of COPIED) cpSync(join(ROOT, path), join(DIST, path), { recursive: true })
writeFileSync(join(DIST, 'sbom.cdx.json'), writtenSbom(ROOT))
for (const folder of SOURCES) {
  for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
    if (/\.[a-z]+$/.test(name)) build(join(folder, name))
  }
}

function build(path: string): void {
  const target = join(DIST, path.replace(/\.ts$/, '.js'))
  mkdirSync(dirname(target), { recursive: true })
  if (!path.endsWith('.ts')) {
    cpSync(join(ROOT, path), target)
    return
  }
  const code = stripTypeScriptTypes(readFileSync(join(ROOT, path), 'utf8'))
  writeFileSync(target, code.replaceAll(MODULE, "$1'$2.js'"))
}
