import type { BankMandate, MandateAct } from './mandates.rules.ts'
import { INDIA, startOfDay } from '../../platform/calendar.ts'
import { formatRupees, toRupees } from '../../platform/money.ts'
import { drawQr, PAYEE, upiLink } from '../qr.ts'

/** What the sandbox bank's page of a mandate shows, and what its buttons ask of the bank. */
const ACTS: readonly MandateAct[] = ['approve', 'approve_in_vain', 'decline', 'revoke']

const WAYS = [
  { value: 'netbanking', label: 'Net banking', isChosen: true },
  { value: 'debit_card', label: 'Debit card', isChosen: false },
  { value: 'aadhaar', label: 'Aadhaar', isChosen: false },
]

const STATES: Record<BankMandate['state'], string | undefined> = {
  open: undefined,
  authorised: 'You have approved this mandate. Your bank confirms it on the next working day.',
  active: 'This mandate is active: the bank debits what it is asked for, up to the limit.',
  rejected: 'This mandate was not set up. Nothing can be debited.',
  cancelled: 'This mandate has ended. Nothing more can be debited.',
}

export function mandateActOf(text: string | undefined): MandateAct | undefined {
  return ACTS.find(act => act === text)
}

export async function describeMandatePage(
  mandate: BankMandate,
  merchant: string,
): Promise<Record<string, unknown>> {
  const isUpi = mandate.rail === 'upi_autopay'
  const intent = intentOf(mandate, merchant)
  return {
    heading: isUpi ? 'Approve UPI Autopay' : 'Approve an eNACH mandate',
    merchant,
    description: mandate.description,
    cap: formatRupees(mandate.capPaise),
    from: localDay(mandate.startOn),
    until: localDay(mandate.endOn),
    number: mandate.umrn ?? mandate.upiReference ?? undefined,
    numberName: isUpi ? 'UPI reference' : 'UMRN',
    stateText: STATES[mandate.state],
    canRevoke: mandate.state === 'authorised' || mandate.state === 'active',
    returnUrl: mandate.returnUrl,
    reference: mandate.ref,
    isUpi,
    intent,
    qr: isUpi && mandate.state === 'open' ? await drawQr(intent) : undefined,
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

function intentOf(mandate: BankMandate, merchant: string): string {
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
