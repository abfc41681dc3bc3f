import { crc32, deflateRawSync } from 'node:zlib'

/** Spreadsheets written by hand, as other programs than ours write them. */
export type Parts = Record<string, string>

/** An archive of texts. */
export function zip(parts: Parts): Buffer {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(parts)) {
    const plain = Buffer.from(text)
    const packed = deflateRawSync(plain)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(crc32(plain), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(plain.length, 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, Buffer.from(name), packed])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('PK\u0001\u0002\u0014\u0000'), common, place, Buffer.from(name))
    locals.push(local)
    offset += local.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(locals.length, 4)
  end.writeUInt16LE(locals.length, 6)
  end.writeUInt32LE(list.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, list, Buffer.from('PK\u0005\u0006'), end])
}

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** A workbook of one sheet; `sheet` is what stands in its sheetData. */
export function workbook(
  sheet: string,
  { texts = '', styles = '', bookPr = '', relations = '' } = {},
): Parts {
  return {
    'xl/workbook.xml': `<?xml version="1.0"?><workbook>${bookPr}<sheets><sheet name="A &gt; B" sheetId="7" r:id="rId3"/><sheet name="Two" sheetId="8" r:id="rId4"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels':
      `<Relationships><Relationship Id="rId4" Type="${OFFICE}/worksheet" Target="worksheets/other.xml"/>` +
      `<Relationship Id="rId3" Type="${OFFICE}/worksheet" Target="/xl/worksheets/first.xml"/>` +
      `<Relationship Id="rId5" Type="${OFFICE}/sharedStrings" Target="texts.xml"/>${relations}</Relationships>`,
    'xl/worksheets/first.xml': `<worksheet><sheetData>${sheet}</sheetData><extLst><c r="A1"><v>9</v></c></extLst></worksheet>`,
    'xl/worksheets/other.xml': '<worksheet><sheetData><row><c><v>1</v></c></row></sheetData></worksheet>',
    'xl/texts.xml': `<sst>${texts}</sst>`,
    'xl/styles.xml': `<styleSheet>${styles}</styleSheet>`,
  }
}
