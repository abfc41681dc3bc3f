import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BursarError } from '../../platform/errors.ts'
import { isIdShaped } from '../../platform/ids.ts'
import { formField, sendPage, sendWrongLink } from '../../portal/layout.ts'
import { actAtBank, actOnMandate, type SandboxPayments } from '../acts.service.ts'
import { getInstitutesById } from '../../institutes/institutes.service.ts'
import { PAYMENT_MODES } from '../../payments/payments.rules.ts'
import type { PaymentMode } from '../../providers/port.ts'
import type { BankAct, BankPayment, BankMandate, MandateAct } from './simulator.rules.ts'
import { formatRupees, toRupees, type Paise } from '../../platform/money.ts'
import { qrImage, upiLink } from '../../providers/upi.ts'
import { INDIA, startOfDay } from '../../platform/calendar.ts'

const PAYMENT_PATH = '/sandbox/bank/:institute_id/:ref'
const UPI_REFRESH_SECONDS = 20

async function show(
  reply: FastifyReply,
  payment: BankPayment,
  { status, ...options }: { mode: ReturnType<typeof modeOf>; status?: number; isCardUnknown?: boolean },
): Promise<FastifyReply> {
  const data = await describeBankPage(payment, options)
  return sendPage(reply, {
    template: 'bank',
    title: 'Sandbox bank',
    status: status ?? 200,
    language: 'en',
    hasSwitch: false,
    // A payer who scans the code with another device sees here that it is done.
    refreshSeconds: payment.state === 'open' && data['mode'] === 'upi' ? UPI_REFRESH_SECONDS : undefined,
    data,
  })
}

/** The sandbox bank's own page, where a person plays the payer and the bank at once. */
export function bankRoutes(app: FastifyInstance, sandbox: SandboxPayments): void {
  bankMandateRoutes(app, sandbox)
  const find = async (request: FastifyRequest) => {
    const { institute_id: id, ref } = request.params as { institute_id: string; ref: string }
    return /^\d{1,9}$/.test(id) && isIdShaped(ref) ? sandbox.bank.find(Number(id), ref) : null
  }

  app.get(PAYMENT_PATH, async (request, reply) => {
    const payment = await find(request)
    if (payment === null) return sendWrongLink(request, reply)
    return show(reply, payment, { mode: modeOf((request.query as { mode?: unknown }).mode) })
  })

  app.post(PAYMENT_PATH, async (request, reply): Promise<FastifyReply> => {
    const payment = await find(request)
    const deed = readDeed(name => formField(request, name))
    if (payment === null || deed === 'unknown') return sendWrongLink(request, reply)
    const mode = modeOf(formField(request, 'mode'))
    if (deed === 'unknown card')
      return show(reply, payment, { mode: 'card', status: 422, isCardUnknown: true })
    try {
      await actAtBank(sandbox, payment, { ...deed, mode })
    } catch (error) {
      // Done already, in another tab or by a second click: the way back is the same.
      if (!(error instanceof BursarError && error.code === 'HUE00002')) throw error
    }
    return reply.redirect(payment.returnUrl, 303)
  })
}

const MANDATE_PATH = '/sandbox/bank/mandates/:institute_id/:ref'

/** Where the payer allows debits, or does not. */
function bankMandateRoutes(app: FastifyInstance, sandbox: SandboxPayments): void {
  const find = async (request: FastifyRequest) => {
    const { institute_id: id, ref } = request.params as { institute_id: string; ref: string }
    return /^\d{1,9}$/.test(id) && isIdShaped(ref) ? sandbox.bank.findMandate(Number(id), { ref }) : null
  }

  app.get(MANDATE_PATH, async (request, reply) => {
    const mandate = await find(request)
    if (mandate === null) return sendWrongLink(request, reply)
    const [institute] = await getInstitutesById(sandbox.ctx, [mandate.instituteId])
    return sendPage(reply, {
      template: 'bank-mandate',
      title: 'Sandbox bank',
      language: 'en',
      hasSwitch: false,
      data: await describeMandatePage(mandate, institute?.name ?? ''),
    })
  })

  app.post(MANDATE_PATH, async (request, reply) => {
    const mandate = await find(request)
    const act = mandateActOf(formField(request, 'act'))
    if (mandate === null || act === undefined) return sendWrongLink(request, reply)
    try {
      await actOnMandate(sandbox, mandate, act)
    } catch (error) {
      // Done already, in another tab or by a second click: the way back is the same.
      if (!(error instanceof BursarError && error.code === 'HUE00002')) throw error
    }
    return reply.redirect(mandate.returnUrl, 303)
  })
}

/** What the sandbox bank's page shows, and what its fields make of a payment. */
type PaymentAtBank = { ref: string; amountPaise: Paise; mode: string; state: string; returnUrl: string }
type PayerChoice = Pick<BankAct, 'outcome' | 'failureCode'>

const LABELS: Record<PaymentMode, string> = { upi: 'UPI', card: 'Card', netbanking: 'Net banking' }

const APPROVES: PayerChoice = { outcome: 'success' }
const DECLINES: PayerChoice = { outcome: 'failure', failureCode: 'bank_declined' }
const IS_SHORT: PayerChoice = { outcome: 'failure', failureCode: 'insufficient_funds' }
const WAITS: PayerChoice = { outcome: 'pending' }

