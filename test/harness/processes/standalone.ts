import { createBursar, type Bursar } from '../../../src/app/bursar.ts'
import { readConfig } from '../../../src/app/config.ts'
import { createLog } from '../../../src/platform/log.ts'
import { TEST_MASTER_KEY } from '../bursar.ts'

/** A whole Bursar, with its jobs, on a database server that the test has started. */
export type Standalone = {
  app: Bursar
  url: string
  logText: () => string
  /** Before the test's end; once is enough. */
  stop: () => Promise<void>
}

type Owner = { after(done: () => Promise<void> | void): void }

export async function openStandalone(owner: Owner, env: Record<string, string>): Promise<Standalone> {
  const lines: string[] = []
  const app = await createBursar(
    readConfig({
      PORT: '0',
      MASTER_KEY: TEST_MASTER_KEY,
      DEMO: 'off',
      DRAIN_SECONDS: '0',
      PUBLIC_RATE: '100000',
      PUBLIC_BURST: '100000',
      ...env,
    }),
    createLog({ level: 'info', format: 'json', destination: { write: line => void lines.push(line) } }),
  )
  let stopped: Promise<void> | null = null
  const stop = (): Promise<void> => (stopped ??= app.stop())
  owner.after(stop)
  return { app, url: `http://${app.config.host}:${app.config.port}`, logText: () => lines.join(''), stop }
}
