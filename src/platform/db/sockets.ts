import { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { endClient } from './client.ts'

const SILENCE_MS = 2_000

/** The sockets to a database, known from before they are connected, so that those which never will be can be cut off too. */
export class Sockets {
  readonly #open = new Set<Socket>()
  /** The database fell silent while we stop: nothing is asked of it any more. */
  areCutOff = false

  open(): Socket {
    const socket = new Socket()
    this.#open.add(socket)
    if (this.areCutOff) setImmediate(() => socket.destroy())
    return socket.once('close', () => this.#open.delete(socket))
  }

  /** Every statement under way would be waited for until its time-out, and the connections after it. */
  async cutOffIfSilent(client: pg.Client): Promise<void> {
    client.on('error', () => {})
    // A refusal is an answer too: statements under way then fail or end by themselves.
    const isAnswered = client
      .connect()
      .then(() => client.query('select 1'))
      .then(
        () => true,
        () => true,
      )
    const isSilent = !(await Promise.race([isAnswered, wait(SILENCE_MS, false, { ref: false })]))
    void endClient(client)
    if (!isSilent) return
    this.areCutOff = true
    for (const socket of this.#open) socket.destroy()
  }
}
