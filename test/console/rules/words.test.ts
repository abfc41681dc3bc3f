import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

/** Pages for developers speak the words of the API. */
const FILES = globSync([
  'web/src/**/*.{ts,tsx}',
  'src/**/*.list.ts',
  'src/console/reports/*.service.ts',
]).filter(file => !file.startsWith('web/src/pages/developers/'))
/** A title, a label or a text between tags that says one of the other words. */
const WRONG =
  /\blabel="[^"]*\b(?:identifier|component|grade)s?\b|(?:\b(?:title|label)(?:: |=)|\b(?:text|money)\(|>)['"]?(?:Grade|Components?|Outstanding|Direct|At the institute|Identifier)\b(?![\w({.])/u

test('one thing has one word wherever people read it: fee, class, left to pay, at the school, admission number', () => {
  const wrong = FILES.flatMap(file =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter(line => WRONG.test(line))
      .map(line => `${file}: ${line.trim()}`),
  )
  assert.ok(FILES.length > 300)
  assert.deepEqual(wrong, [])
})
