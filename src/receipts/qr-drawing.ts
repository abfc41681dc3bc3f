import { create } from 'qrcode'
import { INK, type Sheet } from './sheet.ts'

/** Draws a code of this size with its corner at a place. Dark modules side by side are one rectangle. */
export function drawCode(
  sheet: Sheet,
  code: string,
  { x, y, side }: { x: number; y: number; side: number },
): void {
  const { doc } = sheet
  const { size, data } = create(code, { errorCorrectionLevel: 'M' }).modules
  const module = side / size
  doc.save().fillColor(INK)
  for (let row = 0; row < size; row += 1)
    for (let column = 0; column < size;) {
      const from = column
      while (column < size && data[row * size + column] === 1) column += 1
      if (column === from) column += 1
      else doc.rect(x + from * module, y + row * module, (column - from) * module, module)
    }
  doc.fill().restore()
}
