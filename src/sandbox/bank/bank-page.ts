import { PAYMENT_MODES } from '../../payments/payments.rules.ts'
import type { PaymentMode } from '../../providers/port.ts'
import type { BankAct } from './simulator.rules.ts'
import { formatRupees, toRupees, type Paise } from '../../platform/money.ts'
import { drawQr, PAYEE, upiLink } from '../qr.ts'

/** What the sandbox bank's page shows, and what its fields make of a payment. */
type PaymentAtBank = { ref: string; amountPaise: Paise; mode: string; state: string; returnUrl: string }
type Deed = Pick<BankAct, 'outcome' | 'failureCode'>

const LABELS: Record<PaymentMode, string> = { upi: 'UPI', card: 'Card', netbanking: 'Net banking' }

const APPROVES: Deed = { outcome: 'success' }
const DECLINES: Deed = { outcome: 'failure', failureCode: 'bank_declined' }
const IS_SHORT: Deed = { outcome: 'failure', failureCode: 'insufficient_funds' }
const WAITS: Deed = { outcome: 'pending' }

const BUTTONS = new Map<string, Deed>([
  ['success', APPROVES],
  ['pending', WAITS],
  ['failure', DECLINES],
  ['cancel', { outcome: 'failure', failureCode: 'payer_cancelled' }],
])

const CARDS = [
  { number: '4111 1111 1111 1111', says: 'Succeeds', deed: APPROVES },
  { number: '4000 0000 0000 0002', says: 'Is declined', deed: DECLINES },
  { number: '4000 0000 0000 9995', says: 'Not enough money', deed: IS_SHORT },
]

const BANKS = [
  { code: 'yes', name: 'Test Bank (approves)', deed: APPROVES },
  { code: 'slow', name: 'Slow Test Bank (stays pending)', deed: WAITS },
  { code: 'no', name: 'Strict Test Bank (declines)', deed: DECLINES },
  { code: 'short', name: 'Empty Test Bank (not enough money)', deed: IS_SHORT },
]

const STATES: Record<string, string> = {
  pending: 'The bank is still working on this payment. There is nothing to do here.',
  captured: 'This payment is done: the bank has approved it.',
  failed: 'This payment has ended without success. No money has moved.',
}

const CARD_PROBLEM = 'This is not one of the test cards below. It was not kept.'

export function modeOf(text: unknown): PaymentMode | undefined {
  return PAYMENT_MODES.find(mode => mode === text)
}

/**
 * What a posted form asks of the bank. A button alone decides; a card number or a bank beside it decides what its
 * yes becomes. The number is compared and forgotten: it is never stored, logged or shown again.
 */
export function readDeed(field: (name: string) => string | undefined): Deed | 'unknown' | 'unknown card' {
  const pressed = BUTTONS.get(field('outcome') ?? 'success')
  if (pressed === undefined) return 'unknown'
  if (pressed !== APPROVES) return pressed
  const digits = (field('card_number') ?? '').replaceAll(/[\s-]/g, '')
  if (digits !== '') {
    const card = CARDS.find(({ number }) => number.replaceAll(' ', '') === digits)
    return card?.deed ?? 'unknown card'
  }
  const bank = field('bank')
  if (bank === undefined) return pressed
  return BANKS.find(({ code }) => code === bank)?.deed ?? 'unknown'
}

export async function describeBankPage(
  payment: PaymentAtBank,
  options: { mode: PaymentMode | undefined; isCardUnknown?: boolean },
): Promise<Record<string, unknown>> {
  const mode = options.mode ?? modeOf(payment.mode) ?? 'upi'
  const intent = intentOf(payment)
  return {
    heading: 'Sandbox bank',
    amount: formatRupees(payment.amountPaise),
    stateText: payment.state === 'open' ? undefined : STATES[payment.state],
    returnUrl: payment.returnUrl,
    reference: payment.ref,
    mode,
    ways: PAYMENT_MODES.map(value => ({ value, label: LABELS[value], isChosen: value === mode })),
    intent,
    payee: PAYEE,
    qr: mode === 'upi' ? await drawQr(intent) : undefined,
    cards: CARDS,
    cardProblem: options.isCardUnknown === true ? CARD_PROBLEM : undefined,
    banks: BANKS,
  }
}

function intentOf({ ref, amountPaise }: PaymentAtBank): string {
  return upiLink('pay', {
    pa: PAYEE,
    pn: 'Sandbox bank TEST',
    tr: ref,
    tn: 'Test, not a real payment',
    am: toRupees(amountPaise).toFixed(2),
    cu: 'INR',
  })
}
