import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..', '..')

/** What is sent as CSV, and where its cells are written; whoever adds one looks at them. */
const SENDERS = {
  'src/console/orders/link-files/link-files.routes.ts': 'src/console/orders/link-files/link-files.routes.ts',
  'src/console/reports/reports.rules.ts': 'src/console/reports/reports.rules.ts',
  'src/console/students/rosters/rosters.routes.ts': 'src/console/students/rosters/bad-rows-csv.ts',
  'web/src/ui/table/csv.ts': 'web/src/ui/table/csv.ts',
}

test('every CSV that leaves Bursar has its cells from one place, which guards against formulas', () => {
  const files = ['src', 'web/src'].flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter(name => /\.tsx?$/.test(name))
      .map(name => join(folder, name)),
  )
  const having = (part: RegExp): string[] =>
    files.filter(file => part.test(readFileSync(join(ROOT, file), 'utf8'))).toSorted()
  assert.deepEqual(having(/replace(?:All)?\((?:'"'|\/"\/g), '""'\)/), ['src/platform/csv.rules.ts'])
  assert.deepEqual(having(/(?:mediaType|type|csv): 'text\/csv/), Object.keys(SENDERS))
  const guarded = having(/\bcsv(?:Text|Row)\(|\.map\(csvText\)/)
  for (const writer of Object.values(SENDERS)) assert.ok(guarded.includes(writer), writer)
})
