import { InputError } from './failures.ts'

export function readHttpUrl(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text
  throw new InputError(`"${text}" is not an address: write one that begins with http:// or https://.`)
}
