/** Rupees as Indians group them. The API speaks rupees with two decimals. */
const EXACT = new Intl.NumberFormat('en-IN', { style: 'currency', currency: 'INR', minimumFractionDigits: 2 })
const WHOLE = new Intl.NumberFormat('en-IN')

/** ₹1,23,456.50 */
export function formatRupees(rupees: number): string {
  return EXACT.format(rupees)
}

/** Added as paise, because fractions of a rupee do not add up exactly. */
export function sumRupees(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + Math.round(amount * 100), 0) / 100
}

/** 1,23,456 */
export function formatCount(count: number): string {
  return WHOLE.format(count)
}

/** 1 student, 1,234 students */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

const STEPS = [
  { from: 1e7, unit: 'Cr' },
  { from: 1e5, unit: 'L' },
  { from: 1e3, unit: 'K' },
] as const

/** ₹1.2 L, ₹3 Cr: for the axis of a chart, where the exact amount has no room. */
export function formatShortRupees(rupees: number): string {
  const step = STEPS.find(({ from }) => Math.abs(rupees) >= from)
  const sign = rupees < 0 ? '-₹' : '₹'
  if (step === undefined) return sign + WHOLE.format(Math.abs(rupees))
  const value = Math.round((Math.abs(rupees) / step.from) * 100) / 100
  return `${sign}${WHOLE.format(value)} ${step.unit}`
}

export function Money({ rupees }: { rupees: number }) {
  return <span className="money nowrap">{formatRupees(rupees)}</span>
}

/** A bank was asked for this part of what is owed, or a lender has promised it, so nobody is asked for it again. */
export function OnTheWay({ rupees }: { rupees: number }) {
  return rupees > 0 && <div className="faint nowrap">{formatRupees(rupees)} on the way</div>
}
