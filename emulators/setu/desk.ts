import type { Clock } from '../clock.ts'
import { button, escape, list, page } from '../page.ts'
import { startServer, textOf, type EmulatorAnswer, type SeenRequest, type Server } from '../server.ts'
import { SetuUnit, type FetchedBill, type UnitPayment, type UnitSettings } from './unit.ts'

type DeskOptions = Omit<UnitSettings, 'clock'> & { port?: number; clock: Clock }

/**
 * An app's section of bills on one page, and the unit behind it: payments are posted when the person says so, so as late, as often and
 * in whatever order one likes.
 */
export async function startDesk({ port, clock, ...settings }: DeskOptions): Promise<Server> {
  const unit = new SetuUnit({ ...settings, clock })
  let said = ''
  const act = async (form: SeenRequest['body']): Promise<string> => {
    const on = textOf(form, 'on')
    const bill = unit.bills.find(({ platformBillID }) => platformBillID === on)
    const payment = unit.payments.find(({ reference }) => reference === on)
    switch (textOf(form, 'do')) {
      case 'fetch':
        return describe(await unit.fetchBill(identifiersOf(form)))
      case 'pay':
        return bill === undefined
          ? 'No such bill.'
          : `Taken, and not posted: ${unit.pay(bill, amountOf(form, bill)).reference}`
      case 'post':
        return payment === undefined ? 'No such payment.' : `Bursar answered ${await unit.post(payment)}`
      case 'post at once three times':
        return payment === undefined
          ? 'No such payment.'
          : `Bursar answered ${await postThrice(unit, payment)}`
      case 'pay out':
        return payOut(unit)
      default:
        return ''
    }
  }
  return startServer(
    async (request): Promise<EmulatorAnswer> => {
      if (request.method !== 'POST') return { status: 200, body: render(unit, said) }
      said = await act(request.body).catch((error: unknown) => `It failed: ${(error as Error).message}`)
      return { status: 303, location: '/' }
    },
    { port, clock },
  )
}

function identifiersOf(form: SeenRequest['body']): Record<string, string> {
  const all = ['admission_number', 'date_of_birth', 'phone'].map(name => [name, textOf(form, name).trim()])
  return Object.fromEntries(all.filter(([, value]) => value !== '')) as Record<string, string>
}

/** Rupees as typed; all of the bill where nothing is. */
function amountOf(form: SeenRequest['body'], bill: FetchedBill): number {
  const paise = Math.round(Number(textOf(form, 'amount')) * 100)
  return Number.isFinite(paise) && paise > 0 ? paise : bill.amount
}

function describe(found: FetchedBill | string): string {
  return typeof found === 'string'
    ? `The app shows: ${found}`
    : `The app shows ${rupees(found.amount)} for ${found.customer}`
}

async function postThrice(unit: SetuUnit, payment: UnitPayment): Promise<string> {
  return (await Promise.all([1, 2, 3].map(() => unit.post(payment)))).join(', ')
}

async function payOut(unit: SetuUnit): Promise<string> {
  const due = unit.payments.filter(({ isSettled }) => !isSettled)
  if (due.length === 0) return 'There is nothing to pay out.'
  await unit.notify(unit.payOut(due))
  return `Paid out ${due.length}.`
}

const rupees = (paise: number): string =>
  `₹${(paise / 100).toLocaleString('en-IN', { minimumFractionDigits: 2 })}`

function render(unit: SetuUnit, said: string): string {
  return page('Setu', 'Bills', [
    said === '' ? '' : `<p><strong>${escape(said)}</strong></p>`,
    `<form method="post"><input type="hidden" name="do" value="fetch">
<p><label>Admission number <input name="admission_number" required></label>
<p><label>Date of birth <input name="date_of_birth" placeholder="20-06-2015"></label> or <label>phone <input name="phone"></label>
<button>See the bill</button></form>`,
    list('Bills', unit.bills, billLine),
    list('Payments', unit.payments, paymentLine),
    button('', 'pay out', 'Pay out everything that is not paid out'),
  ])
}

function billLine({ platformBillID: id, customer, amount, exactness }: FetchedBill): string {
  return `${escape(customer)}, ${rupees(amount)}, ${exactness}
<form method="post"><input type="hidden" name="on" value="${id}"><label>₹ <input name="amount" size="8"></label><button name="do" value="pay">Pay</button></form>`
}

function paymentLine({ reference, amount, receipt, isSettled }: SetuUnit['payments'][number]): string {
  const state = `${receipt === null ? 'not posted' : `receipt ${escape(receipt)}`}${isSettled ? ', paid out' : ''}`
  return `${reference}, ${rupees(amount)}, ${state} ${button(reference, 'post', 'Post', '/')} ${button(reference, 'post at once three times', 'Post three times', '/')}`
}
