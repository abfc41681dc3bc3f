import type { ProviderValues } from './port.ts'

export function valueOf(values: ProviderValues, field: string): string {
  const value = values[field]
  if (value === undefined) throw new Error(`${field} is not set`)
  return value
}
