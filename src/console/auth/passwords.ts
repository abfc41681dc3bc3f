import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { hash, verify } from '@node-rs/argon2'
import { passwordFlaw, type PasswordOwner } from './passwords.rules.ts'

/** argon2id as OWASP advises for a server that shares its memory: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export function hashPassword(password: string): Promise<string> {
  return hash(password.normalize('NFKC'), COST)
}

let nobodys: Promise<string> | null = null

/** Takes as long for a person who does not exist, or has no password, as for one who mistypes. */
export async function passwordMatches(password: string, passwordHash: string | null): Promise<boolean> {
  nobodys ??= hashPassword(randomBytes(16).toString('hex'))
  const isRight = await verify(passwordHash ?? (await nobodys), password.normalize('NFKC'))
  return isRight && passwordHash !== null
}

let common: Promise<ReadonlySet<string>> | null = null

/** What is wrong with a password that somebody chose, or null. */
export async function findPasswordFlaw(password: string, owner: PasswordOwner): Promise<string | null> {
  common ??= readCommon()
  return passwordFlaw(password, owner, await common)
}

async function readCommon(): Promise<ReadonlySet<string>> {
  const text = await readFile(new URL('common-passwords.txt', import.meta.url), 'utf8')
  const lines = text.split('\n').filter(line => !line.startsWith('#'))
  return new Set(lines.flatMap(line => line.split(' ')))
}
