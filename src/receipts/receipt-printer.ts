import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { ProcessPool, type Turn } from '../platform/process-pool/process-pool.ts'
import type { DocumentPrint } from './document-pdf.ts'
import type { ReceiptPrint, ReceiptsPrint } from './receipt-pdf.ts'

/** How many papers of one school may wait, those that people look at and those that are mailed each. */
export const MOST_WAITING = 100

/** Anybody who has the link of a payment can ask for its receipt, as often as they like. */
const printers = new ProcessPool<ReceiptPrint | ReceiptsPrint | DocumentPrint, Uint8Array>(
  new URL('receipt-process.ts', import.meta.url),
  {
    maxMs: 15_000,
    maxHeapMb: 256,
    processes: availableParallelism(),
    maxWaiting: MOST_WAITING,
    idleMs: 300_000,
  },
)

/** Schools take turns. What is mailed waits behind what somebody looks at. */
export type PrintedFor = { instituteId: number; isMailed?: boolean | undefined }

const turnOf = ({ instituteId, isMailed = false }: PrintedFor): Turn => ({
  share: instituteId,
  isUrgent: !isMailed,
})

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

/** Several in one file; too large to be kept for others. */
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
