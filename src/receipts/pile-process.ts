import { serveProcess } from '../platform/process-pool/serve.ts'
import { Pile } from './document-pdf.ts'
import type { PileAsk } from './receipt-printer.ts'

const pile = new Pile()

/** Each part is answered with what is finished of the file by then. */
serveProcess(async (question: PileAsk): Promise<Uint8Array> => {
  if (question === 'end') return pile.end()
  for (const paper of question) pile.add(paper)
  return pile.take()
})
