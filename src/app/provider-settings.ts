import { PROVIDERS } from '../providers/catalogue.ts'
import type { ProviderValues } from '../providers/port.ts'

export type ProviderSettings = ReadonlyMap<string, ProviderValues>

/** The providers whose settings are all there; one with only some of them is a problem to mend. */
export function readProviders(get: (name: string) => string | null, lines: string[]): ProviderSettings {
  const found = new Map<string, ProviderValues>()
  for (const [provider, { settings }] of Object.entries(PROVIDERS)) {
    const values = settings.flatMap(({ name }) => {
      const value = get(name)
      return value === null ? [] : [[name, value] as const]
    })
    if (values.length === settings.length) found.set(provider, Object.fromEntries(values))
    else if (values.length > 0) {
      const names = new Intl.ListFormat('en-GB').format(settings.map(({ name }) => name))
      lines.push(`${names} go together; set all or none.`)
    }
  }
  return found
}
