import { createHmac, randomInt, randomUUID } from 'node:crypto'
import { REAL_CLOCK, type Clock } from '../clock.ts'
import type { Fields } from '../server.ts'

/** The school as the unit has it in its settings. */
export type UnitSettings = {
  /** The unit adds the rest of each path. */
  baseUrl: string
  schemeId: string
  secret: string
  clock?: Pick<Clock, 'now'>
}

export type FetchedBill = {
  /** The unit's own name for what it fetched. */
  platformBillID: string
  billerBillID: string
  amount: number
  exactness: string
  customer: string
  items: { name: string; amount: number }[]
}

export type UnitPayment = { body: Fields; platformBillID: string; reference: string; amount: number }
export type Said = { status: number; body: Fields }

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** What our answers must be by the unit's documents; one that is not is a mistake of ours. */
class Nonconforming extends Error {}

/**
 * Setu as it stands between the apps of Bharat Connect and a biller, from its published documents: it fetches bills, posts payments
 * until they are acknowledged, and tells of pay-outs. What is unpleasant about it is on purpose: it may post twice, late, and in
 * another order than families paid.
 */
export class SetuUnit {
  readonly bills: FetchedBill[] = []
  readonly payments: (UnitPayment & { receipt: string | null; isSettled: boolean })[] = []
  readonly settings: UnitSettings

  constructor(settings: UnitSettings) {
    this.settings = settings
  }

  get now(): Date {
    return (this.settings.clock ?? REAL_CLOCK).now()
  }

  /** Signed as the documents have it: HS256, `aud` is the scheme id, no older than two minutes. */
  token(changes: Fields = {}, { secret = this.settings.secret, alg = 'HS256' } = {}): string {
    const claims = {
      aud: this.settings.schemeId,
      iat: Math.floor(Date.now() / 1_000),
      jti: randomUUID(),
      ...changes,
    }
    const signed = `${part({ alg, typ: 'JWT' })}.${part(claims)}`
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
  }

