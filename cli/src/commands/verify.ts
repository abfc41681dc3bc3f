import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { SignatureError, verifyWebhook } from '../../../sdk/node/src/index.ts'
import { addExamples, InputError, show } from '../../../src/cli/terminal.ts'

type VerifyOptions = { headers: string; signingSecret: string[]; anyAge: boolean }

export function addVerifyCommand(program: Command): void {
  const verify = program
    .command('verify')
    .description('check the signature of a delivery that your receiver wrote to files')
    .argument('<body>', 'file with the body, byte for byte as it came; - for stdin')
    .requiredOption('--headers <file>', 'file with its headers: JSON, or lines of "name: value"')
    .requiredOption('--signing-secret <secret...>', 'key of the subscription; several while one is replaced')
    .option('--any-age', 'do not mind that it is older than five minutes', false)
    .action(runVerify)
  addExamples(verify, ['bursar-cli verify body.json --headers headers.txt --signing-secret whsec_…'])
}

function runVerify(file: string, options: VerifyOptions): void {
  const body = readInput(file === '-' ? 0 : file)
  const headers = readHeaders(readInput(options.headers).toString('utf8'))
  const tolerance = options.anyAge ? { toleranceSeconds: Number.MAX_SAFE_INTEGER } : {}
  try {
    const { event_id, event } = verifyWebhook(body, headers, options.signingSecret, tolerance)
    show({ event_id, event, valid: true }, `Genuine: ${event} ${event_id}.`)
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error
    throw new InputError(`${error.message}${hint(body, headers, options.signingSecret)}`)
  }
}

function readInput(file: string | 0): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new InputError(`${file} cannot be read: ${(error as Error).message}`)
  }
}

function readHeaders(text: string): Record<string, string> {
  try {
    return JSON.parse(text) as Record<string, string>
  } catch {
    const lines = text.split(/\r?\n/).filter(line => line.includes(':'))
    return Object.fromEntries(
      lines.map(line => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
      }),
    )
  }
}

/** What is wrong most often: the body was parsed and written again, or an editor added a line break. */
function hint(body: Buffer, headers: Record<string, string>, secrets: string[]): string {
  const text = body.toString('utf8')
  const likely = [
    [text.trimEnd(), ' The body has a line break at its end that was not sent.'],
    [compact(text), ' The body was formatted after it came: keep the bytes.'],
  ] as const
  for (const [other, reason] of likely) {
    try {
      verifyWebhook(other, headers, secrets, { toleranceSeconds: Number.MAX_SAFE_INTEGER })
      if (other !== text) return reason
    } catch {
      // Not that.
    }
  }
  return ''
}

function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}
