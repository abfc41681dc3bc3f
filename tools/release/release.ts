import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { git, partsOf, readVersions, ROOT, timeOfCommit } from './artifacts.ts'
import { installsOf } from './install-lines.ts'

/**
 * Makes `dist/release/`: every package as its registry wants it, how each is installed, and the digests of all. Twice the
 * same checkout gives twice the same bytes: docs/operator/release.md says what they depend on.
 */
export const SUMS = 'SHA256SUMS'
export const RELEASE = join(ROOT, 'dist/release')

const versions = readVersions()

/** Gives what could not be made here, and why. */
export async function buildRelease(folder: string): Promise<string[]> {
  const skipped: string[] = []
  const at = timeOfCommit()
  rmSync(folder, { recursive: true, force: true })
  for (const { name, to, lacks, make } of partsOf(versions)) {
    const reason = lacks()
    if (reason !== null) {
      skipped.push(`${name}: ${reason}`)
      continue
    }
    mkdirSync(join(folder, to), { recursive: true })
    await make(join(folder, to), at)
  }
  writeFileSync(join(folder, 'INSTALL.md'), installGuide(folder))
  writeFileSync(join(folder, SUMS), sumsOf(folder))
  return skipped
}

/** As `sha256sum -c SHA256SUMS` reads it. */
export function sumsOf(folder: string): string {
  return filesOf(folder)
    .filter(path => path !== SUMS)
    .map(path => {
      const digest = createHash('sha256').update(readFileSync(join(folder, path)))
      return `${digest.digest('hex')}  ${path}\n`
    })
    .join('')
}

export function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(path => statSync(join(folder, path)).isFile())
    .toSorted()
}

function installGuide(folder: string): string {
  const made = new Set(filesOf(folder))
  const sections = installsOf(versions)
    .filter(({ files }) => files.every(file => made.has(file)))
    .map(({ title, lines }) => `## ${title}\n\n\`\`\`sh\n${lines.join('\n')}\n\`\`\`\n`)
  return `# Bursar ${versions.server}

Check what you have: \`sha256sum -c ${SUMS}\`. Then, in an empty folder each, with \`RELEASE\` the address of this one. First calls go to the sandbox at
\`BURSAR_API_URL\`, http://127.0.0.1:8080 if nothing is said, with the key that every sandbox has.

${sections.join('\n')}`
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

if (import.meta.main) {
  // Beside, and moved into place whole: a build that fails leaves the one before.
  const fresh = join(ROOT, `node_modules/.cache/release-${process.pid}`)
  const skipped = await buildRelease(fresh)
  rmSync(RELEASE, { recursive: true, force: true })
  mkdirSync(join(ROOT, 'dist'), { recursive: true })
  renameSync(fresh, RELEASE)
  for (const path of filesOf(RELEASE))
    print(`${relative(process.cwd(), join(RELEASE, path))}  ${statSync(join(RELEASE, path)).size} bytes`)
  for (const line of skipped) print(`Not made: ${line}`)
  if (git('status', '--porcelain') !== '') print('This checkout has changes that no commit has.')
  print('How each is installed: dist/release/INSTALL.md. Tried in empty folders: npm run release:verify')
}
