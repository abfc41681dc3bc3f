import { createRequire } from 'node:module'
import type { QRCodeSegment } from 'qrcode'

/** Loaded for the first code that is drawn: most processes draw none. */
const load = createRequire(import.meta.url)

/** What a UPI app opens, and reads from a code. */
export function upiLink(what: 'pay' | 'mandate', fields: Readonly<Record<string, string>>): string {
  // Apps take no plus for a blank, which URLSearchParams would write.
  const query = Object.entries(fields).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `upi://${what}?${query.join('&')}`
}

/** Around the code, as its readers need it. */
const MARGIN = 2

/**
 * A QR code as the address of an image, so that a page needs nothing beside itself. In one segment and with a mask of our
 * choice: to weigh all ways to divide the text and all eight masks takes most of the time that a page takes.
 */
export function qrImage(text: string): string {
  const segments: QRCodeSegment[] = [{ data: Buffer.from(text), mode: 'byte' }]
  const { create } = load('qrcode') as typeof import('qrcode')
  const { size, data } = create(segments, { errorCorrectionLevel: 'M', maskPattern: 0 }).modules
  const dark = [...data.entries()].filter(([, isDark]) => isDark !== 0)
  const path = dark.map(([at]) => `M${at % size} ${Math.floor(at / size)}h1v1h-1z`).join('')
  const side = size + 2 * MARGIN
  const box = `${-MARGIN} ${-MARGIN} ${side} ${side}`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}" shape-rendering="crispEdges"><path fill="#fff" d="M${-MARGIN} ${-MARGIN}h${side}v${side}h-${side}z"/><path d="${path}"/></svg>`
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
}
