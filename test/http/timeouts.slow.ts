import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { startBursar } from '../harness/bursar.ts'
import { DEMO } from '../harness/client.ts'
import { waitFor } from '../harness/wait.ts'

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

test('whoever never stops sending a request is cut off after thirty seconds, in its headers, its body or its file', async () => {
  const ends = await Promise.all([
    drip('GET /healthz HTTP/1.1\r\nx-long: '),
    drip(`POST /callbacks/sandbox HTTP/1.1\r\n${BODY}`),
    drip(`POST ${IMPORTS} HTTP/1.1\r\n${KEY}content-type: text/csv\r\n${BODY}`),
  ])
  for (const { afterMs, answer } of ends) {
    assert.ok(afterMs >= REQUEST_MS - 1_000 && afterMs < REQUEST_MS + 20_000, `${Math.round(afterMs)} ms`)
    assert.match(answer, /^HTTP\/1.1 4\d\d .*30 seconds/s)
  }
  await waitFor(
    async () => bursar.app.uploads.size + bursar.app.bodies.bytes === 0,
    'the requests to be forgotten',
  )
})
