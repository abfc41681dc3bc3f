import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'

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
