import { compare, HEADERS, median, ORDER_BODY, type Figure } from '../figures.ts'
import type { PayPlan, PayResult } from './load.ts'
import { runChild, type Rig } from '../rig.ts'
import type { Size } from '../size.ts'

const PAYERS = 32

/** Create, start, bank, signed callback, capture, ledger, receipt and events, of one transaction of the same rows. */
export async function measurePayments(rig: Rig, size: Size): Promise<Figure[]> {
  const p99s: number[] = []
  const figure = await compare(
    'Payments taken end to end, of a bare handler awaiting the same INSERTs in one transaction',
    0.5,
    {
      bare: async time => (await takePayments('bare', rig.bare, time)).perSecond,
      full: async time => {
        const result = await takePayments('full', rig.full, time)
        p99s.push(result.p99Ms)
        return result.perSecond
      },
    },
    size,
  )
  const p99 = `, 99 of 100 within ${Math.round(median(p99s))} ms with ${PAYERS} payers`
  return [{ ...figure, detail: figure.detail + p99 }]
}

async function takePayments(kind: PayPlan['kind'], origin: string, seconds: number): Promise<PayResult> {
  const plan: PayPlan = { origin, kind, headers: HEADERS, body: ORDER_BODY, seconds, payers: PAYERS }
  const result = (await runChild('payments/load.ts', plan)) as PayResult
  if (result.failures.length > 0) throw new Error(`a payment at ${origin} failed: ${result.failures[0]}`)
  return result
}
