import type { Letterhead } from './letterhead.service.ts'
import { logoImage } from './logo-image.ts'
import { writeAlike } from './kept-drawing.ts'
import { GREEN, QUIET, SMALL, STRONG, type Sheet } from './sheet.ts'

type Headed = { institute: string; branch: string | null; letterhead?: Letterhead }

const NONE: Letterhead = { lines: [], color: null, logo: null }

/** The head of every paper: whose it is, and what it is. */
export function writeSchool(
  sheet: Sheet,
  { institute, branch, letterhead = NONE }: Headed,
  title: string,
): void {
  const { lines, color, logo } = letterhead
  if (logo !== null) drawLogo(sheet, logo)
  writeAlike(sheet, [
    { text: institute, style: { ...STRONG, size: 20 } },
    { text: branch ?? '', style: { ...QUIET, size: 11 } },
    ...lines.map(text => ({ text, style: SMALL })),
    { text: title, style: { ...STRONG, size: 14, color: color ?? GREEN } },
  ])
}

/** How base64 of a JPEG begins; schools could upload them once. */
const JPEG = '/9j/'

/** A picture that cannot be read keeps nobody from a receipt. */
function drawLogo(sheet: Sheet, logo: string): void {
  const { doc, paper } = sheet
  const image = logo.startsWith(JPEG) ? `data:image;base64,${logo}` : logoImage(doc, logo)
  if (image === null) return
  const height = 44 * paper.scale
  try {
    doc.image(image, paper.margin, sheet.y, { fit: [160 * paper.scale, height] })
    sheet.y += height + 6
  } catch {
    return
  }
}
