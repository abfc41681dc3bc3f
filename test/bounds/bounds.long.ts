import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'

/** What Node takes for old objects in a container of 512 MB, which is the least that the guide gives a process. */
const OLD_SPACE_MB = 256

test('whatever one school sends to any route, another is answered: no stall, no queue behind it, no memory of all', async t => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const limit = `--max-old-space-size=${OLD_SPACE_MB}`
  const walk = spawn(process.execPath, [limit, join(import.meta.dirname, 'walk.ts')], { env })
  t.after(() => walk.kill('SIGKILL'))
  const [said, complaints, [code]] = await Promise.all([
    text(walk.stdout),
    text(walk.stderr),
    once(walk, 'exit'),
  ])
  for (const line of said.matchAll(/^\W*((?:seed|\d+ sent to) .+)$/gm)) t.diagnostic(line[1] ?? '')
  assert.equal(code, 0, said + complaints)
})
