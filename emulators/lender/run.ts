import { Misuse } from '../misuse.ts'
import { startLender } from './emulator.ts'

/** Serves a lender's API and page, and posts what it has to report to Bursar. */
export async function run({ port, callbackUrl }: { port: number; callbackUrl: string }): Promise<string> {
  const secret = process.env['LENDER_SECRET'] ?? ''
  if (!/^whsec_[0-9A-Za-z+/]{32,}={0,2}$/.test(secret))
    throw new Misuse(
      'Set LENDER_SECRET to the secret that `bursar lenders add` showed, from whsec_ to its end.',
    )
  const { url } = await startLender({ port, secret, callbackUrl: () => callbackUrl })
  return [
    `The lender's API is at ${url}, its reports go to ${callbackUrl}.`,
    `Play the borrower and the lender at ${url}/page.`,
  ].join('\n')
}
