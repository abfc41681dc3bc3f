import { toString } from 'qrcode'

/** The address as a QR code, to be shown on a screen or printed. */
export async function drawQr(url: string): Promise<Buffer> {
  return Buffer.from(await toString(url, { type: 'svg', margin: 2, errorCorrectionLevel: 'M' }))
}
