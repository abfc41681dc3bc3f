/**
 * A month of a log as files: rows as JSON, one a line, compressed and sealed under the master key, and beside them a manifest
 * with their count and checksums. Whatever has a manifest is whole, however the process that wrote it ended.
 */
import { createHash, createHmac, type Hmac } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { NotOpened, readSealed, type Seal } from '../sealed-file.ts'
import type { Vault } from '../secrets.ts'

export type Manifest = {
  format: 2
  /** The log that the rows are of. */
  table: string
  /** Such as 2026-01, in India; what stood before the first month is `before-2026-01`. */
  month: string
  rows: number
  first_id: string
  last_id: string
  columns: { name: string; type: string }[]
  file: string
  bytes: number
  /** Digest of the file, as `sha256sum` computes it. */
  sha256: string
  /** Digest of the lines under a key, however they are sealed: without the key it would tell whether a guess at them is right. */
  lines_hmac: string
  written_at: string
}

export const LINES = '.jsonl.gz.sealed'
const MANIFEST = '.json'

/** Every manifest in the folder, by table and month. One that cannot be read hides no other, if somebody takes the problem. */
export async function listArchives(
  folder: string,
  onProblem: (problem: string, path: string) => void = problem => {
    throw new Error(problem)
  },
): Promise<Manifest[]> {
  const manifests: Manifest[] = []
  for (const path of await listManifests(folder)) {
    const found = await readManifest(path).catch((error: Error) => error.message)
    if (typeof found === 'string') onProblem(found, path)
    else if (found !== null) manifests.push(found)
  }
  return manifests
}

/** Where the manifests of the folder are, by table and month. */
async function listManifests(folder: string): Promise<string[]> {
  return (await listFiles(folder)).filter(path => path.endsWith(MANIFEST))
}

async function listFiles(folder: string): Promise<string[]> {
  const tables = (await readdir(folder, { withFileTypes: true })).filter(entry => entry.isDirectory())
  const names = await Promise.all(
    tables.map(async ({ name }) => (await readdir(join(folder, name))).map(file => join(folder, name, file))),
  )
  return names.flat().toSorted()
}

export type Verified = { files: number; rows: number; problems: string[] }

/** Reads every archive of the folder. One that is damaged hides none of the others. */
export async function verifyArchives(folder: string, vault: Vault, now = new Date()): Promise<Verified> {
  const verified: Verified = { files: 0, rows: 0, problems: [] }
  for (const path of await listWithoutManifest(folder, now)) {
    verified.files++
    verified.problems.push(
      `${path} has no manifest to compare it with: bring that back, or delete the file if \`bursar archive run\` wrote the month again`,
    )
  }
  for (const path of await listManifests(folder)) {
    const found = await readManifest(path).catch((error: Error) => error.message)
    if (found === null) continue
    const problem = typeof found === 'string' ? found : await archiveProblem(folder, found, vault)
    if (problem !== null) verified.problems.push(problem)
    verified.files++
    if (typeof found !== 'string') verified.rows += found.rows
  }
  return verified
}

/** The manifest is written right behind the rows: between the two a file is alone for a moment. */
const BEING_WRITTEN_MS = 60_000

async function listWithoutManifest(folder: string, now: Date): Promise<string[]> {
  const paths = new Set(await listFiles(folder))
  const alone = [...paths].filter(
    path => path.endsWith(LINES) && !paths.has(`${path.slice(0, -LINES.length)}${MANIFEST}`),
  )
  const changed = await Promise.all(alone.map(async path => (await stat(path).catch(() => null))?.ctimeMs))
  return alone.filter((_, at) => now.getTime() - (changed[at] ?? now.getTime()) > BEING_WRITTEN_MS)
}

/** Null when there is none; throws when it cannot be understood. */
export async function readManifest(path: string): Promise<Manifest | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  const problem = `${path} is not a manifest of an archive that this version understands`
  try {
    const manifest = JSON.parse(text) as { format: unknown; sha256: unknown }
    if (manifest.format === 2 && typeof manifest.sha256 === 'string') return manifest as Manifest
  } catch (cause) {
    throw new Error(problem, { cause })
  }
  throw new Error(problem)
}

export const manifestPath = (folder: string, table: string, name: string): string =>
  join(folder, table, `${name}${MANIFEST}`)

export const linesPath = (folder: string, { table, file }: Pick<Manifest, 'table' | 'file'>): string =>
  join(folder, table, file)

/** A file that is moved to another month or log does not open there. */
export function sealOf(vault: Vault, { table, month }: Pick<Manifest, 'table' | 'month'>): Seal {
  return { vault, purpose: `archive ${table} ${month}` }
}

export function hmacOfLines(vault: Vault): Hmac {
  return createHmac('sha256', vault.deriveKey('lines of an archive'))
}

export type Content = { rows: number; bytes: number; sha256: string; linesHmac: string }

/** Reads a file of lines to its end, each line to `onLine`; what it cannot open it throws. */
export async function readLines(
  path: string,
  seal: Seal,
  onLine?: (line: string) => void | Promise<void>,
): Promise<Content> {
  const [ofFile, ofLines] = [createHash('sha256'), hmacOfLines(seal.vault)]
  let [rows, bytes, rest] = [0, 0, '']
  const decoder = new TextDecoder()
  const plain = readSealed(path, seal, chunk => {
    ofFile.update(chunk)
    bytes += chunk.length
  })
  for await (const chunk of plain as AsyncIterable<Buffer>) {
    ofLines.update(chunk)
    if (onLine === undefined) {
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) rows++
      continue
    }
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) await onLine(line)
    rows += lines.length
  }
  return { rows, bytes, sha256: ofFile.digest('hex'), linesHmac: ofLines.digest('hex') }
}

/** What is wrong with an archive; null: every byte and row of it is there. */
export async function archiveProblem(
  folder: string,
  manifest: Manifest,
  vault: Vault,
): Promise<string | null> {
  const path = linesPath(folder, manifest)
  let content: Content
  try {
    content = await readLines(path, sealOf(vault, manifest))
  } catch (error) {
    return describeUnread(path, error as Error)
  }
  if (content.sha256 !== manifest.sha256)
    return `${path} is not the file that was written: its checksum differs`
  if (content.rows !== manifest.rows || content.linesHmac !== manifest.lines_hmac)
    return `${path} has ${content.rows} rows, its manifest says ${manifest.rows}`
  return null
}

export function describeUnread(path: string, error: Error): string {
  return error instanceof NotOpened ? `${path} ${error.message}` : `${path} cannot be read: ${error.message}`
}
