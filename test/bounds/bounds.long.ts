import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'

/** What Node takes for old objects in a container of 512 MB, which is the least that the guide gives a process. */
const OLD_SPACE_MB = 256

/** As `npm start` has them. */
function startFlags(): string[] {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } }
  return scripts.start.match(/--\S+/g) ?? []
}

test('whatever one school sends to any route, another is answered: no stall, no queue behind it, no memory of all', async t => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const flags = [`--max-old-space-size=${OLD_SPACE_MB}`, ...startFlags()]
  const walk = spawn(process.execPath, [...flags, join(import.meta.dirname, 'walk.ts')], {
    env: { ...env, STATEMENTS: 'unwatched' },
  })
  t.after(() => walk.kill('SIGKILL'))
  const [said, complaints, [code]] = await Promise.all([
    text(walk.stdout),
    text(walk.stderr),
    once(walk, 'exit'),
  ])
  for (const line of said.matchAll(/^\W*((?:seed|\d+ sent to) .+)$/gm)) t.diagnostic(line[1] ?? '')
  assert.equal(code, 0, said + complaints)
})
