import { serveProcess } from '../../../src/platform/process-pool/serve.ts'

/** A process that does what it is asked to. */
let questions = 0

serveProcess(async (question: string): Promise<number> => {
  questions++
  switch (question) {
    case 'loop':
      for (;;) questions += 0
    case 'hoard': {
      const held: string[][] = []
      for (;;) held.push(Array.from({ length: 10_000 }, (_, no) => `${no}`))
    }
    case 'exit':
      return process.exit(3)
    case 'throw':
      throw new Error('it was asked to')
    case 'pid':
      return process.pid
    case 'secret':
      return process.env['PATH'] === undefined ? 0 : 1
    default:
      return questions
  }
})
