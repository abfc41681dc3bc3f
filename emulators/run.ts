import { parseArgs } from 'node:util'
import type { RunOptions } from './accounts.ts'
import { followSandbox, REAL_CLOCK } from './clock.ts'
import { Misuse } from './misuse.ts'

/** `npm run emulator NAME`: a vendor on this machine, so that live mode can be tried from end to end without an account. */
const EMULATORS: Record<
  string,
  { port: number; path: string; load: () => Promise<{ run: (options: RunOptions) => Promise<string> }> }
> = {
  razorpay: { port: 4010, path: 'callbacks/razorpay', load: () => import('./razorpay/run.ts') },
  cashfree: { port: 4020, path: 'callbacks/cashfree', load: () => import('./cashfree/run.ts') },
  lender: { port: 4030, path: 'callbacks/lenders/emulator', load: () => import('./lender/run.ts') },
  setu: { port: 4040, path: 'bharat-connect/sunrise-school', load: () => import('./setu/run.ts') },
}

const USAGE = `usage: npm run emulator NAME [-- OPTIONS]

A vendor on this machine, whose payers and banks you play on its pages. NAME is one of ${Object.keys(EMULATORS).join(', ')}.

  --port PORT      where it listens (${Object.entries(EMULATORS)
    .map(([name, { port }]) => `${name} ${port}`)
    .join(', ')})
  --callback URL   where its events go (a sandbox at http://127.0.0.1:8080)
  --clock URL      the sandbox whose clock it lives by, such as http://127.0.0.1:8080; without it, real time. Gateways only
  --help           this text`

async function main(): Promise<string> {
  const { values, positionals } = readArguments()
  const [name = ''] = positionals
  if (values.help === true) return USAGE
  const emulator = EMULATORS[name]
  if (emulator === undefined || positionals.length > 1)
    throw new Misuse(
      `${name === '' ? 'Name an emulator.' : `There is no emulator ${positionals.join(' ')}.`}\n\n${USAGE}`,
    )
  const port = Number(values.port ?? emulator.port)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Misuse('--port is a number up to 65535.')
  const callbackUrl = values.callback ?? `http://127.0.0.1:8080/${emulator.path}`
  if (!/^https?:\/\//.test(callbackUrl) || !URL.canParse(callbackUrl))
    throw new Misuse('--callback is an address that begins with http:// or https://.')
  if (name === 'lender' && values.clock !== undefined)
    throw new Misuse('--clock is for gateways; a lender goes by real time.')
  const clock = await clockOf(values.clock)
  const { run } = await emulator.load()
  return run({ port, callbackUrl, clock })
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        port: { type: 'string' },
        callback: { type: 'string' },
        clock: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new Misuse(`${(error as Error).message}\n\n${USAGE}`)
  }
}

async function clockOf(sandboxUrl: string | undefined): Promise<RunOptions['clock']> {
  if (sandboxUrl === undefined) return REAL_CLOCK
  try {
    return await followSandbox(sandboxUrl)
  } catch (error) {
    throw new Misuse(
      `--clock: no sandbox tells its time at ${sandboxUrl} (${(error as Error).message}). Start it first; its address is what Bursar printed as Listening.`,
    )
  }
}

function sentenceOf(error: Error & { code?: string; port?: number }): string | null {
  if (error instanceof Misuse) return error.message
  return error.code === 'EADDRINUSE'
    ? `Port ${error.port} is taken, perhaps by this emulator in another terminal. Choose one with --port.`
    : null
}

try {
  console.log(await main())
} catch (error) {
  const sentence = sentenceOf(error as Error)
  if (sentence === null) throw error
  console.error(sentence)
  process.exit(2)
}