  async call(path: string, body: unknown, authorization = `Bearer ${this.token()}`): Promise<Said> {
    const response = await fetch(`${this.settings.baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', ref_id: `PP${randomInt(1e12)}` },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Fields }
  }

  /** What an app shows for these identifiers; a text says why there is nothing to pay. */
  async fetchBill(identifiers: Readonly<Record<string, string>>): Promise<FetchedBill | string> {
    const customerIdentifiers = Object.entries(identifiers).map(([attributeName, attributeValue]) => ({
      attributeName,
      attributeValue,
    }))
    const said = await this.call('/bills/fetch', { customerIdentifiers })
    if (said.status !== 200) return codeOf(said)
    const data = object(said.body['data'], 'data')
    const customer = text(object(data['customer'], 'data.customer'), 'name')
    const details = object(data['billDetails'], 'data.billDetails')
    const bills = details['bills']
    if (!Array.isArray(bills)) throw new Nonconforming('billDetails.bills is no list')
    if (details['billFetchStatus'] === 'NO_OUTSTANDING') {
      if (bills.length > 0) throw new Nonconforming('there are bills where nothing is outstanding')
      return 'NO_OUTSTANDING'
    }
    if (details['billFetchStatus'] !== 'AVAILABLE')
      throw new Nonconforming('billFetchStatus is of no known kind')
    const bill = object(bills[0], 'bills.0')
    this.#checkDays(bill)
    const total = object(object(bill['aggregates'], 'aggregates')['total'], 'aggregates.total')
    text(total, 'displayName')
    text(bill, 'recurrence')
    text(object(bill['customerAccount'], 'customerAccount'), 'id')
    const exactness = text(bill, 'amountExactness')
    if (!['ANY', 'EXACT', 'EXACT_UP', 'EXACT_DOWN', 'RANGE'].includes(exactness))
      throw new Nonconforming(`amountExactness ${exactness} is of no known kind`)
    const items = Array.isArray(bill['items']) ? bill['items'] : []
    if (items.length > 4) throw new Nonconforming('more than four items are not shown')
    const fetched = {
      platformBillID: String(randomInt(1e14, 2e14)),
      billerBillID: text(bill, 'billerBillID'),
      amount: paise(object(total['amount'], 'total.amount')),
      exactness,
      customer,
      items: items.map((item, index) => {
        const fields = object(item, `items.${index}`)
        const sum = object(object(fields['aggregates'], 'aggregates')['total'], 'total')
        return { name: text(fields, 'displayName'), amount: paise(sum) }
      }),
    }
    this.bills.push(fetched)
    return fetched
  }

  /** NPCI refuses a bill that was made in the future, or that is due before it was made. */
  #checkDays(bill: Fields): void {
    const made = Date.parse(text(bill, 'generatedOn'))
    const due = Date.parse(text(bill, 'dueDate'))
    if (!(made < due)) throw new Nonconforming('dueDate must come after generatedOn')
    if (made > this.now.getTime() + 1_000) throw new Nonconforming('generatedOn is in the future')
  }

  /** The network has taken the money; nobody has told the biller yet. */
  pay(
    bill: Pick<FetchedBill, 'platformBillID' | 'billerBillID' | 'amount'>,
    amount = bill.amount,
  ): UnitPayment {
    const reference = `PP${String(randomInt(1e12)).padStart(12, '0')}${randomUUID().slice(0, 6).toUpperCase()}`
    const { platformBillID, billerBillID } = bill
    const body = {
      platformBillID,
      billerBillID,
      paymentDetails: {
        amountPaid: { value: amount, currencyCode: 'INR' },
        billAmount: { value: bill.amount, currencyCode: 'INR' },
        platformTransactionRefID: randomUUID(),
        uniquePaymentRefID: reference,
        instrument: 'UPI',
        additionalInfo: null,
        transactionNote: '',
        transactionTimestamp: this.now.toISOString(),
        campaignID: '',
      },
    }
    this.payments.push({ body, platformBillID, reference, amount, receipt: null, isSettled: false })
    return { body, platformBillID, reference, amount }
  }

  /** Posts a payment, as often as it is asked to; the same body each time. */
  async post({ body, reference }: UnitPayment): Promise<string> {
    const said = await this.call('/bills/fetchReceipt', body)
    if (said.status !== 200) return codeOf(said)
    const receipt = object(object(said.body['data'], 'data')['receipt'], 'data.receipt')
    if (Number.isNaN(Date.parse(text(receipt, 'date')))) throw new Nonconforming('receipt.date is no moment')
    const id = text(receipt, 'id')
    const known = this.payments.find(one => one.reference === reference)
    if (known !== undefined) known.receipt = id
    return id
  }

  /** What the unit tells when it has paid these out, less its charge. */
  payOut(payments: readonly Pick<UnitPayment, 'platformBillID' | 'amount'>[], charge = 0): Fields {
    const sum = payments.reduce((all, { amount }) => all + amount, 0)
    for (const one of this.payments)
      if (payments.some(({ platformBillID }) => platformBillID === one.platformBillID)) one.isSettled = true
    return {
      partnerDetails: { appID: randomUUID(), productInstanceID: randomUUID() },
      events: [
        {
          id: randomUUID(),
          type: 'BILL_SETTLEMENT_STATUS',
          timeStamp: this.now.getTime(),
          data: {
            amountSettled: { currencyCode: 'INR', value: sum - charge },
            platformBillIds: [...new Set(payments.map(({ platformBillID }) => platformBillID))],
            status: 'SETTLEMENT_SUCCESSFUL',
            transactionId: `CMS${randomInt(1e12)}`,
          },
        },
      ],
    }
  }

  async notify(notice: Fields): Promise<void> {
    const said = await this.call('/notifications', notice)
    if (said.status !== 200) throw new Nonconforming(`a notice was answered with ${codeOf(said)}`)
  }
}

function codeOf({ status, body }: Said): string {
  if (body['success'] !== false || body['status'] !== status)
    throw new Nonconforming('a failure says its status and `success: false`')
  const error = object(body['error'], 'error')
  for (const key of ['title', 'detail', 'traceID']) text(error, key)
  return text(error, 'code')
}

function object(value: unknown, at: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Nonconforming(`${at} is no object`)
  return value as Fields
}

function text(fields: Fields, key: string): string {
  const value = fields[key]
  if (typeof value !== 'string' || value === '') throw new Nonconforming(`${key} is no text`)
  return value
}

function paise({ value, currencyCode }: Fields): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || currencyCode !== 'INR')
    throw new Nonconforming('an amount is a whole number of paise, in INR')
  return value
}
