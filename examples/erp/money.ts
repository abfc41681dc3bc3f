/** Rupees as the SDK has them ('51500.50') in paise: exact, as whole numbers are. */
export function toPaise(rupees: string | number): number {
  const [whole = '0', fraction = ''] = String(rupees).split('.')
  return Number(whole) * 100 + Number(fraction.padEnd(2, '0'))
}

export function toRupees(paise: number): string {
  return `${Math.trunc(paise / 100)}.${String(paise % 100).padStart(2, '0')}`
}
