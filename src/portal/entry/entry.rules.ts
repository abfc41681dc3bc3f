export const PRODUCTS = ['flex', 'pay', 'cred'] as const
export type Product = (typeof PRODUCTS)[number]

export type Destination = { studentId: string | null; product: Product | null; callbackUrl: string | null }

/** Prevents misleading links: https only (http in a sandbox), no credentials or control characters. */
export function isAllowedReturnUrl(text: string, mode: 'sandbox' | 'live'): boolean {
  const url = /[\p{C}\s]/u.test(text) ? null : URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '' || url.hostname === '') return false
  return url.protocol === 'https:' || (mode === 'sandbox' && url.protocol === 'http:')
}

export function pathOfStudent(studentId: string): string {
  return `/parents/students/${studentId}`
}

/** Without a student, the list of children. */
export function pathOf(studentId: string | null, product: Product | null): string {
  if (studentId === null) return '/parents'
  const path = pathOfStudent(studentId)
  if (product === 'flex') return `${path}/plan`
  return product === 'cred' ? `${path}/cred` : path
}
