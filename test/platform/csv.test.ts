import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..', '..')

test('every CSV that leaves Bursar has its cells from one place, which guards against formulas', () => {
  const files = ['src', 'web/src'].flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter(name => /\.tsx?$/.test(name))
      .map(name => join(folder, name)),
  )
  const doublesQuotes = files.filter(file =>
    /replaceAll\('"', '""'\)/.test(readFileSync(join(ROOT, file), 'utf8')),
  )
  assert.deepEqual(doublesQuotes, ['src/platform/csv.rules.ts'])
})
