import assert from 'node:assert/strict'
import { Client, GROUP } from '../harness/client.ts'
import { PAY, sampleOrder } from '../harness/samples.ts'

/**
 * Another school, in a process of its own, so that the Bursar that is watched computes none of what its programs do. It
 * goes on until it is told to end, and answers the median time of a round in milliseconds.
 */
const [url = ''] = process.argv.slice(2)
const LEAST_ROUNDS = 10
const group = new Client(url, GROUP)
const times: number[] = []
const end = new AbortController()
process.on('message', () => end.abort()).on('disconnect', () => process.exit())

/** It asks for health, is paid, and prints the receipt. */
async function useSchool(): Promise<void> {
  assert.equal((await group.get('/healthz')).status, 200)
  const made = await group.post(`${PAY}/orders`, sampleOrder({ collector_code: 'NORTH' }))
  assert.equal(made.status, 201, made.text)
  const id: string = made.body.data.order_id
  const paid = await group.post(`/api/v1/sandbox/pay/orders/${id}/pay`, { outcome: 'success' })
  assert.equal(paid.status, 200, paid.text)
  const receipt = await group.get(`${PAY}/orders/${id}/receipt`)
  assert.equal(receipt.status, 200, receipt.text.slice(0, 300))
}

while (!end.signal.aborted || times.length < LEAST_ROUNDS) {
  const begun = performance.now()
  await useSchool()
  times.push(performance.now() - begun)
}
times.sort((one, other) => one - other)
process.send?.(times[Math.floor(times.length / 2)] ?? 0, undefined, {}, () => process.exit(0))
