const CURSOR = /^(\d{1,15})-(\d{1,6})$/

/** Which transfer a page ended with; null when it is not such a cursor. */
export function parseLedgerCursor(text: string): { postingId: number; lineNo: number } | null {
  const [, postingId, lineNo] = CURSOR.exec(text) ?? []
  if (postingId === undefined || lineNo === undefined) return null
  return { postingId: Number(postingId), lineNo: Number(lineNo) }
}

export const STATUSES = ['mismatched', 'expected', 'matched'] as const
export type ReconciliationStatus = (typeof STATUSES)[number]
