import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import * as limits from '../../src/platform/limits.rules.ts'
import { createJobs } from '../../src/app/jobs.ts'
import type { SandboxBank } from '../../src/sandbox/bank/simulator.service.ts'
import { CLIENTS, HANDED_ON, JOBS } from '../bounds/clients.ts'
import { startBursar } from '../harness/bursar.ts'
import { byteRoutes, WORST_FILES, worstOf } from '../harness/worst-files.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const shown = (figure: number): string => figure.toLocaleString('en-US')

const megabytes = (uploads: number): number => (uploads * limits.FILES.import.bytes) / 1e6

test('the guide quotes the table of limits', () => {
  const guide = read('docs/operator/limits.md')
  for (const [kind, file] of Object.entries(limits.FILES)) {
    const {
      bytes,
      rows = '',
      cells = '',
      characters = '',
    } = { ...file } as Record<string, number | undefined>
    const figures = [bytes ?? 0, rows, cells, characters].map(one => (one === '' ? '' : shown(Number(one))))
    const row = guide.split('\n').find(line => line.startsWith(`| \`${kind}\` |`))
    const said = row
      ?.split('|')
      .slice(3, 7)
      .map(cell => cell.trim())
    assert.deepEqual(said, figures, kind)
  }
  const {
    ARCHIVE,
    BATCH,
    BODIES,
    EXPORTS,
    FORM,
    JSON_BODY,
    MATCHING,
    PILES,
    PRINTER,
    READER,
    REQUEST,
    ROW,
    UPLOADS,
  } = limits
  for (const sentence of [
    `at most ${ROW.columns} columns and ${shown(ROW.characters)} characters are read, and a cell is cut at ${shown(ROW.cellCharacters)} characters`,
    `may have ${shown(ARCHIVE.entries)} parts and unpack to ${shown(ARCHIVE.unpackedBytes)} bytes, with ${shown(ARCHIVE.texts)} texts of ${shown(ARCHIVE.textBytes)} bytes`,
    `${READER.processes} at a time beside each process of Bursar, with ${READER.seconds} seconds and ${READER.heapMb} MB of heap each; ${READER.waiting} more of each school may wait`,
    `${PRINTER.processes} at a time beside each process of Bursar, however many cores there are, with ${PRINTER.seconds} seconds and ${PRINTER.heapMb} MB of heap each`,
    `of at most ${PILES.students.toLocaleString('en')} students`,
    `${PRINTER.waiting} that somebody looks at and ${PRINTER.waiting} that are mailed of each school may wait`,
    `${PILES.perSchool} of a school (429 with \`Retry-After\`) and ${PILES.inAll} in all (503) are made and downloaded at a time, ${PILES.processes} of them printed`,
    `at most ${BATCH.rows} at a time`,
    `at most ${shown(MATCHING.knownLines)} lines that files of other formats`,
    `at most ${shown(MATCHING.openLines)} open lines are matched with ${shown(MATCHING.expected)} expected`,
    `${UPLOADS.perKey} of an API key or a person, ${UPLOADS.perSchool} of a school, over all processes together (429 with \`Retry-After\`), and ${UPLOADS.inAll} in each process (503)`,
    `one key holds at most ${megabytes(UPLOADS.perKey)} MB of\ntemporary folders and one school ${megabytes(UPLOADS.perSchool)} MB`,
    `${UPLOADS.inAll} files of 50 MB: ${megabytes(UPLOADS.inAll) / 1e3} GB`,
    `which nothing comes for ${UPLOADS.idleSeconds} seconds ends`,
    `has taken ${REQUEST.seconds} seconds and another for each ${shown(UPLOADS.bytesPerSecond)} bytes that have come`,
    `no file takes longer than ${Math.floor((REQUEST.seconds + limits.FILES.import.bytes / UPLOADS.bytesPerSecond) / 60)} minutes`,
    `has not come whole after ${REQUEST.seconds} seconds`,
    `${shown(JSON_BODY.bytes)} bytes, ${shown(JSON_BODY.values)} values, ${JSON_BODY.depth} levels deep`,
    `holds ${shown(BODIES.perSender)} bytes of them for one school (by its keys) or one network, and ${shown(BODIES.inAll)} in all`,
    `${shown(FORM.bytes)} bytes and ${FORM.fields} fields`,
    `${EXPORTS.perSchool} of a school (429 with \`Retry-After\`), ${EXPORTS.inAll} in all (503), in each process`,
  ])
    assert.ok(guide.includes(sentence), sentence)
})

test('every route that takes bytes has the worst that can be sent to it', async () => {
  const bursar = await startBursar({ after })
  const routes = byteRoutes(bursar)
  for (const route of routes) assert.ok(worstOf(route).length > 0, `${route.method} ${route.url}`)
  assert.ok(routes.length > 100)
  const taken = new Set(bursar.app.routes.flatMap(({ file }) => file ?? []))
  assert.deepEqual([...taken].toSorted(), Object.keys(WORST_FILES).toSorted(), 'each kind has a route')
  // A route whose document says that it takes a file is counted and limited as one.
  for (const { url, schema, file } of bursar.app.routes)
    assert.equal(JSON.stringify(schema['body'] ?? '').includes('"binary"'), file !== null, url)
})

test('every job is named with the servers that it asks, and every client that asks one is sent the worst answers', async () => {
  const { app } = await startBursar({ after })
  const bank = { runDue: async () => 0, nextDue: async () => null } as unknown as SandboxBank
  const jobs = createJobs(app.config, app.ctx, bank).map(({ name }) => name)
  assert.deepEqual(Object.keys(JOBS).toSorted(), jobs.toSorted())
  const asking = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.ts') && !/^platform\/(?:http-client|db)\//.test(path))
    .filter(path => ASKS.test(read(join('src', path))))
  assert.deepEqual([...Object.keys(CLIENTS), ...Object.keys(HANDED_ON)].toSorted(), asking.toSorted())
})

/** What a file has that asks another server, by whichever way there is. */
const ASKS =
  /\bHttpClient\b|\bfrom '(?:nodemailer|undici|node:dgram)'|\bconnect\b[^\n]*from 'node:(?:net|tls)'|[^.\w]fetch\(/

test('bodies reach no parser but through the server, and files through the one way of uploads', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  const using = (text: string): string[] =>
    files.filter(path => path.endsWith('.ts') && read(join('src', path)).includes(text)).toSorted()
  assert.deepEqual(using('addContentTypeParser('), ['http/server.ts', 'http/upload.ts'])
  assert.deepEqual(using("from 'yauzl'"), ['imports/files/workbook.ts'])
  assert.deepEqual(using("from 'csv-parse'"), ['imports/files/csv.ts'])
  const inReader = ['csv', 'mt940', 'xlsx'].map(format =>
    using(` read${format[0]?.toUpperCase()}${format.slice(1)}`),
  )
  const parsers = ['csv', 'mt940', 'xlsx'].map(format => `imports/files/${format}.ts`)
  assert.deepEqual(
    inReader,
    parsers.map(parser => [parser, 'imports/files/reader-process.ts'].toSorted()),
  )
})
