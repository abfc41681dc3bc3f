import { conflict, notFound } from '../../platform/errors.ts'
import type { Context } from '../../platform/context.ts'
import { newId } from '../../platform/ids.ts'
import { presentDebit, returnReportOf } from './debits.service.ts'
import { mandateMove, mandateOutcome, type BankMandate, type MandateAct } from './mandates.rules.ts'
import * as store from './mandates.store.ts'
import type { MandateAtProvider, MandatePort, MandateReport } from '../../providers/port.ts'
import { readHolidays } from '../../payments/holidays.service.ts'

/** Mandates at the sandbox's bank. */
export function mandatePort(ctx: Context): MandatePort {
  const { db } = ctx
  return {
    rails: ['enach', 'upi_autopay'],
    async register(request) {
      const { instituteId } = request
      const ref = await store.openMandate(db, { ...request, ref: newId('bank') })
      return {
        providerRef: ref,
        redirectUrl: `${ctx.publicUrl}/sandbox/bank/mandates/${instituteId}/${ref}`,
      }
    },
    async status({ instituteId, mandateId }) {
      const mandate = await store.findMandate(db, instituteId, { mandateId })
      return mandate === null ? unheardOf({ instituteId, mandateId }) : reportOf(mandate)
    },
    present: request => presentDebit(ctx, request),
    returned: payment => returnReportOf(ctx, payment),
    cancel: mandate => store.cancelMandate(db, mandate),
  }
}

/** What the payer does at the bank; answers what the bank then tells. */
export async function actOnMandate(
  { db, clock }: Context,
  { instituteId, ref }: Pick<BankMandate, 'instituteId' | 'ref'>,
  act: MandateAct,
): Promise<MandateReport> {
  return db.transaction(async tx => {
    const mandate = await store.lockMandate(tx, instituteId, ref)
    if (mandate === null) throw notFound('This mandate')
    const move = mandateMove(mandate, act, { now: clock.now(), holidays: await readHolidays(tx) })
    if (move === null) throw conflict(`The bank has this mandate as ${mandate.state} already.`)
    await store.moveMandate(tx, mandate, move)
    return reportOf({ ...mandate, ...move })
  })
}

export async function confirmDueMandates(
  { db }: Context,
  now: Date,
  limit: number,
): Promise<MandateReport[]> {
  return (await store.confirmMandates(db, now, limit)).map(reportOf)
}

export async function findMandate(
  { db }: Context,
  instituteId: number,
  key: { ref: string } | { mandateId: string },
): Promise<BankMandate | null> {
  return store.findMandate(db, instituteId, key)
}

function reportOf(mandate: BankMandate): MandateReport {
  const { instituteId, mandateId, ref } = mandate
  return { about: 'mandate', instituteId, mandateId, providerRef: ref, outcome: mandateOutcome(mandate) }
}

function unheardOf({ instituteId, mandateId }: Omit<MandateAtProvider, 'providerRef'>): MandateReport {
  return { about: 'mandate', instituteId, mandateId, providerRef: '', outcome: { kind: 'open' } }
}
