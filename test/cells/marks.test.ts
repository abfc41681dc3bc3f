import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markUrl } from '../../src/platform/cell-mark.rules.ts'
import { createLog } from '../../src/platform/log.ts'
import { API, createPerson, Visitor } from '../console/support.ts'
import { startBursar, type TestBursar } from '../harness/bursar.ts'
import { waitFor } from '../harness/wait.ts'

async function linkTo(bursar: TestBursar, email: string): Promise<string> {
  let link = ''
  await waitFor(async () => {
    const { text } = await new Visitor(bursar.url).get(`/sandbox/mailbox?to=${encodeURIComponent(email)}`)
    link = /https?:\/\/[^"<\s]+\/console\/join\/[^"<\s]+/.exec(text)?.[0] ?? ''
    return link !== ''
  }, `a link in a mail to ${email}`)
  return link
}

test('a link that no school’s code is in names its school, or its cell where there is no school', async t => {
  const bursar = await startBursar(t, { CELL: 'south', BURSAR_ROLE: 'all' })
  const owner = await createPerson(bursar, { email: 'owner@demo.example', institute: 'demo-school' })
  const invited = { email: 'clerk@demo.example', role: 'viewer' }
  const { status, text } = await owner.post(`${API}/institutes/demo-school/team/invitations`, invited)
  assert.equal(status, 201, text)
  assert.match(await linkTo(bursar, invited.email), /\/console\/join\/[\w-]{43}\?at=demo-school$/)
  await new Visitor(bursar.url).post(`${API}/session/forgot`, { email: 'owner@demo.example' })
  assert.match(await linkTo(bursar, 'owner@demo.example'), /\/console\/join\/[\w-]{43}\?at=@south$/)
  assert.match(owner.cookie ?? '', /^bursar_south_session=/)
})

test('figures and log lines of a cell carry its name, and an installation by itself has none', async t => {
  const bursar = await startBursar(t, { CELL: 'south' })
  const metrics = await fetch(`${bursar.url}/metrics`).then(answer => answer.text())
  assert.match(metrics, /^bursar_db_connections\{.*cell="south".*\}/m)
  const alone = await startBursar(t)
  assert.doesNotMatch(await fetch(`${alone.url}/metrics`).then(answer => answer.text()), /cell=/)
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  createLog({ level: 'info', format: 'json', cell: 'south', destination }).info('listening')
  createLog({ level: 'info', format: 'json', cell: null, destination }).info('listening')
  assert.deepEqual(
    lines.map(line => JSON.parse(line).cell),
    ['south', undefined],
  )
})

test('an address keeps its parameters beside the mark, and an installation by itself marks none', () => {
  const url = 'https://pay.example.in/callbacks/lenders/vidya'
  assert.equal(markUrl(url, { cell: null }, 'green-park'), url)
  assert.equal(markUrl(url, { cell: 'south' }, 'green-park'), `${url}?at=green-park`)
  assert.equal(markUrl(`${url}?a=1`, { cell: 'south' }, null), `${url}?a=1&at=@south`)
})
