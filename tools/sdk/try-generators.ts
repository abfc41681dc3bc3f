import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Lets the generators that are on this machine make a client of the OpenAPI document, and compiles it:
 * `node tools/sdk/try-generators.ts`. One that is absent is skipped aloud.
 */
const folder = mkdtempSync(join(tmpdir(), 'generators-'))
const document = join(folder, 'openapi.json')
const run = (command: string, args: readonly string[]): string =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

const TYPESCRIPT = {
  strict: true,
  noEmit: true,
  module: 'esnext',
  moduleResolution: 'bundler',
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable'],
  skipLibCheck: true,
  types: [],
}

const GENERATORS = {
  'openapi-ts': () => {
    const output = join(folder, 'typescript')
    run('openapi-ts', ['-i', document, '-o', output])
    writeFileSync(join(output, 'tsconfig.json'), JSON.stringify({ compilerOptions: TYPESCRIPT }))
    run('tsc', ['-p', output])
  },
  'openapi-python-client': () => {
    const output = join(folder, 'python')
    const config = join(import.meta.dirname, 'openapi-python-client.yaml')
    const options = ['--path', document, '--config', config, '--output-path', output, '--meta', 'none']
    const said = run('openapi-python-client', ['generate', ...options])
    if (said.includes('WARNING')) throw new Error(said)
    run('python3', ['-m', 'compileall', '-q', output])
  },
}

try {
  run(process.execPath, ['src/cli/main.ts', 'openapi', document])
  for (const [name, generate] of Object.entries(GENERATORS)) {
    if (isAbsent(name)) {
      process.stdout.write(`${name}: skipped, not on this machine\n`)
      continue
    }
    generate()
    process.stdout.write(`${name}: generated and compiled\n`)
  }
} finally {
  rmSync(folder, { recursive: true })
}

function isAbsent(command: string): boolean {
  try {
    run('which', [command])
    return false
  } catch {
    return true
  }
}
