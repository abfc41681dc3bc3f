import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { TEST_MASTER_KEY } from '../bursar.ts'
import { bareEnv } from './child-env.ts'
import { waitFor } from '../wait.ts'

/** A worker as an operator runs one, to be killed in the middle of its work. */
export function startWorker(databaseUrl: string, env: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, ['src/app/main.ts'], {
    cwd: join(import.meta.dirname, '../../..'),
    env: {
      ...bareEnv(),
      BURSAR_ROLE: 'worker',
      WORKER_PORT: '0',
      LOG_LEVEL: 'warn',
      DATABASE_URL: databaseUrl,
      MASTER_KEY: TEST_MASTER_KEY,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout?.resume()
  return child
}

export async function kill(child: ChildProcess): Promise<void> {
  const exit = once(child, 'close')
  child.kill('SIGKILL')
  await exit
}

/** A process that serves the API, to be killed in the middle of a request; answers where it listens. */
export async function startServer(
  databaseUrl: string,
  env: Record<string, string> = {},
): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, ['src/app/main.ts'], {
    cwd: join(import.meta.dirname, '../../..'),
    env: {
      ...bareEnv(),
      BURSAR_ROLE: 'api',
      PORT: '0',
      LOG_LEVEL: 'warn',
      DEMO: 'off',
      DATABASE_URL: databaseUrl,
      MASTER_KEY: TEST_MASTER_KEY,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', part => (text += String(part)))
  await waitFor(async () => /Listening +\S+/.test(text) || child.exitCode !== null, 'the server to listen')
  const url = /Listening +(\S+)/.exec(text)?.[1]
  if (url === undefined) throw new Error(`it did not start: ${text}`)
  return { child, url }
}
