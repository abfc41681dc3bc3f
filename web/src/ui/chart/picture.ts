const SCALE = 2
const MARGIN = 16
const TITLE_HEIGHT = 32
const COPIED = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'font-size',
  'font-weight',
  'opacity',
] as const

/** Saves a chart as PNG, with its name above it, in the colours that it is shown in. */
export async function savePicture(svg: SVGSVGElement, title: string): Promise<void> {
  const { width, height } = svg.getBoundingClientRect()
  const paper = getComputedStyle(document.documentElement)
  const canvas = document.createElement('canvas')
  canvas.width = (width + 2 * MARGIN) * SCALE
  canvas.height = (height + TITLE_HEIGHT + 2 * MARGIN) * SCALE
  const pen = canvas.getContext('2d')
  if (pen === null) throw new Error('This browser cannot draw pictures.')
  pen.scale(SCALE, SCALE)
  pen.fillStyle = paper.getPropertyValue('--paper')
  pen.fillRect(0, 0, canvas.width, canvas.height)
  pen.fillStyle = paper.getPropertyValue('--ink')
  pen.font = `600 16px ${getComputedStyle(svg).fontFamily}`
  pen.fillText(title, MARGIN, MARGIN + 14)
  pen.drawImage(await toImage(svg), MARGIN, MARGIN + TITLE_HEIGHT, width, height)
  const blob = await new Promise<Blob | null>(resolve => canvas.toBlob(resolve, 'image/png'))
  if (blob === null) throw new Error('The picture could not be drawn.')
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = `${title.toLowerCase().replaceAll(/\W+/g, '-')}.png`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** A picture knows nothing of the page's styles, so each part carries what it was given. */
async function toImage(svg: SVGSVGElement): Promise<HTMLImageElement> {
  const copy = svg.cloneNode(true) as SVGSVGElement
  const { width, height } = svg.getBoundingClientRect()
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  copy.setAttribute('width', String(width))
  copy.setAttribute('height', String(height))
  copy.setAttribute('font-family', 'sans-serif')
  const originals = svg.querySelectorAll('*')
  for (const [no, part] of copy.querySelectorAll('*').entries()) {
    const original = originals[no]
    if (original === undefined) continue
    const style = getComputedStyle(original)
    for (const name of COPIED) part.setAttribute(name, style.getPropertyValue(name))
  }
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`
  await image.decode()
  return image
}
