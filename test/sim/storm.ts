import { inspect } from 'node:util'
import { globalSetup, globalTeardown } from '../harness/global-setup.ts'
import { gatewayBank } from '../flex/sim/gateway-bank.ts'
import { runYear } from '../flex/sim/year.ts'
import { runGatewayStorm } from './gateway-storm.ts'
import type { GatewayName } from './gateways.ts'
import { runStorm } from './payments-model.ts'

const USAGE = `usage: npm run storm -- [seed] [acts] [razorpay | cashfree]
       npm run storm -- [seed] [plans] flex [razorpay | cashfree]
Payments, or a year of instalment plans, at random; at the sandbox's bank, or at the emulator of a vendor.`

const [seedText, countText = '3000', ...words] = process.argv.slice(2)
const seed = Number(seedText ?? Math.floor(Math.random() * 1_000_000))
const count = Number(countText)
const isFlex = words[0] === 'flex'
const gateway = readGateway(words[isFlex ? 1 : 0])
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(count)) exitWithUsage()

function readGateway(name: string | undefined): GatewayName | undefined {
  if (name === undefined || name === 'razorpay' || name === 'cashfree') return name
  return exitWithUsage()
}

function exitWithUsage(): never {
  console.error(USAGE)
  process.exit(2)
}

const CRASHES_A_DAY = 0.06
const begun = Date.now()
const cleanups: (() => Promise<void> | void)[] = []
const seconds = (): number => Math.round((Date.now() - begun) / 1_000)
const isTerminal = process.stdout.isTTY
const owner = { after: (done: () => Promise<void> | void) => void cleanups.unshift(done) }
const logProgress = (text: string, isWorthALine: boolean): void => {
  if (isTerminal) process.stdout.write(`\r  ${text}, ${seconds()} s `)
  else if (isWorthALine) console.log(`  ${text}, ${seconds()} s`)
}

async function runPayments(): Promise<unknown> {
  const options = {
    seed,
    acts: count,
    owner,
    onProgress: (done: number, summary: string) =>
      logProgress(`${done} of ${count} acts, ${summary}`, done % 500 === 0),
  }
  return gateway === undefined ? runStorm(options) : runGatewayStorm(gateway, options)
}

const logDay = (day: number, summary: string): void => logProgress(`day ${day}, ${summary}`, true)

async function runFlex(): Promise<unknown> {
  const bank = gateway === undefined ? {} : { openBank: gatewayBank(gateway) }
  return runYear({
    seed,
    plans: count,
    days: 365,
    booksEveryDays: 15,
    crashes: CRASHES_A_DAY,
    owner,
    onProgress: logDay,
    ...bank,
  })
}

const what = isFlex ? `a year of ${count} plans` : `${count} acts`
console.log(`seed ${seed}, ${what}`)
await globalSetup()
try {
  const result = await (isFlex ? runFlex() : runPayments())
  console.log(`${isTerminal ? '\n' : ''}everything held after ${what} in ${seconds()} s:`, inspect(result))
} catch (error) {
  const again = ['npm run storm --', seed, count, ...words].join(' ')
  console.error(`${isTerminal ? '\n' : ''}${inspect(error)}\nagain: ${again}`)
  process.exitCode = 1
} finally {
  for (const cleanup of cleanups) await cleanup()
  await globalTeardown()
}
