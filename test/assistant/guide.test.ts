import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { ACTS } from '../../src/assistant/acts.ts'
import { TOOLS } from '../../src/assistant/tools.ts'
import { startBursar } from '../harness/bursar.ts'
import { DEMO } from '../harness/client.ts'

const ROOT = join(import.meta.dirname, '../..')
const guide = await readFile(join(ROOT, 'docs/erp-developer/assistants.md'), 'utf8')

test('the guide to assistants names every tool and every act with its scope', () => {
  const tables = guide.split('## Tools')[1] ?? ''
  const named = [...tables.matchAll(/`([a-z]+(?:_[a-z]+)+|search|redeliver)`/g)].map(([, name]) => name)
  for (const { name } of [...TOOLS, ...ACTS]) assert.ok(named.includes(name), name)
  for (const { name, scope } of ACTS) assert.ok(guide.includes(`| \`${name}\` | \`${scope}\` |`), name)
})

test('the program of the guide runs as it stands', async () => {
  const { url } = await startBursar({ after })
  const [, program = ''] = /```js\n([\s\S]*?)```/.exec(guide) ?? []
  // Below the modules, so that it finds the client.
  const folder = await mkdtemp(join(ROOT, 'node_modules/.guide-'))
  after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'assistant.mjs')
  const here = program
    .replace('http://127.0.0.1:8080', url)
    .replace('key_test_sunrise:secret_test_sunrise', `${DEMO.key}:${DEMO.secret}`)
  assert.notEqual(here, program)
  await writeFile(file, here)
  const { stdout } = await promisify(execFile)(process.execPath, [file])
  assert.match(stdout, /^search list_students /)
  assert.match(stdout, /amount: 0, count: 0/)
})
