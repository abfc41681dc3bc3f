import type { Fault } from './server.ts'

/** Ways in which an answer goes wrong after the request was carried out. */
export const status =
  (code: number, body = '', headers: Record<string, string> = {}): Fault =>
  response =>
    void response.writeHead(code, headers).end(body)

export const answerWith = (body: unknown): Fault => status(200, JSON.stringify(body))

export const lose: Fault = response => response.destroy()

/** Until the caller hangs up. */
export const neverAnswer: Fault = () => {}

export const flood: Fault = response => {
  const pour = (): void => {
    if (!response.destroyed && response.write(Buffer.alloc(65_536, 32))) setImmediate(pour)
  }
  response.on('drain', pour).writeHead(200)
  pour()
}
