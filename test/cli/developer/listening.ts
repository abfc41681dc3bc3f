import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { startBursar, type TestBursar } from '../../harness/bursar.ts'
import { waitFor } from '../../harness/wait.ts'
import { startDeveloper, type Env } from '../command-line.ts'

type Listening = {
  out(): string
  err(): string
  waitFor(pattern: RegExp): Promise<void>
  /** As Ctrl-C does. */
  interrupt(): Promise<NodeJS.Signals | null>
}

/** `bursar-cli listen` itself, once it has written that it forwards. */
export async function listen(t: TestContext, env: Env, ...args: string[]): Promise<Listening> {
  const child = startDeveloper(env, 'listen', ...args)
  const closed = once(child, 'close')
  t.after(async () => {
    child.kill('SIGKILL')
    await closed
  })
  const text = { out: '', err: '' }
  child.stdout.on('data', part => (text.out += String(part)))
  child.stderr.on('data', part => (text.err += String(part)))
  const listening: Listening = {
    out: () => text.out,
    err: () => text.err,
    waitFor: pattern =>
      waitFor(async () => pattern.test(text.out + text.err), `${pattern} in the output of listen`),
    async interrupt() {
      child.kill('SIGINT')
      await closed
      return child.signalCode
    },
  }
  await listening.waitFor(/Signing secret|signing_secret/)
  return listening
}

type End = () => Promise<void> | void

/** A port at which nobody answers. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** A Bursar that the test itself stops. */
export async function startStoppable(
  t: TestContext,
  env: Env,
): Promise<TestBursar & { stop(): Promise<void> }> {
  const ends: End[] = []
  const stop = async (): Promise<void> => {
    for (const end of ends.splice(0).toReversed()) await end()
  }
  t.after(stop)
  return { ...(await startBursar({ after: (end: End) => void ends.push(end) }, env)), stop }
}
