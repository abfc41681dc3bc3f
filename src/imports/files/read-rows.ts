import { ProcessPool } from '../../platform/process-pool/process-pool.ts'
import { FileRefused, type FileFormat, type FileRows } from './file-rows.ts'

/**
 * Files come from strangers, so each is read in a process of its own, with limits of its own. The time is several times
 * what the largest file takes on a slow machine.
 */
const readers = new ProcessPool<ReaderAsk, ReaderAnswer>(new URL('reader-process.ts', import.meta.url), {
  maxMs: 60_000,
  maxHeapMb: 128,
  processes: 2,
  maxWaiting: 20,
  idleMs: 0,
})

export type ReaderAsk = { part: Uint8Array } | { format: FileFormat }
export type ReaderAnswer =
  | { kind: 'taken' }
  | ({ kind: 'rows' } & FileRows)
  | { kind: 'done' }
  | { kind: 'refused'; message: string }

/** Reads the rows of a file that is given in parts. */
export type ReadRows = (format: FileFormat, parts: AsyncIterable<Buffer>) => AsyncGenerator<FileRows>

/** Waits for a process; to be called before something else that is scarce is held. */
export function withReader<Result>(act: (readRows: ReadRows) => Promise<Result>): Promise<Result> {
  return readers.use(ask =>
    act(async function* (format, parts) {
      for await (const part of parts) await ask({ part })
      for (;;) {
        const answer = await ask({ format })
        if (answer.kind === 'refused') throw new FileRefused(answer.message)
        if (answer.kind !== 'rows') return
        yield answer
      }
    }),
  )
}
