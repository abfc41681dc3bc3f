import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const FIELD = /\bhouse\??:|\.house\b|['"`]house['"`]|^ +house text/m

/** There it is an example of what a page may ask a payer for. */
const OTHERS = /^(src\/payment-pages\/|docs\/erp-developer\/payment-pages\.md)/

test('a field of a student touches the files that CONTRIBUTING.md lists, and no other', () => {
  const guide = readFileSync('CONTRIBUTING.md', 'utf8')
  const section = /## Add a field to a student\n(.*?)\n## /s.exec(guide)?.[1] ?? ''
  const listed = [...section.matchAll(/`((?:src|web|migrations|docs)\/[^`]+)`/g)].map(
    ([, path]) => path ?? '',
  )
  const tracked = execFileSync('git', ['ls-files', 'src', 'web/src', 'migrations', 'docs'], {
    encoding: 'utf8',
  })
  const found = tracked
    .split('\n')
    .filter(path => /\.(ts|tsx|sql|md)$/.test(path) && !OTHERS.test(path))
    .filter(path => FIELD.test(readFileSync(path, 'utf8')))
  assert.deepEqual(new Set(found), new Set(listed))
  assert.ok(listed.length <= 10)
})
