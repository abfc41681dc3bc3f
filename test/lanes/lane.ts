import { globSync, statSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { test, type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { claimFile, notePassed } from './claims.ts'

const FILE_TIMEOUT_MS = 600_000

/**
 * A process that takes one test file after the other until none is left: loading the product once for many files costs a
 * third less than once for each. A file's hooks and subtests belong to the test that loads it, so its Bursar ends with it.
 * Any file also runs by itself.
 */
export async function runLane(): Promise<void> {
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context)
      const file = context.parentURL === undefined ? null : URL.parse(context.parentURL)?.search
      return file && found.url.startsWith(TESTS) ? { ...found, url: found.url + file } : found
    },
  })
  for (const file of filesByWeight()) {
    if (!claimFile(file)) continue
    await test(file, { timeout: FILE_TIMEOUT_MS }, t => load(t, file))
  }
}

/** No test begins before all of the file's are known: once none is left to run, the file counts as over. */
async function load(t: TestContext, file: string): Promise<void> {
  let hasFailed = false
  t.afterEach(each => {
    if ('passed' in each && !each.passed) hasFailed = true
  })
  t.after(() => {
    if (!hasFailed) notePassed(file)
  })
  const loaded = import(`${pathToFileURL(resolve(file)).href}?${file}`)
  await Promise.all([t.test('is loaded', async () => void (await loaded)), loaded])
}

/** What tests import of each other is loaded for each file anew: a Bursar that a module holds ends with its file. */
const TESTS = pathToFileURL(resolve('test')).href

/** `npm run test:slow` names others. */
const FILES = process.env['BURSAR_TESTS'] ?? 'test/**/*.test.ts'

/** Short files that take a minute or so: full statements, a command killed many times, a year of plans. */
const LONG_FOR_THEIR_SIZE = [
  'test/banking/full-statements.slow.ts',
  'test/platform/retention/kill.slow.ts',
  'test/flex/engine/engine.slow.ts',
  'test/flex/model.slow.ts',
  'test/sim/ways/ways-model.slow.ts',
  'test/console/approvals/model.slow.ts',
]

const weightOf = (file: string): number =>
  LONG_FOR_THEIR_SIZE.includes(file) ? Infinity : statSync(file).size

/** The longest first, by what is known or else by size: nobody is to wait for one at the end. */
function filesByWeight(): string[] {
  const weights = new Map(globSync(FILES).map(file => [file, weightOf(file)]))
  return [...weights].toSorted(([, a], [, b]) => (a === b ? 0 : b - a)).map(([file]) => file)
}
