import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { TEST_MASTER_KEY } from './bursar.ts'
import { bareEnv } from './child-env.ts'

/** A worker as an operator runs one, to be killed in the middle of its work. */
export function startWorker(databaseUrl: string, env: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, ['src/app/main.ts'], {
    cwd: join(import.meta.dirname, '..', '..'),
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
