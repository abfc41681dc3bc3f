import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'

export type ThreadReply<Answer> = { answer: Answer } | { error: string }

/** Where processors are few, requests come first. */
const NICENESS = 5

/** Called by the module of a thread: one answer to each question, one after the other. */
export function serveThread(answer: (question: never) => Promise<unknown>): void {
  // Of this thread alone on Linux; elsewhere it would be the whole process.
  if (process.platform === 'linux') setPriority(NICENESS)
  parentPort?.on('message', (question: unknown) => {
    answer(question as never).then(value => reply({ answer: value }), refuse)
  })
}

function refuse(error: unknown): void {
  reply({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
}

function reply(message: ThreadReply<unknown>): void {
  parentPort?.postMessage(message, [])
}
