import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { skipWithout } from '../sdk/languages.ts'

const APP = resolve(import.meta.dirname, '../../connectors/frappe')

test(
  'the rules of the Frappe connector book every payment, refund, return and settlement once and to the paisa',
  { skip: skipWithout('python3') },
  async () => {
    const { stderr } = await promisify(execFile)(
      'python3',
      ['-m', 'unittest', 'discover', '-s', 'tests', '-t', '.'],
      {
        cwd: APP,
        env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
      },
    )
    assert.match(stderr, /^Ran \d\d tests.*\n\nOK\n$/m)
  },
)
