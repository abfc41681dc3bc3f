import { inspect } from 'node:util'
import { globalSetup, globalTeardown } from '../harness/global-setup.ts'
import { runYear } from '../flex/sim/year.ts'
import { runGatewayStorm } from './gateway-storm.ts'
import { runStorm } from './payments-model.ts'

/**
 * `npm run storm -- [seed] [acts] razorpay`: the same on Razorpay's emulator.
 * `npm run storm -- [seed] [acts]`: the model for as long as you like, on a PostgreSQL of its own.
 * `npm run storm -- [seed] [plans] flex`: a year of so many instalment plans, day by day.
 */
const kind = process.argv[4] ?? 'payments'
const isFlex = kind === 'flex'
const seed = Number(process.argv[2] ?? Math.floor(Math.random() * 1_000_000))
const acts = Number(process.argv[3] ?? 3_000)
const isKnown = ['payments', 'razorpay', 'flex'].includes(kind)
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(acts) || !isKnown) {
  console.error('usage: npm run storm -- [seed] [acts] [razorpay], or: npm run storm -- [seed] [plans] flex')
  process.exit(2)
}

const begun = Date.now()
const cleanups: (() => Promise<void> | void)[] = []
const seconds = (): number => Math.round((Date.now() - begun) / 1_000)
const isTerminal = process.stdout.isTTY
const owner = { after: (done: () => Promise<void> | void) => void cleanups.unshift(done) }
const logProgress = (text: string, isWorthALine: boolean): void => {
  if (isTerminal) process.stdout.write(`\r  ${text}, ${seconds()} s `)
  else if (isWorthALine) console.log(`  ${text}, ${seconds()} s`)
}
const what = isFlex ? `a year of ${acts} plans` : `${acts} acts`
console.log(`seed ${seed}, ${what}`)
await globalSetup()
try {
  const result = isFlex
    ? await runYear({
        seed,
        plans: acts,
        days: 365,
        booksEveryDays: 15,
        owner,
        onProgress: (day, summary) => logProgress(`day ${day}, ${summary}`, true),
      })
    : await (kind === 'razorpay' ? runGatewayStorm : runStorm)({
        seed,
        acts,
        owner,
        onProgress: (done, summary) => logProgress(`${done} of ${acts} acts, ${summary}`, done % 500 === 0),
      })
  console.log(`${isTerminal ? '\n' : ''}everything held after ${what} in ${seconds()} s:`, inspect(result))
} catch (error) {
  const again = `npm run storm -- ${seed} ${acts}${kind === 'payments' ? '' : ` ${kind}`}`
  console.error(`${isTerminal ? '\n' : ''}${inspect(error)}\nagain: ${again}`)
  process.exitCode = 1
} finally {
  for (const cleanup of cleanups) await cleanup()
  await globalTeardown()
}
