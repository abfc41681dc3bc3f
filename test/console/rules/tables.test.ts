import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

/** Columns of amounts and counts that stand on the left, as words do. */
function leftNumbers(source: string): string[] {
  const columns = source.match(/\{\s*title:[^{}]*?cell:[^\n]*?(?:formatRupees|formatCount)[^\n]*/g) ?? []
  const cells = source.match(/<td>\s*(?:\{format(?:Rupees|Count)\(|<Money\b)[^\n]*/g) ?? []
  return [...columns.filter(column => !column.includes('isAmount')), ...cells]
}

test('numbers stand on the right in every table of the console', () => {
  const tracked = execFileSync('git', ['ls-files', 'web/src'], { encoding: 'utf8' })
  const pages = tracked.split('\n').filter(path => path.endsWith('.tsx'))
  assert.ok(pages.length > 150)
  assert.deepEqual(
    pages.flatMap(path => leftNumbers(readFileSync(path, 'utf8')).map(found => `${path}: ${found}`)),
    [],
  )
  const planted = [
    "{ title: 'Owed', cell: row => formatRupees(row.owed) },",
    '<td>{formatCount(many)}</td>',
    '<td>\n  <Money rupees={owed} />',
  ]
  assert.deepEqual(
    planted.map(one => leftNumbers(one).length),
    [1, 1, 1],
  )
})
