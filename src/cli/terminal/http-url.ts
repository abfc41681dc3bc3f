import { InputError } from './failures.ts'

export function readHttpUrl(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text
  throw new InputError(`"${text}" is not an address: write one such as http://127.0.0.1:3000/hooks.`)
}
