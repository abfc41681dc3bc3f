import { createHash } from 'node:crypto'
import { PILES, PRINTER } from '../platform/limits.rules.ts'
import { Places } from '../platform/concurrency.ts'
import { ProcessPool, type Turn } from '../platform/process-pool/process-pool.ts'
import { PassThrough, type Readable } from 'node:stream'
import type { CardSheet } from './card-sheet.ts'
import type { DocumentPrint } from './document-pdf.ts'
import type { ReceiptPrint, ReceiptsPrint } from './receipt-pdf.ts'

/** Anybody who has the link of a payment can ask for its receipt, as often as they like. */
const printers = new ProcessPool<ReceiptPrint | ReceiptsPrint | DocumentPrint, Uint8Array>(
  new URL('receipt-process.ts', import.meta.url),
  {
    maxMs: PRINTER.seconds * 1_000,
    maxHeapMb: PRINTER.heapMb,
    processes: PRINTER.processes,
    maxWaiting: PRINTER.waiting,
    idleMs: 300_000,
  },
)

/** Schools take turns. What is mailed waits behind what somebody looks at. */
export type PrintedFor = { instituteId: number; isMailed?: boolean | undefined }

const turnOf = ({ instituteId, isMailed = false }: PrintedFor): Turn => ({
  share: instituteId,
  isUrgent: !isMailed,
})

/** Memory for papers that are asked for again, as by a mail after a download. */
const MAX_KEPT_BYTES = 16_000_000

/** Keys are digests of what is printed, the one asked for last at the end. */
const kept = new Map<string, Buffer>()
const beingMade = new Map<string, Promise<Buffer>>()
let keptBytes = 0

/** The same receipt is made once, however many ask for it at a time, and kept for those that ask soon. */
export async function printReceipt(
  digest: string,
  receipt: ReceiptPrint | DocumentPrint,
  printedFor: PrintedFor,
): Promise<Buffer> {
  const known = recall(digest) ?? beingMade.get(digest)
  if (known !== undefined) return known
  // Who looks at a paper does not wait for its turn as a mail.
  const name = printedFor.isMailed === true ? `mailed ${digest}` : digest
  return beingMade.getOrInsertComputed(name, async () => {
    try {
      return await printers.use(
        async ask => recall(digest) ?? keep(digest, Buffer.from(await ask(receipt))),
        turnOf(printedFor),
      )
    } finally {
      beingMade.delete(name)
    }
  })
}

/** Prints several into one file, which is too large to be kept for others. */
export async function printReceipts(
  receipts: readonly ReceiptPrint[],
  printedFor: PrintedFor,
): Promise<Buffer> {
  return Buffer.from(await printers.use(ask => ask({ receipts }), turnOf(printedFor)))
}

export function printDocument(document: DocumentPrint, printedFor: PrintedFor): Promise<Buffer> {
  const digest = createHash('sha256').update(JSON.stringify(document)).digest('base64url')
  return printReceipt(digest, document, printedFor)
}

type Paper = DocumentPrint | CardSheet
/** Papers that come next in a file; the end is answered with the rest of it. */
export type PileAsk = readonly Paper[] | 'end'

/** Papers of a whole school have printers of their own: nobody's receipt waits behind them. */
const pilePrinters = new ProcessPool<PileAsk, Uint8Array>(new URL('pile-process.ts', import.meta.url), {
  maxMs: PILES.seconds * 1_000,
  maxHeapMb: PRINTER.heapMb,
  processes: PILES.processes,
  maxWaiting: PILES.perSchool,
  idleMs: 0,
})
const pilePlaces = new Places(PILES, 'files of papers')

/**
 * One file of as many papers as come. It is answered with its first part, so what is wrong before that is told as such;
 * a failure later breaks the file off. What a slow reader has not taken yet waits in memory, not at the printer.
 */
export async function printPile(
  parts: AsyncIterable<readonly Paper[]>,
  { instituteId }: PrintedFor,
): Promise<Readable> {
  const givePlaceBack = pilePlaces.take(instituteId)
  const content = new PassThrough().once('close', givePlaceBack)
  const started = Promise.withResolvers<Readable>()
  const print = async (ask: (part: PileAsk) => Promise<Uint8Array>): Promise<void> => {
    for await (const part of parts) {
      const bytes = await ask(part)
      // Nobody reads it any more.
      if (content.destroyed) return
      content.write(bytes)
      started.resolve(content)
    }
    content.end(await ask('end'))
  }
  pilePrinters.use(print, turnOf({ instituteId })).catch((error: Error) => {
    started.reject(error)
    content.destroy(error)
  })
  // Whoever is answered with it hears of a failure by reading it.
  content.on('error', () => {})
  return started.promise
}

function recall(digest: string): Buffer | undefined {
  const known = kept.get(digest)
  if (known !== undefined) {
    kept.delete(digest)
    kept.set(digest, known)
  }
  return known
}

function keep(digest: string, file: Buffer): Buffer {
  keptBytes += file.length - (kept.get(digest)?.length ?? 0)
  kept.set(digest, file)
  for (const [oldest, { length }] of kept) {
    if (keptBytes <= MAX_KEPT_BYTES) break
    kept.delete(oldest)
    keptBytes -= length
  }
  return file
}
