import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Callback, Report } from '../../providers/port.ts'

const SIGNATURE = 'x-sandbox-bank-signature'

/** What the sandbox's bank posts to us, signed. */
export function callbackFor(key: string, report: Report): Callback {
  const rawBody = Buffer.from(JSON.stringify(report))
  return { headers: { [SIGNATURE]: sign(key, rawBody) }, rawBody }
}

/** Null when the signature is not the bank's. */
export function readBankCallback(key: string, { headers, rawBody }: Callback): Report[] | null {
  const sent = Buffer.from(headers[SIGNATURE] ?? '')
  const expected = Buffer.from(sign(key, rawBody))
  if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) return null
  return [readReport(rawBody)]
}

function sign(key: string, body: Buffer): string {
  return createHmac('sha256', key).update(body).digest('hex')
}

function readReport(rawBody: Buffer): Report {
  // Signed by ourselves a moment ago, so its shape is known; only moments have to become ones again.
  const report = JSON.parse(rawBody.toString('utf8')) as Report
  if (report.about === 'return') return { ...report, returnedAt: new Date(report.returnedAt) }
  if (report.about === 'dispute') {
    const { respondBy, at } = report
    return { ...report, respondBy: respondBy && new Date(respondBy), at: new Date(at) }
  }
  if (report.about !== 'payment' || report.outcome.kind !== 'captured') return report
  return { ...report, outcome: { ...report.outcome, capturedAt: new Date(report.outcome.capturedAt) } }
}
