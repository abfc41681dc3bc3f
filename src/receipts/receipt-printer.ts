import { createHash } from 'node:crypto'
import { ProcessPool } from '../platform/process-pool/process-pool.ts'
import type { DocumentPrint } from './document-pdf.ts'
import type { ReceiptPrint, ReceiptsPrint } from './receipt-pdf.ts'

/** Anybody who has the link of a payment can ask for its receipt, as often as they like: making one costs 80 ms. */
const printers = new ProcessPool<ReceiptPrint | ReceiptsPrint | DocumentPrint, Uint8Array>(
  new URL('receipt-process.ts', import.meta.url),
  {
    maxMs: 15_000,
    maxHeapMb: 256,
    processes: 1,
    maxWaiting: 100,
    idleMs: 300_000,
  },
)

const MAX_KEPT_BYTES = 16_000_000

/** By the digest of what is on them, the one that was asked for last at the end. */
const kept = new Map<string, Buffer>()
const beingMade = new Map<string, Promise<Buffer>>()
let keptBytes = 0

/** The same receipt is made once, however many ask for it at a time, and kept for those that ask soon. */
export async function printReceipt(digest: string, receipt: ReceiptPrint | DocumentPrint): Promise<Buffer> {
  const known = kept.get(digest)
  if (known !== undefined) {
    kept.delete(digest)
    kept.set(digest, known)
    return known
  }
  const making = beingMade.getOrInsertComputed(digest, async () => {
    try {
      return keep(digest, Buffer.from(await printers.use(ask => ask(receipt))))
    } finally {
      beingMade.delete(digest)
    }
  })
  return making
}

/** Several in one file; too large to be kept for others. */
export async function printReceipts(receipts: readonly ReceiptPrint[]): Promise<Buffer> {
  return Buffer.from(await printers.use(ask => ask({ receipts })))
}

export function printDocument(document: DocumentPrint): Promise<Buffer> {
  const digest = createHash('sha256').update(JSON.stringify(document)).digest('base64url')
  return printReceipt(digest, document)
}

function keep(digest: string, file: Buffer): Buffer {
  kept.set(digest, file)
  keptBytes += file.length
  for (const [oldest, { length }] of kept) {
    if (keptBytes <= MAX_KEPT_BYTES) break
    kept.delete(oldest)
    keptBytes -= length
  }
  return file
}
