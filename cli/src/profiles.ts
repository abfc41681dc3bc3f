import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { InputError, writeError } from '../../src/cli/terminal.ts'

export type Profile = { url: string; key: string; secret: string }

/** What is kept between two commands, in a file that only its owner can read. */
type ProfileFile = {
  current?: string
  profiles: Record<string, Profile>
  /** Signs what `listen` forwards: the same on every run, so that a receiver is set up once. */
  signingSecret?: string
}

export function configFile(): string {
  const { BURSAR_CLI_CONFIG: file, XDG_CONFIG_HOME: folder } = process.env
  return file ?? join(folder ?? join(homedir(), '.config'), 'bursar', 'cli.json')
}

export function readKept(): ProfileFile {
  const file = configFile()
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} }
    throw error
  }
  const kept = parseKept(text, file)
  // Windows has no such bits.
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
    chmodSync(file, 0o600)
    writeError(`Others could read ${file}; now only you can. Rotate its keys if they may have.`)
  }
  return kept
}

function parseKept(text: string, file: string): ProfileFile {
  const kept = readJson(text) as Partial<ProfileFile> | null | undefined
  if (typeof kept?.profiles !== 'object')
    throw new InputError(
      `${file} holds no profiles of bursar-cli. Mend or remove it, then run bursar-cli login.`,
    )
  return { ...kept, profiles: kept.profiles }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Replaced as a whole: an interrupted write leaves the old file. */
export function writeKept(kept: ProfileFile): void {
  const file = configFile()
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, file)
}

export function findProfile(name: string | undefined): Profile | null {
  const { current, profiles } = readKept()
  const wanted = name ?? process.env['BURSAR_CLI_PROFILE'] ?? current
  if (wanted === undefined) return null
  const found = Object.hasOwn(profiles, wanted) ? profiles[wanted] : undefined
  if (found !== undefined) return found
  const names = Object.keys(profiles).join(', ') || 'none yet'
  throw new InputError(`There is no profile "${wanted}". Profiles: ${names}. bursar-cli login makes one.`)
}

/** Where nothing can be kept, as on some CI machines, each run has its own. */
export function signingSecret(): string {
  const kept = readKept()
  if (kept.signingSecret !== undefined) return kept.signingSecret
  const secret = `whsec_${randomBytes(24).toString('base64')}`
  try {
    writeKept({ ...kept, signingSecret: secret })
  } catch {
    writeError(`The signing secret is only of this run: ${configFile()} cannot be written.`)
  }
  return secret
}
