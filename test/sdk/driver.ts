import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Json } from '../harness/client.ts'

/**
 * A client in some language behind a small program that reads a JSON line and answers with one:
 * `{"call": "getPayOrder", "args": ["order_1"], "file": null, "query": {…}, "options": {…}}` is answered by
 * `{"value": …}`, amounts as text with two decimals, a list as all its items, a file in base64; or by
 * `{"error": {"class", "code", "fields", "request_id", "http_status"}}`. `{"verify": {…}}` is answered by the event.
 */
export class Driver {
  readonly #process: ChildProcess
  readonly #waiting: ((line: string) => void)[] = []
  #errors = ''

  constructor([command = '', ...args]: readonly string[], env: Record<string, string>) {
    this.#process = spawn(command, args, {
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    })
    createInterface({ input: this.#process.stdout as NodeJS.ReadableStream }).on('line', line =>
      this.#waiting.shift()?.(line),
    )
    this.#process.stderr?.on('data', chunk => (this.#errors += String(chunk)))
    this.#process.on('exit', () => {
      for (const answer of this.#waiting.splice(0))
        answer(JSON.stringify({ error: { class: 'driver ended', message: this.#errors } }))
    })
  }

  stop(): void {
    this.#process.kill()
  }

  async ask(question: object): Promise<Json> {
    const answered = new Promise<string>(resolve => this.#waiting.push(resolve))
    this.#process.stdin?.write(`${JSON.stringify(question)}\n`)
    const line = await answered
    try {
      return JSON.parse(line)
    } catch {
      throw new Error(`the driver wrote: ${line} ${this.#errors}`)
    }
  }

  async call(operation: string, args: Json[] = [], more: object = {}): Promise<Json> {
    const { value, error } = await this.ask({ call: operation, args, ...more })
    if (error !== undefined) throw new Refused(error)
    return value
  }
}

export class Refused extends Error {
  readonly error: Json

  constructor(error: Json) {
    super(JSON.stringify(error))
    this.error = error
  }
}
