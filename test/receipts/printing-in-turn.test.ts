import assert from 'node:assert/strict'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { BursarError } from '../../src/platform/errors.ts'
import { PRINTER } from '../../src/platform/limits.rules.ts'
import type { DocumentPrint } from '../../src/receipts/document-pdf.ts'
import { printDocument, printPile } from '../../src/receipts/receipt-printer.ts'

function certificate(no: number, school: string): DocumentPrint {
  const madeAt = new Date('2026-11-18T06:00:00Z')
  const title = `Certificate ${no}`
  return { institute: school, branch: null, title, madeAt, blocks: [], isSandbox: false }
}

/** Asks for all of them at once; answers the numbers of those that were printed, in that order, and of those refused. */
async function ask(wanted: readonly { no: number; instituteId: number; isMailed?: boolean }[]) {
  const printed: number[] = []
  const refused: { no: number; error: unknown }[] = []
  await Promise.all(
    wanted.map(({ no, ...printedFor }) =>
      printDocument(certificate(no, `School ${printedFor.instituteId}`), printedFor).then(
        () => printed.push(no),
        (error: unknown) => refused.push({ no, error }),
      ),
    ),
  )
  return { printed, refused }
}

const numbers = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => from + index)

test('one school asks for hundreds of papers; another’s comes after a turn, and nobody of it is refused', async () => {
  const many = numbers(1_000, 189).map(no => ({ no, instituteId: 1 }))
  const { printed, refused } = await ask([...many, { no: 1, instituteId: 2 }])
  // It is the second in turn; a printer that the machine keeps waiting may finish it later.
  assert.ok(printed.indexOf(1) < PRINTER.waiting / 2, `printed as number ${printed.indexOf(1)}`)
  assert.equal(refused.length, 189 - PRINTER.processes - PRINTER.waiting)
  for (const { no, error } of refused) {
    assert.ok(no >= 1_000 && error instanceof BursarError)
    assert.deepEqual([error.httpStatus, error.retryAfterS], [503, 1])
  }
  assert.ok(printed.includes(1_188), 'who of the school asked last is served, the oldest give way')
})

test('what is mailed is printed behind what somebody looks at', async () => {
  const mails = numbers(2_000, 40).map(no => ({ no, instituteId: 1, isMailed: true }))
  const looked = numbers(3_000, 4).map(no => ({ no, instituteId: 1 }))
  const { printed, refused } = await ask([...mails, ...looked])
  assert.equal(refused.length, 0)
  const lastLooked = Math.max(...looked.map(({ no }) => printed.indexOf(no)))
  assert.ok(lastLooked < mails.length, `the last was number ${lastLooked}`)
})

test('a paper that waits as a mail comes at once for somebody who looks at it, the same bytes', async () => {
  const mails = numbers(4_000, 20).map(no =>
    printDocument(certificate(no, 'Same'), { instituteId: 1, isMailed: true }),
  )
  let isMailed = false
  const last = mails.at(-1)?.finally(() => (isMailed = true))
  const looked = await printDocument(certificate(4_019, 'Same'), { instituteId: 1 })
  assert.equal(isMailed, false)
  assert.deepEqual(await last, looked)
  await Promise.all(mails)
})

async function* few(): AsyncGenerator<DocumentPrint[]> {
  yield [certificate(2, 'Small')]
}

test('papers of one whole school hold up no other’s, and a school has one such file at a time', async () => {
  const rest = Promise.withResolvers<void>()
  async function* whole(): AsyncGenerator<DocumentPrint[]> {
    yield [certificate(1, 'Large')]
    await rest.promise
  }
  const large = await printPile(whole(), { instituteId: 1 })
  const small = await printPile(few(), { instituteId: 2 })
  assert.match((await buffer(small)).toString('latin1'), /%%EOF\s*$/)
  await assert.rejects(printPile(few(), { instituteId: 1 }), { httpStatus: 429, retryAfterS: 5 })
  large.destroy()
  await once(large, 'close')
  const next = await printPile(few(), { instituteId: 1 })
  rest.resolve()
  assert.match((await buffer(next)).toString('latin1'), /%%EOF\s*$/)
})
