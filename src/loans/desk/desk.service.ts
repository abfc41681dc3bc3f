import { createHash } from 'node:crypto'
import { assert } from '../../platform/assert.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { badField, badRequest, conflict, notFound } from '../../platform/errors.ts'
import { transact, type Command } from '../../platform/idempotency.ts'
import type { LoanContext } from '../context.ts'
import { MOST_LETTERS, toUpdate, type DeskRequest } from './desk.rules.ts'
import { isOver } from '../loans.rules.ts'
import { announce, applyIn } from '../lender-updates.service.ts'
import { findLetter, insertLetter, type LetterVersion, listLetters } from '../loans.store.ts'
import * as store from '../loans.store.ts'

/**
 * Records an act of the people of a lender without an API. Each act is the same report that a lender with an API would send,
 * applied by the same code, in one transaction with its audit entry.
 */
export async function recordAtDesk(
  ctx: LoanContext,
  command: Command<null>,
  key: store.LoanKey,
  request: DeskRequest,
): Promise<null> {
  const sent: Parameters<typeof announce>[1][] = []
  await transact(ctx.db, command, async tx => {
    sent.length = 0
    const file = await store.lockFile(tx, key)
    if (file === null) throw notFound('This application')
    const update = toUpdate(file, request, ctx.clock.now())
    if (request.kind === 'sanction' && request.withoutLetter === null) await assertLetter(tx, key)
    const lenderRef = file.application.lenderRef ?? key.applicationId
    const { outcome, transfer } = await applyIn(ctx, tx, { ...key, lenderRef, update })
    assert(outcome === 'apply', `${request.kind} was possible and not applied`)
    sent.push(transfer)
    return null
  })
  for (const transfer of sent) await announce(ctx, transfer)
  return null
}

/** What the family signed is for family and institute to read. */
async function assertLetter(tx: Transaction, key: store.LoanKey): Promise<void> {
  if ((await listLetters(tx, key)).length === 0)
    throw badField('without_letter', 'is needed: attach the sanction letter first, or say why there is none')
}

export type { LetterVersion }
export type Letter = { applicationId: string; version: number; digest: string }

/** Only ever served as a download. Every version is kept; there is none after money was transferred under the last. */
export async function attachLetter(
  ctx: LoanContext,
  command: Command<Letter>,
  key: store.LoanKey,
  content: Buffer,
): Promise<Letter> {
  if (!isPdf(content)) throw badRequest('This is not a PDF file.')
  const digest = createHash('sha256').update(content).digest()
  return transact(ctx.db, command, async tx => {
    const file = await store.lockFile(tx, key)
    if (file === null) throw notFound('This application')
    if (isOver(file.application.state))
      throw conflict('The application is over: its letter is kept as it is.')
    if (file.payOuts.length > 0)
      throw conflict('Money was transferred under the letter that is attached: it is kept as it is.')
    const version = ((await listLetters(tx, key))[0]?.version ?? 0) + 1
    if (version > MOST_LETTERS) throw conflict(`There are ${MOST_LETTERS} versions of the letter already.`)
    await insertLetter(tx, key, { version, content, digest, at: ctx.clock.now() })
    return { applicationId: key.applicationId, version, digest: digest.toString('hex') }
  })
}

function isPdf(content: Buffer): boolean {
  return content.subarray(0, 5).toString('latin1') === '%PDF-' && content.subarray(-1024).includes('%%EOF')
}

export async function readLetter(
  { db }: Pick<LoanContext, 'db'>,
  key: store.LoanKey,
  version?: string,
): Promise<Buffer> {
  const content = await findLetter(db, key, version === undefined ? null : Number(version))
  if (content === null) throw notFound('The sanction letter')
  return content
}

/** The versions of the letter, newest first. */
export async function letterVersions(
  { db }: Pick<LoanContext, 'db'>,
  key: store.LoanKey,
): Promise<LetterVersion[]> {
  return listLetters(db, key)
}
