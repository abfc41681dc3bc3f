import { parseArgs } from 'node:util'

/**
 * `npm run emulator NAME [-- --port 4010] [--callback URL]`: a vendor on this machine, so that live mode can be tried
 * from end to end without an account. A person plays its payers and banks on its pages.
 */
type Run = (options: { port: number; callbackUrl: string }) => Promise<string>

const EMULATORS: Record<string, { port: number; load: () => Promise<{ run: Run }> }> = {
  lender: { port: 4030, load: () => import('./lender/run.ts') },
  razorpay: { port: 4010, load: () => import('./razorpay/run.ts') },
  cashfree: { port: 4020, load: () => import('./cashfree/run.ts') },
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { port: { type: 'string' }, callback: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
})
const [name = ''] = positionals
const emulator = EMULATORS[name]
if (emulator === undefined || values.help === true) {
  console.error(
    `usage: npm run emulator NAME [-- --port PORT --callback URL], NAME one of ${Object.keys(EMULATORS).join(', ')}`,
  )
  process.exit(values.help === true ? 0 : 2)
}
const { run } = await emulator.load()
const port = Number(values.port ?? emulator.port)
console.log(await run({ port, callbackUrl: values.callback ?? `http://127.0.0.1:8080/callbacks/${name}` }))
