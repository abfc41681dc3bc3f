import assert from 'node:assert/strict'
import { inflateSync } from 'node:zlib'

export type Piece = { text: string; glyphs: string[]; x: number; y: number; width: number; size: number }
export type Read = { text: string; title: string; pages: Piece[][] }
type Font = { letters: string[]; widths: number[] }

/** Reads back what pdfkit writes: enough of PDF for its pages, fonts and the text given along with glyphs. */
export function readPdf(bytes: Buffer): Read {
  const file = bytes.toString('latin1')
  const objects = new Map(
    [...file.matchAll(/^(\d+) 0 obj\n([\s\S]*?)\nendobj/gm)].map(([, id = '', body = '']) => [id, body]),
  )
  const follow = (body: string, key: string): string =>
    objects.get(new RegExp(`/${key} \\[?(\\d+) 0 R`).exec(body)?.[1] ?? '') ?? ''
  const fonts = new Map(
    [...new Set([...file.matchAll(/\/(F\d+) \d+ 0 R/g)].map(([, name = '']) => name))].map(name => {
      const font = follow(file, name)
      const widths = /\/W \[0 \[([^\]]*)/.exec(follow(font, 'DescendantFonts'))?.[1] ?? ''
      return [
        name,
        { letters: lettersOf(streamOf(follow(font, 'ToUnicode'))), widths: widths.split(' ').map(Number) },
      ]
    }),
  )
  const contents = [...objects.values()]
    .filter(body => /\/Type \/Page\n/.test(body))
    .map(body => streamOf(follow(body, 'Contents')))
  const pages = contents.map(content => piecesOf(content, fonts))
  const given = contents.flatMap(content => [...content.matchAll(/\/ActualText \(((?:\\.|[^\\)])*)\)/gs)])
  const texts = [...pages.flat().map(piece => piece.text), ...given.map(([, text = '']) => unescape(text))]
  const title = unescape(follow(file, 'Title').slice(1, -1))
  return { text: texts.join('\n'), title, pages }
}

function streamOf(body: string): string {
  const bytes = /stream\n([\s\S]*)\nendstream/.exec(body)?.[1] ?? ''
  return inflateSync(Buffer.from(bytes, 'latin1')).toString('latin1')
}

function lettersOf(cmap: string): string[] {
  const ranges = [...cmap.matchAll(/^<\w+> <\w+> \[(.*)\]$/gm)].map(([, list = '']) => list)
  return [...ranges.join(' ').matchAll(/<([\w ]*)>/g)].map(([, hex = '']) =>
    Buffer.from(hex.replaceAll(' ', ''), 'hex').swap16().toString('utf16le'),
  )
}

function piecesOf(content: string, fonts: ReadonlyMap<string, Font>): Piece[] {
  return [...content.matchAll(/^BT\n([\s\S]*?)\nET$/gm)].map(([, block = '']) => {
    const [, x, y] = /^1 0 0 1 (\S+) (\S+) Tm/m.exec(block) ?? []
    const [, name = '', size] = /^\/(F\d+) (\S+) Tf/m.exec(block) ?? []
    const { letters, widths } = fonts.get(name) ?? assert.fail(`no font ${name}`)
    const glyphs = [...block.matchAll(/<(\w+)>/g)].flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? [])
    const kerning = [...block.matchAll(/> (-?[\d.]+)/g)].reduce((sum, [, shift]) => sum + Number(shift), 0)
    const advance = glyphs.reduce((sum, glyph) => sum + (widths[Number.parseInt(glyph, 16)] ?? 0), 0)
    const text = glyphs.map(glyph => letters[Number.parseInt(glyph, 16)] ?? '').join('')
    const width = ((advance - kerning) * Number(size)) / 1000
    return { text: text.trim(), glyphs, x: Number(x), y: Number(y), width, size: Number(size) }
  })
}

function unescape(text: string): string {
  const controls: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }
  const plain = text.replaceAll(/\\([\s\S])/g, (_, char: string) => controls[char] ?? char)
  if (!plain.startsWith('\xfe\xff')) return plain
  return Buffer.from(plain.slice(2), 'latin1').swap16().toString('utf16le')
}
