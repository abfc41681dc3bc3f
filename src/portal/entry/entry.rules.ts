export const PRODUCTS = ['flex', 'pay', 'cred'] as const
export type Product = (typeof PRODUCTS)[number]

export type Destination = { studentId: string | null; product: Product | null; callbackUrl: string | null }

export function pathOfStudent(studentId: string): string {
  return `/parents/students/${studentId}`
}

/** Answers the list of children when no student is given. */
export function pathOf(studentId: string | null, product: Product | null): string {
  if (studentId === null) return '/parents'
  const path = pathOfStudent(studentId)
  if (product === 'flex') return `${path}/plan`
  return product === 'cred' ? `${path}/cred` : path
}
