import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { GENERATORS, type Run } from './generators.ts'

/**
 * Lets the generators that are on this machine make a client of the OpenAPI document, compiles it, and makes a round
 * trip with it against a running sandbox: an order is created, paid and read, with an amount that a short float loses.
 *
 *   npm start &  node tools/sdk/round-trip/main.ts [NAME…]
 *
 * BURSAR_API_URL names another sandbox, OPENAPI_GENERATOR_JAR the jar of openapi-generator. What is absent is skipped aloud.
 */
const URL_OF_SANDBOX = process.env['BURSAR_API_URL'] ?? 'http://127.0.0.1:8080'
const EXPECTED = 'paid 1234567.89'
const PROGRAMS = join(import.meta.dirname, 'programs')

const only = process.argv.slice(2)
const unknown = only.find(name => !Object.hasOwn(GENERATORS, name))
if (unknown !== undefined) throw new Error(`${unknown} is none of ${Object.keys(GENERATORS).join(', ')}`)
const root = mkdtempSync(join(tmpdir(), 'round-trip-'))
const document = join(root, 'openapi.json')
writeFileSync(document, await (await fetch(`${URL_OF_SANDBOX}/openapi.json`)).text())

let failures = 0
for (const [name, { tools, generate, makeTrip }] of Object.entries(GENERATORS)) {
  if (only.length > 0 && !only.includes(name)) continue
  const absent = tools.find(isAbsent)
  if (absent !== undefined) {
    report(name, `skipped, ${absent} is not on this machine`)
    continue
  }
  const folder = join(root, name)
  mkdirSync(folder)
  const run: Run = (command, args, cwd = folder) => execute(command, args, cwd)
  const copy = (program: string, to: string): void => cpSync(join(PROGRAMS, program), join(folder, to))
  try {
    generate({ document, folder, run, copy })
    const found = makeTrip?.({ document, folder, run, copy }).trim()
    if (found !== undefined && found !== EXPECTED) throw new Error(`the round trip gave: ${found}`)
    report(
      name,
      found === undefined ? 'generated; nothing here compiles it' : `generated, compiled, ${found}`,
    )
  } catch (error) {
    failures += 1
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    report(name, `FAILED: ${String(error).slice(0, 2_000)}\n${`${stdout}${stderr}`.slice(-4_000)}`)
  }
}
rmSync(root, { recursive: true, force: true })
process.exitCode = failures === 0 ? 0 : 1

function execute(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64_000_000,
    env: { ...process.env, BURSAR_API_URL: URL_OF_SANDBOX, GOFLAGS: '-mod=mod' },
  })
}

/** A setting in capitals, a program otherwise. */
function isAbsent(tool: string): boolean {
  if (tool === tool.toUpperCase()) return process.env[tool] === undefined
  const places = (process.env['PATH'] ?? '').split(delimiter)
  return !places.some(place => {
    try {
      execFileSync('test', ['-x', join(place, tool)])
      return true
    } catch {
      return false
    }
  })
}

function report(name: string, outcome: string): void {
  process.stdout.write(`${name}: ${outcome}\n`)
}
