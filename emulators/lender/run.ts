import { startLender } from './emulator.ts'

/** Serves a lender's API and page, and posts what it has to report to Bursar. */
export async function run({ port, callbackUrl }: { port: number; callbackUrl: string }): Promise<string> {
  const secret = process.env['LENDER_SECRET']
  if (secret === undefined)
    throw new Error('Set LENDER_SECRET to the secret that `bursar lenders add` showed.')
  const { url } = await startLender({ port, secret, callbackUrl: () => callbackUrl })
  return [
    `The lender's API is at ${url}, its reports go to ${callbackUrl}.`,
    `Play the borrower and the lender at ${url}/page.`,
  ].join('\n')
}
