import { toRupees, type Paise } from '../platform/money.ts'

/** What a UPI app reads off a QR code: whom to pay, exactly how much, and what to write beside it. */
export function upiLink(of: { upiId: string; holder: string; amountPaise: Paise; note: string }): string {
  const values = {
    pa: of.upiId,
    pn: of.holder,
    am: toRupees(of.amountPaise).toFixed(2),
    cu: 'INR',
    tn: of.note,
  }
  // Apps take no plus for a blank, which URLSearchParams would write.
  const query = Object.entries(values).map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
  return `upi://pay?${query.join('&')}`
}
