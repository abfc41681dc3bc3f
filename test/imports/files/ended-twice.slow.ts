import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startBursar } from '../../harness/bursar.ts'
import { book, inline, rows } from './hostile-support.ts'
import { advance, getImport, upload, XLSX_TYPE, type File } from '../support.ts'

const bursar = await startBursar({ after })
const { demo } = bursar

/** Names of number formats, all of which are held: more than a reader may hold. */
function memoryFile(): File {
  const name = 'x'.repeat(900_000)
  const styles = Array.from({ length: 180 }, (_, no) => `<numFmt numFmtId="${no}${name}"/>`)
  return book(rows(1, inline('x')), { styles: styles.join('') })
}

test('a file that ends its reader twice is refused for good, whichever process reads it', async () => {
  const { body } = await upload(demo, 'kind=students', memoryFile(), { 'content-type': XLSX_TYPE })
  const { id } = body.data
  await assert.rejects(advance(bursar, id), { name: 'ProcessFailure', reason: 'memory' })
  assert.equal((await getImport(demo, id)).state, 'checking')
  assert.deepEqual(await failuresOf(id), [1])
  await advance(bursar, id)
  const { state, message } = await getImport(demo, id)
  assert.equal(state, 'failed')
  assert.match(message, /^The file was refused: it takes too much memory to read\. Save it as "CSV UTF-8"/)
  assert.deepEqual(await failuresOf(id), [2])
})

async function failuresOf(id: string): Promise<number[]> {
  const found = await bursar.sql<{ count: number }>(
    `select reader_failures as count from import_progress where import_id = '${id}'`,
  )
  return found.map(({ count }) => count)
}

for (const [what, make, says] of [
  ['a CSV row of commas', () => `identifier\n${','.repeat(300_000)}`, /more than 100000 cells/],
  [
    'very many relations',
    () => book('', { relations: '<Relationship Id="q"/>'.repeat(20_000) }),
    /too large/,
  ],
  [
    'a row number that no spreadsheet has',
    () => book('<row r="9007199254740991"/>'),
    /not an XLSX file that can be read/,
  ],
] as const)
  test(`a file with ${what} is refused the first time it is read`, async () => {
    const file: File = make()
    const type = typeof file === 'string' ? 'text/csv' : XLSX_TYPE
    const { body } = await upload(demo, 'kind=students', file, { 'content-type': type })
    await advance(bursar, body.data.id)
    const { state, message } = await getImport(demo, body.data.id)
    assert.equal(state, 'failed')
    assert.match(message, says)
  })
