import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..', '..')

type Row = { promise: string; file: string; name: string }

/** The rows of the table; `name` as it stands in the file, with the holes of its template if it has some. */
function readRows(text: string): Row[] {
  return [...text.matchAll(/^\| (.+) \| \[(test\/[^\]]+)\]\(\2\) \| (.+) \|$/gm)].map(
    ([, promise = '', file = '', name = '']) => ({ promise, file, name }),
  )
}

function isHeld({ file, name }: Row): boolean {
  const path = join(ROOT, file)
  if (!existsSync(path)) return false
  const text = readFileSync(path, 'utf8')
  return ["'", '"', '`'].some(quote => text.includes(`${quote}${name}${quote},`))
}

test('every promise of SECURITY.md names a test that is there', () => {
  const text = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8')
  const rows = readRows(text)
  const tableRows = text.split('\n').filter(line => /^\| (?!Promise)/.test(line))
  assert.equal(rows.length, tableRows.length, 'each row has the form of the table')
  assert.ok(rows.length > 40)
  assert.deepEqual(
    rows.filter(row => !isHeld(row)),
    [],
  )
  // Whoever looks for one of two files that differ in how long they take finds the other.
  const bare = new Set(rows.map(({ file }) => file.replace(/\.\w+\.ts$/, '')))
  const twins = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .map(path => `test/${path}`)
    .filter(path => bare.has(path.replace(/\.\w+\.ts$/, '')))
  assert.deepEqual(
    twins.filter(path => !rows.some(({ file }) => file === path)),
    [],
  )
  assert.equal(
    isHeld({ promise: '', file: 'test/house/promises.test.ts', name: 'a test that is not there' }),
    false,
  )
  assert.equal(isHeld({ promise: '', file: 'test/house/gone.test.ts', name: 'anything' }), false)
})
