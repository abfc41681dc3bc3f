/** Twice as large as it is shown anywhere. */
const [MAX_WIDTH, MAX_HEIGHT] = [960, 256]

/** Any picture that this browser can open, as the small PNG that Bursar takes. */
export async function asSmallPng(file: File): Promise<File> {
  const picture = await createImageBitmap(file)
  const scale = Math.min(1, MAX_WIDTH / picture.width, MAX_HEIGHT / picture.height)
  const [width, height] = [picture.width, picture.height].map(side => Math.max(1, Math.round(side * scale)))
  const canvas = new OffscreenCanvas(width ?? 1, height ?? 1)
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('this browser cannot draw pictures')
  context.imageSmoothingQuality = 'high'
  context.drawImage(picture, 0, 0, canvas.width, canvas.height)
  const blob = await canvas.convertToBlob({ type: 'image/png' })
  return new File([blob], 'logo.png', { type: 'image/png' })
}
