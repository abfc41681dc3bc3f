import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readWorksFrom } from '../../src/platform/db/migrate.ts'

/**
 * Two releases run side by side during an upgrade, so a migration may add at once what the older one ignores. What takes
 * something away from code, or asks more of its writes, works only with code that already does without.
 */
const FOLDER = new URL('../../migrations/', import.meta.url)

const CONTRACTIONS: readonly [what: string, pattern: RegExp][] = [
  ['drops something', /\bdrop\s+(table|column|view|type|function)\b/i],
  ['renames something', /\brename\s+(to|column|constraint)\b/i],
  ['changes a type', /\balter\s+(column\s+)?\w+\s+(set\s+data\s+)?type\b/i],
  ['asks for a value', /\bset\s+not\s+null\b/i],
  ['adds a column that must be filled', /\badd\s+column\b(?![^,;]*\bdefault\b)[^,;]*\bnot\s+null\b/i],
]

/** Why the older release would fail on it; null when it would not, or is said to be too old for it. */
function flawOf(name: string, sql: string): string | null {
  const version = Number(name.slice(0, 4))
  const worksFrom = readWorksFrom(name, sql)
  if (version === 1 || worksFrom === version) return null
  const statements = sql.replaceAll(/--.*$/gm, '')
  const [what] = CONTRACTIONS.find(([, pattern]) => pattern.test(statements)) ?? []
  return what === undefined ? null : `${name} ${what}, so it works only with code from ${name.slice(0, 4)} on`
}

test('no migration takes away what the code that it says it works with may use', () => {
  for (const name of readdirSync(FOLDER).filter(file => file.endsWith('.sql'))) {
    assert.equal(flawOf(name, readFileSync(new URL(name, FOLDER), 'utf8')), null)
  }
})

test('a migration that takes something away, or says nothing, is found', () => {
  const works = '-- Works with code from 0002 on.\n'
  assert.match(flawOf('0003_x.sql', `${works}alter table orders drop column grade;`) ?? '', /drops/)
  assert.match(flawOf('0003_x.sql', `${works}alter table orders rename column a to b;`) ?? '', /renames/)
  assert.match(flawOf('0003_x.sql', `${works}alter table t add column a text not null;`) ?? '', /filled/)
  assert.equal(flawOf('0003_x.sql', `${works}alter table t add column a text not null default '';`), null)
  assert.equal(flawOf('0003_x.sql', '-- Works with code from 0003 on.\ndrop table t;'), null)
  assert.throws(() => flawOf('0003_x.sql', 'select 1'), /must begin with a line/)
  assert.throws(() => flawOf('0003_x.sql', '-- Works with code from 0004 on.\n'), /must begin with a line/)
})
