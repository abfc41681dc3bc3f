import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { CallOutcome } from '../../../src/platform/http-client/call-counts.ts'
import { createCaller } from '../../../src/providers/http.ts'
import { startBursar } from '../../harness/bursar.ts'
import { sampleRecord, startFakeErp } from '../../harness/fakes/erp.ts'
import { NOBODY } from '../../harness/nobody.ts'
import { startReceiver } from '../../harness/receiver.ts'
import { queue } from '../../messages/support.ts'
import { pull, registerStudent, setErp } from '../../students/support.ts'

const bursar = await startBursar({ after })
const { demo } = bursar

async function metric(line: string): Promise<number> {
  const page = await (await fetch(`${bursar.url}/metrics`)).text()
  return Number(
    page
      .split('\n')
      .find(one => one.startsWith(line))
      ?.split(' ')
      .at(-1) ?? 0,
  )
}

test('every call to a provider counts as answered, refused with its reason, or failed', async t => {
  const receiver = await startReceiver(t)
  receiver.answer(({ path }) => ({
    status: Number(path.slice(1)),
    body: JSON.stringify({ error: 'no such payment' }),
  }))
  const told: CallOutcome[] = []
  const callerAt = (baseUrl: string) =>
    createCaller({
      title: 'A provider',
      baseUrl,
      timeoutMs: 5_000,
      headers: {},
      secret: 'secret',
      readRefusal: () => ({ code: null, description: 'no such payment' }),
      onCall: outcome => told.push(outcome),
    })()
  const call = callerAt(receiver.origin)
  await call('GET', '/200', answer => answer)
  await assert.rejects(
    call('GET', '/400', answer => answer),
    { name: 'ProviderRefused' },
  )
  await assert.rejects(call('GET', '/500', answer => answer))
  await assert.rejects(call('GET', '/401', answer => answer))
  await assert.rejects(callerAt(`http://${NOBODY}`)('GET', '/200', answer => answer))
  assert.deepEqual(told, ['answered', 'refused', 'failed', 'failed', 'failed'])
})

test('calls of ERPs and tries to send a message are on /metrics by what came of them', async t => {
  const erp = await startFakeErp(t)
  await setErp(demo, erp)
  erp.put(sampleRecord({ identifier: 'COUNT-1' }))
  erp.refuse('COUNT-2', 'STUDENT_NOT_FOUND', 'No such student.')
  for (const identifier of ['COUNT-1', 'COUNT-2', 'COUNT-3'])
    await pull(bursar, await registerStudent(demo, { identifier }), 'reminder')
  const calls = 'bursar_erp_calls_total{institute="demo-school",outcome='
  assert.equal(await metric(`${calls}"answered"}`), 1)
  assert.equal((await metric(`${calls}"refused"}`)) + (await metric(`${calls}"failed"}`)), 2)

  await queue(bursar, {}, {})
  await bursar.app.worker.runAllDue()
  assert.ok((await metric('bursar_message_tries_total{channel="email",outcome="answered"}')) >= 1)
})
