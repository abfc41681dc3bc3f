import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { bareEnv } from '../harness/processes/child-env.ts'

export const PROGRAM = join(import.meta.dirname, '../../emulators/run.ts')

/** Starts `npm run emulator NAME` with these options; its address once it listens. */
export async function startProgram(t: TestContext, name: string, ...options: string[]): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM, name, ...options], {
    env: bareEnv(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill())
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = / is at (http:\/\/\S+):/.exec(line) ?? []
    if (url !== undefined) return url
  }
  throw new Error(`${name} did not start`)
}
