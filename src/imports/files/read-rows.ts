import { READER, type RowLimits } from '../../platform/limits.rules.ts'
import { ProcessPool, type Turn } from '../../platform/process-pool/process-pool.ts'
import { type FileFormat, FileRefused, type FileRows } from './columns.rules.ts'

/** Files come from strangers, so each is read in a process of its own, with limits of its own. */
const readers = new ProcessPool<ReaderAsk, ReaderAnswer>(new URL('reader-process.ts', import.meta.url), {
  maxMs: READER.seconds * 1_000,
  maxHeapMb: READER.heapMb,
  processes: READER.processes,
  maxWaiting: READER.waiting,
  idleMs: 0,
})

type ReadRequest = {
  format: FileFormat | 'mt940'
  limits: RowLimits
  /** Columns in which a cell merged downwards holds for each of its rows. */
  merged?: readonly number[]
}

export type ReaderAsk = { part: Uint8Array } | ReadRequest
export type ReaderAnswer =
  | { kind: 'taken' }
  | ({ kind: 'rows' } & FileRows)
  | { kind: 'done' }
  | { kind: 'refused'; message: string }

/** Reads the rows of a file that is given in parts. */
export type ReadRows = (wanted: ReadRequest, parts: AsyncIterable<Buffer>) => AsyncGenerator<FileRows>

/** Waits for a process, in turn with other schools; to be called before something else that is scarce is held. */
export function withReader<Result>(
  turn: Turn,
  act: (readRows: ReadRows) => Promise<Result>,
): Promise<Result> {
  const read = (ask: (question: ReaderAsk) => Promise<ReaderAnswer>): Promise<Result> =>
    act(async function* (wanted, parts) {
      for await (const part of parts) await ask({ part })
      for (;;) {
        const answer = await ask(wanted)
        if (answer.kind === 'refused') throw new FileRefused(answer.message)
        if (answer.kind !== 'rows') return
        yield answer
      }
    })
  return readers.use(read, turn)
}
