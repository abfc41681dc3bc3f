import assert from 'node:assert/strict'
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import type { Json } from '../harness/client.ts'
import { bareEnv } from '../harness/processes/child-env.ts'

export type Env = Record<string, string>
type Ran = { code: number | null; out: string; err: string }

const ROOT = new URL('../..', import.meta.url).pathname

/** The real process, with nothing of our own environment but what finds programs. */
export function run(env: Env, ...args: string[]): Promise<Ran> {
  return ended(start(env, 'src/cli/main.ts', ...args))
}

const kept = mkdtempSync(join(tmpdir(), 'bursar-cli-'))
process.on('exit', () => rmSync(kept, { recursive: true, force: true }))

/** The developer's command line, without a profile unless the environment names a file of them. */
export function runDeveloper(env: Env, ...args: string[]): Promise<Ran> {
  return ended(startDeveloper(env, ...args))
}

export function startDeveloper(env: Env, ...args: string[]): Child {
  return start({ BURSAR_CLI_CONFIG: join(kept, 'cli.json'), ...env }, 'cli/src/main.ts', ...args)
}

async function ended(child: Child): Promise<Ran> {
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: child.exitCode, out, err }
}

export type Child = ChildProcessByStdio<null, Readable, Readable>

export function start(env: Env, ...args: string[]): Child {
  return spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...bareEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Succeeds and answers in JSON. */
export async function ask(env: Env, ...args: string[]): Promise<Json> {
  return readAnswer(await run(env, ...args, '--json'))
}

export async function askDeveloper(env: Env, ...args: string[]): Promise<Json> {
  return readAnswer(await runDeveloper(env, ...args, '--json'))
}

function readAnswer({ code, out, err }: Ran): Json {
  assert.equal(code, 0, err)
  return JSON.parse(out)
}

/** A folder that is removed when the test is over. */
export function scratch(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-cli-'))
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }))
  return folder
}
