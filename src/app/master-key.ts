import { randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { prepareDataDir } from './data-dir.ts'
import { MASTER_KEY_BYTES, parseMasterKey, Vault } from '../platform/secrets.ts'

export const KEY_FILE = 'master.key'

/** A sandbox makes its own key once: a link is made whole, and by only one of two first starts. */
export async function readOrMakeMasterKey(dataDir: string): Promise<Buffer> {
  const file = join(dataDir, KEY_FILE)
  await prepareDataDir(dataDir)
  const made = `${file}.${process.pid}`
  await writeFile(made, `${randomBytes(MASTER_KEY_BYTES).toString('hex')}\n`, { mode: 0o600, flush: true })
  try {
    await link(made, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(made, { force: true })
  }
  const key = parseMasterKey((await readFile(file, 'utf8')).trim())
  if (key === null) throw new Error(`${file} does not hold a master key. Restore it, or set MASTER_KEY.`)
  return key
}

/** Of the key that is configured, or that a sandbox made here before; null: neither. */
export async function findVault({
  masterKey,
  dataDir,
}: Pick<Config, 'masterKey' | 'dataDir'>): Promise<Vault | null> {
  const made = (await readFile(join(dataDir, KEY_FILE), 'utf8').catch(() => '')).trim()
  const key = masterKey ?? parseMasterKey(made)
  return key === null ? null : new Vault(key)
}
