import { connect } from 'node:net'

/** Where a proxy listens for commands: the path of a unix socket, or host:port. */
export type AdminAddress = string

const TIMEOUT_MS = 3_000
/** A map of a million keys is some 60 MB. */
const ANSWER_BYTES = 256 * 1024 * 1024

/**
 * Sends one line of commands and answers all that the proxy says to it. It closes the connection after each line. Whoever
 * asks says which proxy it was when this fails.
 */
export function askProxy(address: AdminAddress, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(address.includes('/') ? { path: address } : toHostAndPort(address))
    const chunks: Buffer[] = []
    let bytes = 0
    const fail = (error: Error): void => {
      socket.destroy()
      reject(new Error(`it did not take a command: ${error.message}`, { cause: error }))
    }
    socket.setTimeout(TIMEOUT_MS, () => fail(new Error(`no answer within ${TIMEOUT_MS / 1_000} s`)))
    socket.on('error', fail)
    socket.on('connect', () => socket.write(`${line}\n`))
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > ANSWER_BYTES) fail(new Error('its answer does not end'))
      else chunks.push(chunk)
    })
    socket.on('end', () => {
      socket.destroy()
      resolve(Buffer.concat(chunks).toString('utf8'))
    })
  })
}

function toHostAndPort(address: string): { host: string; port: number } {
  const colon = address.lastIndexOf(':')
  return {
    host: address.slice(0, colon).replace(/^\[|\]$/g, '') || '127.0.0.1',
    port: Number(address.slice(colon + 1)),
  }
}
