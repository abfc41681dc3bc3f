import { readPng, type Picture } from './png.ts'

const MAX_SIDE = 2_000
/** Three pixels for each point of the place that it has on paper, and sharp on a phone. */
const [MAX_WIDTH, MAX_HEIGHT] = [480, 128]

/** The logo of this file as small as it is needed, or a `BrokenPicture`. */
export function readLogo(content: Buffer): Picture {
  return shrink(readPng(content, MAX_SIDE), MAX_WIDTH, MAX_HEIGHT)
}

/** Within these measures; a picture that fits stays as it is. Each pixel is the mean of those it stands for. */
function shrink(picture: Picture, maxWidth: number, maxHeight: number): Picture {
  const scale = Math.min(1, maxWidth / picture.width, maxHeight / picture.height)
  if (scale === 1) return picture
  const [width, height] = [picture.width, picture.height].map(side => Math.max(1, Math.floor(side * scale)))
  const small = { width: width ?? 1, height: height ?? 1 }
  const pixels = new Uint8Array(small.width * small.height * 4)
  for (let y = 0; y < small.height; y += 1)
    for (let x = 0; x < small.width; x += 1)
      pixels.set(
        meanOf(picture, {
          left: Math.floor((x * picture.width) / small.width),
          right: Math.ceil(((x + 1) * picture.width) / small.width),
          top: Math.floor((y * picture.height) / small.height),
          bottom: Math.ceil(((y + 1) * picture.height) / small.height),
        }),
        4 * (y * small.width + x),
      )
  return { ...small, pixels }
}

type Box = Record<'left' | 'right' | 'top' | 'bottom', number>

/** What is not seen has a colour too, which must not shine through at edges: colours weigh as much as they are seen. */
function meanOf({ width, pixels }: Picture, { left, right, top, bottom }: Box): number[] {
  let [red, green, blue, seen] = [0, 0, 0, 0]
  for (let y = top; y < bottom; y += 1)
    for (let at = 4 * (y * width + left); at < 4 * (y * width + right); at += 4) {
      const opacity = pixels[at + 3] ?? 0
      red += (pixels[at] ?? 0) * opacity
      green += (pixels[at + 1] ?? 0) * opacity
      blue += (pixels[at + 2] ?? 0) * opacity
      seen += opacity
    }
  if (seen === 0) return [0, 0, 0, 0]
  const mean = [red, green, blue].map(sum => Math.round(sum / seen))
  return [...mean, Math.round(seen / ((right - left) * (bottom - top)))]
}
