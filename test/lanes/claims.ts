import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const CLAIMS = 'BURSAR_TEST_CLAIMS'
const PASSED = 'passed'

export function makeClaims(folder: string): void {
  mkdirSync(folder)
  process.env[CLAIMS] = folder
}

function claimsFolder(): string {
  const folder = process.env[CLAIMS]
  if (folder === undefined) throw new Error('run the lanes by `npm test`')
  return folder
}

const pathOf = (file: string): string => join(claimsFolder(), file.replaceAll('/', '+'))

/** Lanes share the work by making a folder for each file: only one of them can. */
export function claimFile(file: string): boolean {
  try {
    mkdirSync(pathOf(file))
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

export function notePassed(file: string): void {
  writeFileSync(join(pathOf(file), PASSED), '')
}

/** How each file of the lanes that did not pass is run by itself. */
export function failedFileCommands(): string[] {
  return readdirSync(claimsFolder())
    .filter(name => !existsSync(join(claimsFolder(), name, PASSED)))
    .map(name => name.replaceAll('+', '/'))
    .map(file => `node --test --test-global-setup=test/harness/global-setup.ts ${file}`)
}
