import type { SendChannel } from '../../../orders/link-messages.texts.ts'
import type { Language } from '../../../platform/languages.ts'

/** How payers are notified of their links; chosen when the file is started. Without a language each in its own. */
export type LinkOptions = { channels: SendChannel[]; language: Language | null }

export const LINK_FILE_BYTES = 5_000_000

export const LINK_FILE_STATES = ['checked', 'running', 'done', 'stopped', 'cancelled'] as const

/** The same row again within this time is the same link; a row with a reference of its own is so for ever. */
const REPEAT_MS = 7 * 86_400_000

export function repeatsAfter(now: Date): Date {
  return new Date(now.getTime() - REPEAT_MS)
}

type Counted = { totalRows: number; badRows: number; failedRows: number; knownRows: number }

/** How many links starting it makes, as far as is known. */
export function newLinks({ totalRows, badRows, failedRows, knownRows }: Counted): number {
  return totalRows - (badRows - failedRows) - knownRows
}

const MAX_NAME = 120

/** What the file is called in lists and in the name of its report: no folder, nothing that breaks a header. */
export function tidyName(name: string | undefined): string {
  const plain = (name ?? '').replaceAll(/[\p{C}"\\/;]+/gu, ' ').trim()
  return Array.from(plain).slice(0, MAX_NAME).join('') || 'links'
}
