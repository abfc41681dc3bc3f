import { csvText } from '../../../../src/platform/csv.rules.ts'

/** Exports the rows shown, as CSV that spreadsheets open correctly. */
export function downloadCsv(
  name: string,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const text = [headings, ...rows].map(cells => cells.map(cell).join(',')).join('\r\n')
  // Excel takes a file for UTF-8 only if it begins with the mark.
  const url = URL.createObjectURL(new Blob([`\uFEFF${text}\r\n`], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${name}.csv`
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** Numbers stay what they are, those below zero too. */
function cell(text: string): string {
  const isNumber = /^-?[\d,.]*\d$/.test(text)
  return isNumber && text.includes(',') ? `"${text}"` : isNumber ? text : csvText(text)
}
