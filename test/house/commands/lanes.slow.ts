import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { bareEnv } from '../../harness/processes/child-env.ts'

const ROOT = join(import.meta.dirname, '../../..')

const FAILING = `
import assert from 'node:assert/strict'
import { test } from 'node:test'

test('a sum is right', () => {
  assert.deepEqual({ sum: 4 }, { sum: 5 })
})
test('another too', () => {})
`

test('a failing test of a lane is told by its name, file, line and difference, and how its file is run by itself', t => {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-lane-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'planted.test.ts')
  writeFileSync(file, FAILING)
  const setup = '--test-global-setup=test/harness/global-setup.ts'
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--test', '--test-reporter=spec', setup, 'test/lanes/lane-1.ts'],
    { cwd: ROOT, env: { ...bareEnv(), BURSAR_TESTS: file }, encoding: 'utf8' },
  )
  assert.equal(status, 1)
  assert.match(stdout, /planted\.test\.ts:5:1\n✖ a sum is right/)
  assert.match(stdout, /^ +\+ +sum: 4\n +- +sum: 5$/m)
  assert.match(stderr, new RegExp(`What failed, by itself:\nnode --test ${setup} ${file}\n`))
})
