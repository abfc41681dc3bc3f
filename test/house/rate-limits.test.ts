import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  CODE_WINDOW_MINUTES,
  describeLimit,
  LIMITS,
  limitsTable,
} from '../../src/platform/rate-limits.rules.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** The guide with the whole table, and the sentences of other documents that name a figure of it. */
const GUIDE = 'docs/operator/sign-in.md'
const SENTENCES: [path: string, sentence: string][] = [
  [
    'docs/adr/0037-families-pages-without-an-app.md',
    `for a contact from one network: ${describeLimit(LIMITS.familyContactAtNetwork)}; from all: ${describeLimit(LIMITS.familyContact)}; for a network: ${describeLimit(LIMITS.familyNetwork)}`,
  ],
  [
    'docs/adr/0037-families-pages-without-an-app.md',
    `${LIMITS.familyCode.tries} tries, ${LIMITS.familyCode.minutes} minutes`,
  ],
  [
    'docs/bursar/families.md',
    `at most ${LIMITS.familyContactAtNetwork.codes.most} codes in ${CODE_WINDOW_MINUTES} minutes from one network and ${LIMITS.familyContact.codes.most} from all`,
  ],
  ['SECURITY.md', `${LIMITS.anonymous.rate.perMinute / 60} a second\n  (\`PUBLIC_RATE\`) per address`],
]

test('the guide and other documents show the limits that the code has', () => {
  assert.ok(read(GUIDE).includes(limitsTable()), limitsTable())
  for (const [path, sentence] of SENTENCES) assert.ok(read(path).includes(sentence), `${path}: ${sentence}`)
})

test('families are told to wait as long as the limit says, in every language', () => {
  for (const language of ['en', 'hi', 'kn', 'ta']) {
    const { signIn } = JSON.parse(read(`src/portal/texts/${language}.json`))
    assert.match(signIn.problems.tooMany, new RegExp(`\\b${CODE_WINDOW_MINUTES}\\b`))
  }
})

/** Where somebody is refused because of how often they came; each takes its figures from the table, which a test walks. */
const REFUSING = new Set([
  'src/http/limits/rate-limits.ts',
  'src/console/auth/limits/tries.service.ts',
  'src/portal/sign-in/sign-in.routes.ts',
  'src/portal/poster/poster.routes.ts',
  // No limit of tries: how many files are made at once.
  'src/platform/concurrency.ts',
  'src/http/limits/bodies.ts',
  // No limit of tries either: the bytes of bodies that one sender keeps under way.
  'src/http/limits/bodies.ts',
])
const NO_REFUSAL = new Set(['src/platform/errors.ts', 'src/http/openapi/operation.ts'])

const refusals = (files: { path: string; text: string }[]): string[] =>
  files
    .filter(
      ({ path, text }) =>
        /RLE00000'|\bstatus: 429\b|\.(code|status)\(429\)/.test(text) && !NO_REFUSAL.has(path),
    )
    .map(({ path }) => path)

/** A limiter with figures of its own. */
const ownFigures = (files: { path: string; text: string }[]): string[] =>
  files
    .filter(({ text }) => /new VisitorLimit\((?!LIMITS\.\w+\))|\bfirstWaitMs: /.test(text))
    .map(({ path }) => path)
    .filter(path => !['src/http/limits/rate-limits.ts', 'src/platform/rate-limits.rules.ts'].includes(path))

test('whoever is refused for coming too often is refused by a limit of the table', () => {
  const planted = [
    { path: 'src/a.ts', text: "throw new BursarError('RLE00000', 'No')" },
    { path: 'src/b.ts', text: 'const limit = new VisitorLimit({ rate: { burst: 1, perMinute: 1 } })' },
  ]
  assert.deepEqual(refusals(planted), ['src/a.ts'])
  assert.deepEqual(ownFigures(planted), ['src/b.ts'])
  const files = globSync('src/**/*.ts', { cwd: ROOT }).map(path => ({ path, text: read(path) }))
  assert.deepEqual(new Set(refusals(files)), REFUSING)
  assert.deepEqual(ownFigures(files), [])
})
