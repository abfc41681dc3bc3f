import type { RunOptions } from '../accounts.ts'
import { Misuse } from '../misuse.ts'
import { startDesk } from './desk.ts'

/** Serves a page on which a person is an app of Bharat Connect, its payer, and the unit behind it. */
export async function run({ port, callbackUrl: baseUrl, clock }: RunOptions): Promise<string> {
  const schemeId = process.env['SETU_SCHEME_ID'] ?? ''
  const secret = process.env['SETU_SECRET'] ?? ''
  if (schemeId === '' || secret === '')
    throw new Misuse(
      'Set SETU_SCHEME_ID and SETU_SECRET to what the console showed: Settings, Bharat Connect, Make a new secret.',
    )
  const { url } = await startDesk({ port, baseUrl, schemeId, secret, clock })
  return `Bills are fetched from ${baseUrl}.\nPlay the app and the unit at ${url}/.`
}
