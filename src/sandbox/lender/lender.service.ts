import { createHmac, timingSafeEqual } from 'node:crypto'
import { conflict, notFound } from '../../platform/errors.ts'
import { getApplication } from '../../loans/applications.service.ts'
import type { LoanContext } from '../../loans/context.ts'
import { sendToLender } from '../../loans/lender-sync.service.ts'
import type { LoanFile } from '../../loans/loans.rules.ts'
import {
  type LenderAct,
  type LenderLoan,
  lenderMove,
  SANDBOX_LIMITS,
  SANDBOX_TERMS,
  tellings,
} from './simulator.rules.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { Callback } from '../../providers/port.ts'
import type { Lender, LenderUpdate, LoanReport } from '../../loans/lender-port.ts'
import type { Context } from '../../platform/context.ts'
import { newId } from '../../platform/ids.ts'
import * as store from './simulator.store.ts'

/** What the sandbox lets a developer do to the lender. */
export type SandboxLoans = { ctx: LoanContext; lender: SandboxLender }

/** Tells the lender what happened, and hands its callbacks to the door that every lender's go through. */
export async function actAtLender(
  { lender }: Pick<SandboxLoans, 'lender'>,
  where: Pick<LenderLoan, 'instituteId' | 'ref'>,
  command: LenderAct,
): Promise<void> {
  for (const callback of await lender.act(where, command)) await lender.tell(callback)
}

/** The same for an application, which the lender is handed first if the parent has not gone there yet. */
export async function actOnApplication(
  sandbox: SandboxLoans,
  { institute, applicationId }: { institute: Institute; applicationId: string },
  lenderAct: LenderAct,
): Promise<LoanFile> {
  const { ctx } = sandbox
  const before = await getApplication(ctx, institute, applicationId)
  const { lender: code, lenderTitle } = before.application
  if (code !== sandbox.lender.name)
    throw conflict(
      `This application is with ${lenderTitle}, which is not the sandbox’s lender: it acts by itself.`,
    )
  const where = await findAtLender(sandbox, institute, applicationId)
  if (lenderAct.kind === 'disburse') await tellOfFailures(sandbox, where, before)
  await actAtLender(sandbox, where, lenderAct)
  return getApplication(ctx, institute, applicationId)
}

async function findAtLender(
  { ctx, lender }: SandboxLoans,
  institute: Institute,
  applicationId: string,
): Promise<LenderLoan> {
  const known = await lender.find(institute.id, { applicationId })
  if (known !== null) return known
  await sendToLender(
    ctx,
    { instituteId: institute.id, applicationId },
    `${ctx.publicUrl}/cred/${institute.code}/${applicationId}/return`,
  )
  const sent = await lender.find(institute.id, { applicationId })
  if (sent === null) throw new Error(`the lender lost ${applicationId}`)
  return sent
}

/** A lender hears from its own bank that a transfer came back, and pays that tranche again. */
async function tellOfFailures(
  sandbox: SandboxLoans,
  where: LenderLoan,
  { tranches }: LoanFile,
): Promise<void> {
  for (const { lenderRef: trancheRef } of tranches.filter(({ state }) => state === 'failed'))
    await actAtLender(sandbox, where, { kind: 'bounce', trancheRef })
}

/** What the sandbox's lender offers beside the port: its counter, where pages and the sandbox API tell it what happens. */
export type SandboxLender = Lender & {
  /** Where the lender posts what it has to tell of its own accord. */
  tell: (callback: Callback) => Promise<void>
  find(instituteId: number, key: { ref: string } | { applicationId: string }): Promise<LenderLoan | null>
  /** Does what the borrower or the lender did; answers the callbacks that the lender now sends, none to two. */
  act(where: Pick<LenderLoan, 'instituteId' | 'ref'>, act: LenderAct): Promise<Callback[]>
}

const SIGNATURE = 'x-sandbox-lender-signature'
const ENDINGS = { canceled: 'cancel', expired: 'expire' } as const

