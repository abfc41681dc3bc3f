import { availableParallelism, cpus } from 'node:os'
import { ORDER_BODY, type Round } from './figures.ts'
import { createOrder, loading, ORDERS_PATH } from './orders.ts'
import { subscribe, takePayments } from './payments/payments.ts'
import { openReceiver, openRig } from './rig.ts'
import { cpuMs, describeSpent } from './spent.ts'

/**
 * `node bench/cost.ts [SECONDS]`: what one read, order, payment and delivery costs in CPU time of Bursar, its helper
 * processes and PostgreSQL, and in bytes, until all that it caused is done: what a core carries.
 */
const seconds = Number(process.argv[2] ?? '10')
const ROUNDS = 5

async function show(what: string, measure: (seconds: number) => Promise<Round>): Promise<void> {
  const rounds: Round[] = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measure(seconds))
  const sorted = rounds.map(({ each }) => each).toSorted((one, other) => cpuMs(one) - cpuMs(other))
  const [least, middle, most] = [sorted[0], sorted[Math.floor(ROUNDS / 2)], sorted.at(-1)]
  if (least === undefined || middle === undefined || most === undefined)
    throw new Error('nothing was measured')
  const spread = `${cpuMs(least).toFixed(2)} to ${cpuMs(most).toFixed(2)} ms`
  process.stdout.write(
    `${what.padEnd(34)} ${cpuMs(middle).toFixed(2)} ms (${spread}): ${describeSpent(middle)}, disk ${(middle.diskBytes / 1_000).toFixed(1)} kB\n`,
  )
}

const rig = await openRig()
const receiver = await openReceiver('plain')
try {
  const { full } = rig
  process.stdout.write(`${cpus()[0]?.model ?? 'unknown'}, ${availableParallelism()} cores\n`)
  const id = await createOrder(`${full.origin}${ORDERS_PATH}`)
  await takePayments('api', full, seconds)
  await show('reading an order', await loading(full, { path: `${ORDERS_PATH}/${id}` }))
  await show('creating an order', await loading(full, { path: ORDERS_PATH, body: ORDER_BODY }))
  await show('a payment by API and its mail', time => takePayments('api', full, time))
  await subscribe(full, receiver.ports[0] ?? 0)
  await show('the same, and its webhook', time => takePayments('api', full, time))
  await show('a payment by the hosted page', time => takePayments('page', full, time))
} finally {
  await receiver.close()
  await rig.close()
}
