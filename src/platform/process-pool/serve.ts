import { setPriority } from 'node:os'

export type Reply<Answer> = { answer: Answer } | { error: string }

/** Where processors are few, requests come first. */
const NICENESS = 5

/** Called by the module of a process: one answer to each question, one after the other. */
export function serveProcess(answer: (question: never) => Promise<unknown>): void {
  setPriority(NICENESS)
  process.on('message', question => {
    answer(question as never).then(value => reply({ answer: value }), refuse)
  })
  // The process that asked is gone.
  process.on('disconnect', () => process.exit())
}

function refuse(error: unknown): void {
  reply({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
}

function reply(message: Reply<unknown>): void {
  process.send?.(message)
}
