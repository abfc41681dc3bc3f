import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import type { Json } from '../harness/client.ts'
import { bareEnv } from '../harness/child-env.ts'

export type Env = Record<string, string>
type Ran = { code: number | null; out: string; err: string }

const ROOT = new URL('../..', import.meta.url).pathname

/** The real process, with nothing of our own environment but what finds programs. */
export async function run(env: Env, ...args: string[]): Promise<Ran> {
  const child = start(env, 'src/cli/main.ts', ...args)
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: child.exitCode, out, err }
}

export function start(env: Env, ...args: string[]) {
  return spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...bareEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Succeeds and answers in JSON. */
export async function ask(env: Env, ...args: string[]): Promise<Json> {
  const { code, out, err } = await run(env, ...args, '--json')
  assert.equal(code, 0, err)
  return JSON.parse(out)
}

/** A folder that is removed when the test is over. */
export function scratch(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-cli-'))
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }))
  return folder
}
