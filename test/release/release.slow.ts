import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { buildRelease, filesOf, SUMS } from '../../tools/release/release.ts'
import { type Outcome, verifyRelease, wrongSums } from '../../tools/release/verify.ts'
import { startBursar } from '../harness/bursar.ts'

const bursar = await startBursar({ after })
const folder = mkdtempSync(join(tmpdir(), 'release-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const release = join(folder, 'first')
const skipped = await buildRelease(release)
for (const line of skipped) console.log(`Not made: ${line}`)

test('a release that is made twice is the same to the byte', async () => {
  const again = join(folder, 'again')
  await buildRelease(again)
  assert.equal(readFileSync(join(again, SUMS), 'utf8'), readFileSync(join(release, SUMS), 'utf8'))
  const made = filesOf(release).length
  assert.ok(made >= (skipped.length === 0 ? 15 : 10), `${made} files`)
})

/** Those that ask no registry for anything: `npm run release:verify` tries the others too. */
const titles = ['Node', 'Python', 'PHP, without Composer', 'Java', 'Go'].map(one => `The client for ${one}`)

test('clients are installed in an empty folder by the printed lines, and each takes a payment', async () => {
  const outcomes: Outcome[] = []
  await verifyRelease(release, one => outcomes.push(one), { url: bursar.url, titles })
  assert.deepEqual(
    outcomes.map(({ title }) => title),
    ['Digests', ...titles],
  )
  for (const { title, result, about } of outcomes) {
    assert.notEqual(result, 'failed', `${title}: ${about}`)
    if (result === 'skipped') console.log(`${title}: ${about}`)
  }
  const guide = readFileSync(join(release, 'INSTALL.md'), 'utf8')
  for (const { title, result } of outcomes)
    if (result === 'ok' && title !== 'Digests') assert.ok(guide.includes(`## ${title}\n`), title)
})

test('a file of a release that was changed is named, and nothing of it is installed', async () => {
  const [, changed = ''] = /([^ ]*composer\/.*)$/m.exec(readFileSync(join(release, SUMS), 'utf8')) ?? []
  appendFileSync(join(release, changed), 'x')
  assert.equal(wrongSums(release), `${changed} is not what SHA256SUMS says`)
  const outcomes: Outcome[] = []
  await verifyRelease(release, one => outcomes.push(one), { url: bursar.url, titles })
  assert.deepEqual(
    outcomes.map(({ result }) => result),
    ['failed'],
  )
})
