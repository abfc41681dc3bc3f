import { inspect } from 'node:util'
import { drawRounds, runCellsStorm } from '../cells/storm/cells-storm.ts'
import { globalSetup, globalTeardown } from '../harness/global-setup.ts'
import { gatewayBank } from '../flex/sim/gateway-bank.ts'
import { runYear } from '../flex/sim/year.ts'
import { runCollegeYear } from './college/college-year.ts'
import { runGatewayStorm } from './gateway-storm.ts'
import type { GatewayName } from './gateways.ts'
import { runStorm } from './payments-model.ts'
import { runWays } from './ways/ways-model.ts'

const USAGE = `usage: npm run storm -- [seed] [acts] [razorpay | cashfree]
       npm run storm -- [seed] [acts] ways [razorpay | cashfree] [own]
       npm run storm -- [seed] [plans] flex [razorpay | cashfree]
       npm run storm -- [seed] [rounds] cells
       npm run storm -- [seed] [students] college
Payments, every way to pay the same fees at once, or a year of instalment plans, at random; at the sandbox's bank, or at
the emulator of a vendor: by the account of the installation, or by the school's own. Or two cells behind HAProxy, whose
schools move while processes are killed. Or a year of a college most of whose students pay by bank transfer.`

const [seedText, countText = '3000', ...words] = process.argv.slice(2)
const seed = Number(seedText ?? Math.floor(Math.random() * 1_000_000))
const count = Number(countText)
const left = [...words]
const take = <Word extends string>(...known: readonly Word[]): Word | undefined => {
  const found = known.find(word => word === left[0])
  if (found !== undefined) left.shift()
  return found
}
const kind = take('flex', 'ways', 'cells', 'college') ?? 'payments'
const gateway = take<GatewayName>('razorpay', 'cashfree')
const accountOf = kind === 'ways' && gateway !== undefined && take('own') ? 'school' : 'installation'
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(count) || left.length > 0) {
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
  if (kind === 'ways') return runWays({ ...options, gateway, accountOf })
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

async function runCells(): Promise<unknown> {
  const onProgress = (done: number, summary: string): void =>
    logProgress(`${done} of ${count} rounds of moves, ${summary}`, true)
  return runCellsStorm({ processes: 2, rounds: drawRounds(seed, count), owner, onProgress })
}

const logMonth = (month: number, summary: string): void => logProgress(`month ${month}, ${summary}`, true)

async function runCollege(): Promise<unknown> {
  return runCollegeYear({ seed, students: count, owner, onProgress: logMonth })
}

const RUNS = {
  payments: runPayments,
  ways: runPayments,
  flex: runFlex,
  cells: runCells,
  college: runCollege,
}

const UNITS = {
  payments: 'acts',
  ways: 'acts',
  flex: 'plans for a year',
  cells: 'rounds of moves',
  college: 'students for a year',
}
const what = `${count} ${UNITS[kind]}`
console.log(`seed ${seed}, ${what}`)
await globalSetup()
try {
  const result = await RUNS[kind]()
  console.log(`${isTerminal ? '\n' : ''}everything held after ${what} in ${seconds()} s:`, inspect(result))
} catch (error) {
  const again = ['npm run storm --', seed, count, ...words].join(' ')
  console.error(`${isTerminal ? '\n' : ''}${inspect(error)}\nagain: ${again}`)
  process.exitCode = 1
} finally {
  for (const cleanup of cleanups) await cleanup()
  await globalTeardown()
}
