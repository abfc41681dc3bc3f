import { toString } from 'qrcode'

/** A QR code as the address of an image, so that a page needs nothing beside itself. */
export async function drawQr(text: string): Promise<string> {
  const svg = await toString(text, { type: 'svg', margin: 2, errorCorrectionLevel: 'M' })
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
}

/** A handle that no bank has: an app that reads it finds nobody to pay. */
export const PAYEE = 'test@bursarsandbox'

export function upiLink(what: 'pay' | 'mandate', fields: Record<string, string>): string {
  const query = Object.entries(fields).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `upi://${what}?${query.join('&')}`
}
