/** The address as a QR code, to be shown on a screen or printed. */
export async function drawQr(url: string): Promise<Buffer> {
  const { toString } = await import('qrcode')
  return Buffer.from(await toString(url, { type: 'svg', margin: 2, errorCorrectionLevel: 'M' }))
}
