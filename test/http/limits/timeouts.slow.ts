import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { startBursar } from '../../harness/bursar.ts'
import { DEMO } from '../../harness/client.ts'
import { waitFor } from '../../harness/wait.ts'

const bursar = await startBursar({ after })
const { hostname, port } = new URL(bursar.url)
const REQUEST_MS = 30_000
const KEY = `authorization: Basic ${Buffer.from(`${DEMO.key}:${DEMO.secret}`).toString('base64')}\r\n`
const BODY = 'content-length: 1000\r\n\r\n'
const IMPORTS = '/api/v1/integrations/erp/imports?kind=students'

/** Never stops sending, and never comes to an end; answers when the connection is closed, and by what. */
function drip(head: string): Promise<{ afterMs: number; answer: string }> {
  const begun = performance.now()
  const socket = connect(Number(port), hostname)
  let answer = ''
  socket.write(head.replace('\r\n', `\r\nhost: ${hostname}:${port}\r\n`))
  const timer = setInterval(() => socket.write('x'), 1_000)
  socket.on('data', part => (answer += part.toString())).on('error', () => {})
  return new Promise(resolve =>
    socket.on('close', () => {
      clearInterval(timer)
      resolve({ afterMs: performance.now() - begun, answer })
    }),
  )
}

/** The place of the one that is answered at once, while its body still comes. */
const ANSWERED = 3

test('whoever trickles a request is cut off after thirty seconds, in its headers, its body or its file, answered before or not', async () => {
  const ends = await Promise.all([
    drip('GET /healthz HTTP/1.1\r\nx-long: '),
    drip(`POST /callbacks/sandbox HTTP/1.1\r\n${BODY}`),
    drip(`POST ${IMPORTS} HTTP/1.1\r\n${KEY}content-type: text/csv\r\n${BODY}`),
    drip(`POST ${IMPORTS} HTTP/1.1\r\ncontent-type: text/csv\r\n${BODY}`),
    drip(`POST /api/v1/no-such-address HTTP/1.1\r\n${BODY}`),
  ])
  for (const [no, { afterMs, answer }] of ends.entries()) {
    assert.ok(afterMs >= REQUEST_MS - 1_000 && afterMs < REQUEST_MS + 20_000, `${Math.round(afterMs)} ms`)
    assert.match(answer, no === ANSWERED ? /^HTTP\/1.1 401 / : /^HTTP\/1.1 400 .*30 seconds/s)
    assert.equal(answer.split('HTTP/1.1').length, 2, 'one answer')
  }
  await waitFor(
    async () => bursar.app.uploads.size + bursar.app.bodies.bytes === 0,
    'the requests to be forgotten',
  )
})
