/**
 * A month of a log as files: rows as JSON, one a line, compressed, and beside them a manifest with their count and
 * checksums. Whatever has a manifest is whole, however the process that wrote it ended.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createGunzip } from 'node:zlib'

export type Manifest = {
  format: 1
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
  /** Of the file, as `sha256sum` computes it. */
  sha256: string
  /** Of the lines in it, however they are compressed. */
  lines_sha256: string
  written_at: string
}

export const LINES = '.jsonl.gz'
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
export async function verifyArchives(folder: string, now = new Date()): Promise<Verified> {
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
    const problem = typeof found === 'string' ? found : await archiveProblem(folder, found)
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
    const manifest = JSON.parse(text) as Manifest
    if (manifest.format === 1 && typeof manifest.sha256 === 'string') return manifest
  } catch (cause) {
    throw new Error(problem, { cause })
  }
  throw new Error(problem)
}

export const manifestPath = (folder: string, table: string, name: string): string =>
  join(folder, table, `${name}${MANIFEST}`)

export const linesPath = (folder: string, { table, file }: Pick<Manifest, 'table' | 'file'>): string =>
  join(folder, table, file)

export type Content = { rows: number; bytes: number; sha256: string; linesSha256: string }

/** Reads a file of lines to its end, each line to `onLine`; what it cannot unpack it throws. */
export async function readLines(
  path: string,
  onLine?: (line: string) => void | Promise<void>,
): Promise<Content> {
  const [ofFile, ofLines] = [createHash('sha256'), createHash('sha256')]
  let [rows, bytes, rest] = [0, 0, '']
  const decoder = new TextDecoder()
  const source = createReadStream(path, { highWaterMark: 256 * 1024 })
  source.on('data', chunk => {
    ofFile.update(chunk)
    bytes += chunk.length
  })
  const gunzip = createGunzip()
  source.on('error', error => gunzip.destroy(error))
  try {
    for await (const chunk of source.pipe(gunzip) as AsyncIterable<Buffer>) {
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
  } finally {
    source.destroy()
  }
  return { rows, bytes, sha256: ofFile.digest('hex'), linesSha256: ofLines.digest('hex') }
}

/** What is wrong with an archive; null: every byte and row of it is there. */
export async function archiveProblem(folder: string, manifest: Manifest): Promise<string | null> {
  const path = linesPath(folder, manifest)
  let content: Content
  try {
    content = await readLines(path)
  } catch (error) {
    return `${path} cannot be read: ${(error as Error).message}`
  }
  if (content.sha256 !== manifest.sha256)
    return `${path} is not the file that was written: its checksum differs`
  if (content.rows !== manifest.rows || content.linesSha256 !== manifest.lines_sha256)
    return `${path} has ${content.rows} rows, its manifest says ${manifest.rows}`
  return null
}