const BUTTONS = new Map<string, PayerChoice>([
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

const PAYMENT_STATES: Record<string, string> = {
  pending: 'The bank is still working on this payment. There is nothing to do here.',
  captured: 'This payment is done: the bank has approved it.',
  failed: 'This payment has ended without success. No money has moved.',
}

const CARD_PROBLEM = 'This is not one of the test cards below. It was not kept.'

function modeOf(text: unknown): PaymentMode | undefined {
  return PAYMENT_MODES.find(mode => mode === text)
}

/**
 * What a posted form asks of the bank. A button alone decides; a card number or a bank beside it decides what its
 * yes becomes. The number is compared and forgotten: it is never stored, logged or shown again.
 */
function readDeed(field: (name: string) => string | undefined): PayerChoice | 'unknown' | 'unknown card' {
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

async function describeBankPage(
  payment: PaymentAtBank,
  options: { mode: PaymentMode | undefined; isCardUnknown?: boolean },
): Promise<Record<string, unknown>> {
  const mode = options.mode ?? modeOf(payment.mode) ?? 'upi'
  const intent = paymentIntentOf(payment)
  return {
    heading: 'Sandbox bank',
    amount: formatRupees(payment.amountPaise),
    stateText: payment.state === 'open' ? undefined : PAYMENT_STATES[payment.state],
    returnUrl: payment.returnUrl,
    reference: payment.ref,
    mode,
    ways: PAYMENT_MODES.map(value => ({ value, label: LABELS[value], isChosen: value === mode })),
    intent,
    payee: PAYEE,
    qr: mode === 'upi' ? qrImage(intent) : undefined,
    cards: CARDS,
    cardProblem: options.isCardUnknown === true ? CARD_PROBLEM : undefined,
    banks: BANKS,
  }
}

function paymentIntentOf({ ref, amountPaise }: PaymentAtBank): string {
  return upiLink('pay', {
    pa: PAYEE,
    pn: 'Sandbox bank TEST',
    tr: ref,
    tn: 'Test, not a real payment',
    am: toRupees(amountPaise).toFixed(2),
    cu: 'INR',
  })
}

/** What the sandbox bank's page of a mandate shows, and what its buttons ask of the bank. */
const ACTS: readonly MandateAct[] = ['approve', 'approve_in_vain', 'decline', 'revoke']

const WAYS = [
  { value: 'netbanking', label: 'Net banking', isChosen: true },
  { value: 'debit_card', label: 'Debit card', isChosen: false },
  { value: 'aadhaar', label: 'Aadhaar', isChosen: false },
]

const MANDATE_STATES: Record<BankMandate['state'], string | undefined> = {
  open: undefined,
  authorised: 'You have approved this mandate. Your bank confirms it on the next working day.',
  active: 'This mandate is active: the bank debits what it is asked for, up to the limit.',
  rejected: 'This mandate was not set up. Nothing can be debited.',
  cancelled: 'This mandate has ended. Nothing more can be debited.',
}

function mandateActOf(text: string | undefined): MandateAct | undefined {
  return ACTS.find(act => act === text)
}

async function describeMandatePage(mandate: BankMandate, merchant: string): Promise<Record<string, unknown>> {
  const isUpi = mandate.rail === 'upi_autopay'
  const intent = mandateIntentOf(mandate, merchant)
  return {
    heading: isUpi ? 'Approve UPI Autopay' : 'Approve an eNACH mandate',
    merchant,
    description: mandate.description,
    cap: formatRupees(mandate.capPaise),
    from: localDay(mandate.startOn),
    until: localDay(mandate.endOn),
    number: mandate.umrn ?? mandate.upiReference ?? undefined,
    numberName: isUpi ? 'UPI reference' : 'UMRN',
    stateText: MANDATE_STATES[mandate.state],
    canRevoke: mandate.state === 'authorised' || mandate.state === 'active',
    returnUrl: mandate.returnUrl,
    reference: mandate.ref,
    isUpi,
    intent,
    qr: isUpi && mandate.state === 'open' ? qrImage(intent) : undefined,
    ways: WAYS,
  }
}

const DAY = new Intl.DateTimeFormat('en-IN', {
  timeZone: INDIA,
  day: 'numeric',
  month: 'long',
  year: 'numeric',
})

function localDay(day: string): string {
  return DAY.format(startOfDay(day))
}

/** 05112026, as UPI writes a day. */
function upiDay(day: string): string {
  return day.split('-').toReversed().join('')
}

function mandateIntentOf(mandate: BankMandate, merchant: string): string {
  return upiLink('mandate', {
    pa: PAYEE,
    pn: `${merchant} TEST`,
    tr: mandate.ref,
    tn: 'Test, not a real mandate',
    am: toRupees(mandate.capPaise).toFixed(2),
    cu: 'INR',
    amrule: 'MAX',
    recur: 'ASPRESENTED',
    validitystart: upiDay(mandate.startOn),
    validityend: upiDay(mandate.endOn),
  })
}

/** A handle that no bank has: an app that reads it finds nobody to pay. */
const PAYEE = 'test@bursarsandbox'
