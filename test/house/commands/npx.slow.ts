import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { ROOT } from '../../deploy/files.ts'

/** npx packs the checkout, which builds it, before it runs the command. */
test('the commands of the guides run by npx in a checkout', () => {
  const shown = execFileSync('npx', ['bursar', '--help'], { cwd: ROOT, encoding: 'utf8' })
  assert.match(shown, /Usage: bursar/)
})