/** The sandbox's lender: a model of one file that implements the port. */
export function createSandboxLender(ctx: Context, tell: SandboxLender['tell']): SandboxLender {
  const { db } = ctx
  const key = ctx.vault.deriveKey('sandbox lender callbacks')
  const status = async (instituteId: number, applicationId: string): Promise<LoanReport[]> => {
    const loan = await store.findLoan(db, instituteId, { applicationId })
    return loan === null ? [] : (await historyOf(ctx, loan)).map(update => reportOf(loan, update))
  }
  const lender: SandboxLender = {
    name: 'sandbox',
    title: 'Sandbox Lender',
    limits: SANDBOX_LIMITS,
    terms: SANDBOX_TERMS,
    tell,
    async start({ instituteId, amountPaise: askedPaise, ...request }) {
      const { ref } = await store.openLoan(db, { ...request, instituteId, askedPaise, ref: newId('lend') })
      return { lenderRef: ref, lenderUrl: `${ctx.publicUrl}/sandbox/lender/${instituteId}/${ref}` }
    },
    status: ({ instituteId, applicationId }) => status(instituteId, applicationId),
    async end({ instituteId, applicationId }, how) {
      const loan = await store.findLoan(db, instituteId, { applicationId })
      if (loan !== null) await actOnLoan(ctx, loan, { kind: ENDINGS[how] }, 'or leave it')
      return status(instituteId, applicationId)
    },
    readCallback: async callback => readCallback(key, callback),
    find: (instituteId, where) => store.findLoan(db, instituteId, where),
    async act(where, act) {
      const { loan, update } = await actOnLoan(ctx, where, act)
      if (update === null) return []
      const callback = callbackFor(key, reportOf(loan, update))
      return Array.from({ length: tellings(loan) }, () => callback)
    },
  }
  return lender
}

/** One after the other on a loan, and each in one transaction with what there is to tell of it. */
async function actOnLoan(
  { db, clock }: Context,
  { instituteId, ref }: Pick<LenderLoan, 'instituteId' | 'ref'>,
  act: LenderAct,
  isLenient?: 'or leave it',
): Promise<{ loan: LenderLoan; update: LenderUpdate | null }> {
  return db.transaction(async tx => {
    const loan = await store.lockLoan(tx, instituteId, ref)
    if (loan === null) throw notFound('This loan')
    const history = (await store.listUpdates(tx, loan)).map(revive)
    // A loan that is signed is not ended behind the borrower's back.
    const isKept = isLenient !== undefined && loan.state === 'signed'
    const move = isKept ? null : lenderMove(loan, act, { now: clock.now(), history })
    if (move === null && isLenient !== undefined) return { loan, update: null }
    if (move === null) throw conflict(refusal(loan, act, history))
    await store.writeLoan(tx, move.loan)
    if (move.update !== null) await store.insertUpdate(tx, loan, history.length + 1, move.update)
    return move
  })
}

const WORDS: Record<LenderAct['kind'], string> = {
  fill: 'filled in',
  approve: 'approved',
  reject: 'rejected',
  sign: 'signed',
  disburse: 'disbursed',
  bounce: 'paid back',
  emi: 'paid back by an EMI',
  expire: 'expired',
  cancel: 'canceled',
}

function refusal({ state }: LenderLoan, { kind }: LenderAct, history: readonly LenderUpdate[]): string {
  const isPaidOut = history.some(update => update.kind === 'paid_out')
  const stands = state === 'signed' && isPaidOut ? 'signed and paid out' : state
  return `The lender has this loan as ${stands}, so it cannot be ${WORDS[kind]} now.`
}

async function historyOf({ db }: Context, loan: LenderLoan): Promise<LenderUpdate[]> {
  return (await store.listUpdates(db, loan)).map(revive)
}

function reportOf({ instituteId, applicationId, ref }: LenderLoan, update: LenderUpdate): LoanReport {
  return { instituteId, applicationId, lenderRef: ref, update }
}

/** What the lender posts to us, signed. */
function callbackFor(key: string, report: LoanReport): Callback {
  const rawBody = Buffer.from(JSON.stringify(report))
  return { headers: { [SIGNATURE]: sign(key, rawBody) }, rawBody }
}

/** Null when the signature is not the lender's. */
function readCallback(key: string, { headers, rawBody }: Callback): LoanReport[] | null {
  const sent = Buffer.from(headers[SIGNATURE] ?? '')
  const expected = Buffer.from(sign(key, rawBody))
  if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) return null
  // Signed by ourselves, so its shape is known.
  const report = JSON.parse(rawBody.toString('utf8')) as LoanReport
  return [{ ...report, update: revive(report.update) }]
}

function sign(key: string, body: Buffer): string {
  return createHmac('sha256', key).update(body).digest('hex')
}

/** JSON has no moments. */
function revive(update: LenderUpdate & { at: Date | string }): LenderUpdate {
  return { ...update, at: new Date(update.at) }
}
