import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { type ApiPromise, promiseOf } from './contract.ts'

/**
 * What the API of the last release promises; `node tools/release/keep-api.ts` writes it when a release is made. Kept
 * because no code of today says it.
 */
const FILE = new URL('../../test/release/api-of-last-release.json.br', import.meta.url)
const ROOT = join(import.meta.dirname, '..', '..')

export function readKeptApi(): ApiPromise {
  return JSON.parse(brotliDecompressSync(readFileSync(FILE)).toString()) as ApiPromise
}

if (import.meta.main) {
  const document = execFileSync(process.execPath, ['src/cli/main.ts', 'openapi'], {
    cwd: ROOT,
    maxBuffer: 64_000_000,
  })
  const promise = promiseOf(JSON.parse(document.toString()) as Record<string, unknown>)
  writeFileSync(FILE, brotliCompressSync(JSON.stringify(promise)))
}
