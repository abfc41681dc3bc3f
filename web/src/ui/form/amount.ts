/** Amounts as people in India type them: 1,23,456.50, ₹ 500, Rs. 500/-. Nothing here knows of the page. */

const SIGN = /^(?:₹|rs\.?|inr)\s*(?=[\d.])/i
const ONLY = / ?\/[-=]$/
/** Commas between groups alone: of 1234,50 nobody knows whether paise or a slip are meant. */
const GROUPED = /^\d{1,3}(,\d{2,3})*,\d{3}(\.\d{0,2})?$/
const PLAIN = /^\d+(\.\d{1,2})?$/
/** What stands in the field before the first digit comes. */
const BEGINNING = /^(?:₹|rs?\.?|inr?|i)?\s*\.?$/i

/** The bare number that the API takes. What is no amount stays as it was typed, and the API says that it is none. */
export function plainAmount(typed: string): string {
  const bare = typed
    .replaceAll(/\s/g, '')
    .replace(SIGN, '')
    .replace(/\/[-=]?$/, '')
  const plain = GROUPED.test(bare) ? bare.replaceAll(',', '') : bare
  return plain.replace(/^\./, '0.').replace(/\.$/, '')
}

/** What it comes to in sums; what is no amount comes to nothing, and its field says so. */
export function rupeesOf(typed: string): number {
  const plain = plainAmount(typed)
  return PLAIN.test(plain) ? Number(plain) : 0
}

/** 1,23,456.50; what is no amount stays as it is. */
export function groupAmount(amount: string): string {
  const plain = plainAmount(amount)
  return PLAIN.test(plain) ? groupDigits(plain) : amount
}

/** Whether an amount stands there, nothing at all, or what an amount begins with. */
export function isAmountSoFar(typed: string): boolean {
  return BEGINNING.test(typed) || PLAIN.test(plainAmount(typed))
}

/**
 * What the field shows after a change, and where the caret stands: behind as many digits as before. One key more or less is
 * grouped anew; what was pasted only if it is an amount as it stands.
 */
export function regroup(before: string, typed: string, caret: number): { text: string; caret: number } {
  const bare = typed.replace(SIGN, '').replace(ONLY, '')
  const isNumber = /^[\d,]*(\.\d*)?$/.test(bare)
  if (!isNumber || !(isOneKey(before, typed) || PLAIN.test(plainAmount(bare)))) return { text: typed, caret }
  const text = groupDigits(bare.replaceAll(',', ''))
  return { text, caret: behindDigits(text, digitsIn(typed.slice(0, caret))) }
}

/** One sign more, less, or another. */
function isOneKey(before: string, typed: string): boolean {
  let at = 0
  while (at < before.length && before[at] === typed[at]) at++
  const [was, is] = [before.slice(at), typed.slice(at)]
  return was.slice(1) === is || was === is.slice(1) || was.slice(1) === is.slice(1)
}

/** Three digits, and before them two by two. */
function groupDigits(plain: string): string {
  const [whole = '', ...paise] = plain.split('.')
  const groups = [whole.slice(-3)]
  for (let end = whole.length - 3; end > 0; end -= 2) groups.unshift(whole.slice(Math.max(0, end - 2), end))
  return [groups.join(','), ...paise].join('.')
}

function digitsIn(text: string): number {
  return text.replace(SIGN, '').replaceAll(/[^\d.]/g, '').length
}

function behindDigits(text: string, count: number): number {
  let left = count
  let at = 0
  for (; left > 0 && at < text.length; at++) if (text[at] !== ',') left -= 1
  return at
}
