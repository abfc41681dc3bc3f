import { DAY_MS } from '../../platform/calendar.ts'
import { MATCHING } from '../../platform/limits.rules.ts'
import type { Paise } from '../../platform/money.ts'

export const EXPECTED_KINDS = [
  'settlement',
  'deposit',
  'cheque',
  'cheque_return',
  'transfer',
  'refund',
  'lender',
] as const
export type ExpectedKind = (typeof EXPECTED_KINDS)[number]

/** Money that should stand on a statement; less than 0 for what the bank takes back. */
export type Expected = {
  kind: ExpectedKind
  id: string
  day: string
  amountPaise: Paise
  /** A UTR, the number of a cheque; what a person typed in for a transfer. */
  reference: string | null
  /** The slip that a cheque went with: the bank books the slip, or its cheques. */
  depositId: string | null
  /** The account on whose statement it stands; that of any where it is not known. */
  bankAccountId?: string | null
}

export type OpenLine = {
  id: string
  accountId?: string
  day: string
  amountPaise: Paise
  text: string
  reference: string | null
}

export type Match<Line, One> = { line: Line; one: One }

/** How many days a booking may lie before and after what it is matched with. */
type Window = { before: number; after: number }
const BY_REFERENCE: Window = { before: 5, after: 30 }
const BY_AMOUNT: Window = { before: 0, after: 7 }
/** Shorter ones stand in too many texts by chance. */
const LEAST_REFERENCE = 6
const LEAST_NUMBER = 3

type Steps<Result> = Generator<undefined, Result, undefined>

/**
 * Only what leaves no doubt: the same amount with the reference in the line's text; else a deposit whose amount no other
 * line and no other deposit of those days has. The order of either list does not matter. The time grows with the number of
 * lines and of what is expected, not with their product, whatever they say; requests come between the steps.
 */
export function* matchSteps<Line extends OpenLine, One extends Expected>(
  lines: readonly Line[],
  expected: readonly One[],
): Steps<Match<Line, One>[]> {
  const byReference = yield* pairUp(lines, yield* indexReferences(expected), BY_REFERENCE)
  const taken = new Set<OpenLine>(byReference.map(({ line }) => line))
  const used = new Set<Expected>(byReference.map(({ one }) => one))
  const slips = usedSlips(byReference)
  const deposits = new Map<Paise, NamedTogether<Line, One>>()
  for (const one of expected) {
    yield
    if (one.kind !== 'deposit' || used.has(one) || slips.has(one.id)) continue
    addTo(deposits, one.amountPaise, one)
  }
  const left = lines.filter(line => !taken.has(line))
  const byAmount = yield* pairUp(left, line => single(deposits.get(line.amountPaise)), BY_AMOUNT)
  return withoutDoubleSlips([...byReference, ...byAmount])
}

/** Expected items that the same lines name, such as all payments of an amount with one UTR, and those lines. */
type NamedTogether<Line, One> = { all: Dated<One>[]; lines: Dated<Line>[] }
type Dated<Item> = { day: number; item: Item }

/** Names the groups in which a line may find its match. */
type FindNamed<Line, One> = (line: Line) => Iterable<NamedTogether<Line, One>>

/** Pairs in which each side fits the other alone: they name each other, and their days are near. */
function* pairUp<Line extends OpenLine, One extends Expected>(
  lines: readonly Line[],
  find: FindNamed<Line, One>,
  { before, after }: Window,
): Steps<Match<Line, One>[]> {
  const found: { line: Line; day: number; named: readonly NamedTogether<Line, One>[] }[] = []
  const groups = new Set<NamedTogether<Line, One>>()
  for (const line of lines) {
    yield
    const named = [...find(line)]
    if (named.length === 0) continue
    const day = dayNumber(line.day)
    found.push({ line, day, named })
    for (const group of named) {
      group.lines.push({ day, item: line })
      groups.add(group)
    }
  }
  for (const group of groups) {
    yield
    group.all.sort((one, other) => one.day - other.day)
    group.lines.sort((one, other) => one.day - other.day)
  }
  const matches: Match<Line, One>[] = []
  for (const { line, day, named } of found) {
    yield
    let count = 0
    let only: Dated<One> | undefined
    let ofGroup: NamedTogether<Line, One> | undefined
    for (const group of named) {
      const [from, to] = within(group.all, day - after, day + before)
      count += to - from
      if (to > from) [only, ofGroup] = [group.all[from], group]
    }
    if (count !== 1 || only === undefined || ofGroup === undefined) continue
    const [from, to] = within(ofGroup.lines, only.day - before, only.day + after)
    if (to - from === 1) matches.push({ line, one: only.item })
  }
  return matches
}

/** The places of those from the first day to the last, which are sorted by their days. */
function within(sorted: readonly Dated<unknown>[], first: number, last: number): [from: number, to: number] {
  return [placeOf(sorted, first), placeOf(sorted, last + 1)]
}

/** How many come before the day. */
function placeOf(sorted: readonly Dated<unknown>[], day: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle]?.day ?? 0) < day) low = middle + 1
    else high = middle
  }
  return low
}

function dayNumber(day: string): number {
  return Date.parse(day) / DAY_MS
}

function addTo<Key, Line, One extends Expected>(
  groups: Map<Key, NamedTogether<Line, One>>,
  key: Key,
  one: One,
): void {
  const group = groups.getOrInsertComputed(key, () => ({ all: [], lines: [] }))
  group.all.push({ day: dayNumber(one.day), item: one })
}

function single<Item>(item: Item | undefined): Item[] {
  return item === undefined ? [] : [item]
}

/** References by their first characters, then by their length, so that a text is searched for all of them in one pass. */
type References<Line, One> = {
  byHead: Map<string, Map<number, Map<string, NamedTogether<Line, One>>>>
  byNumber: Map<string, NamedTogether<Line, One>>
}

function* indexReferences<Line extends OpenLine, One extends Expected>(
  expected: readonly One[],
): Steps<FindNamed<Line, One>> {
  const ofAmount = new Map<string, References<Line, One>>()
  for (const one of expected) {
    yield
    if (one.reference === null) continue
    const { byHead, byNumber } = ofAmount.getOrInsertComputed(
      placeKey(one.amountPaise, one.bankAccountId),
      () => ({
        byHead: new Map(),
        byNumber: new Map(),
      }),
    )
    if (one.kind === 'cheque' || one.kind === 'cheque_return') {
      const number = bareNumber(one.reference.replaceAll(/\D/g, ''))
      if (number.length >= LEAST_NUMBER) addTo(byNumber, number, one)
      continue
    }
    const sought = squeeze(one.reference)
    if (sought.length < LEAST_REFERENCE) continue
    const ofLength = byHead.getOrInsertComputed(sought.slice(0, LEAST_REFERENCE), () => new Map())
    addTo(
      ofLength.getOrInsertComputed(sought.length, () => new Map()),
      sought,
      one,
    )
  }
  return function* (line) {
    for (const accountId of line.accountId === undefined ? [null] : [null, line.accountId]) {
      const references = ofAmount.get(placeKey(line.amountPaise, accountId))
      if (references !== undefined) yield* namedIn(line, references)
    }
  }
}

function placeKey(amountPaise: Paise, accountId: string | null = null): string {
  return `${amountPaise} ${accountId ?? ''}`
}

/** A line that names more than so many bookings is a list of them; the rest of it is not searched. */
function namedIn<Line extends OpenLine, One>(
  line: Line,
  { byHead, byNumber }: References<Line, One>,
): Set<NamedTogether<Line, One>> {
  const named = new Set<NamedTogether<Line, One>>()
  for (const text of byHead.size === 0 ? [] : [squeeze(line.text), squeeze(line.reference ?? '')])
    for (let at = 0; at <= text.length - LEAST_REFERENCE; at++) {
      const ofLength = byHead.get(text.slice(at, at + LEAST_REFERENCE))
      if (ofLength === undefined) continue
      for (const [length, references] of ofLength) {
        const found = references.get(text.slice(at, at + length))
        if (found !== undefined) named.add(found)
      }
      if (named.size >= MATCHING.namedPerLine) return named
    }
  for (const number of byNumber.size === 0 ? [] : numbersIn(line)) {
    const found = byNumber.get(number)
    if (found !== undefined) named.add(found)
  }
  return named
}

/** The digits must stand alone in the text; leading zeros do not count. */
function hasNumber(line: OpenLine, wanted: string): boolean {
  const sought = bareNumber(wanted.replaceAll(/\D/g, ''))
  return sought.length >= LEAST_NUMBER && numbersIn(line).includes(sought)
}

function numbersIn({ text, reference }: OpenLine): string[] {
  return (`${reference ?? ''} ${text}`.match(/\d+/g) ?? []).map(bareNumber)
}

function bareNumber(digits: string): string {
  return digits.replace(/^0+/, '')
}

/**
 * Cheques whose return a debit may be: of its amount, and named by their number in its text. Where none is named, those that
 * are at the bank; a line that names another number is none of theirs to begin with.
 */
export function returnsOf<Cheque extends { number: string; state: string }>(
  line: OpenLine,
  cheques: readonly Cheque[],
): (Cheque & { isNamed: boolean })[] {
  const judged = cheques.map(cheque => ({ ...cheque, isNamed: hasNumber(line, cheque.number) }))
  const named = judged.filter(({ isNamed }) => isNamed)
  return named.length > 0 ? named : judged.filter(({ state }) => state !== 'in_hand')
}

function squeeze(text: string): string {
  return text.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
}

function slipOf({ kind, id, depositId }: Expected): string | null {
  if (kind === 'deposit') return id
  return kind === 'cheque' ? depositId : null
}

function usedSlips(matches: readonly Match<unknown, Expected>[]): Set<string> {
  return new Set(matches.map(({ one }) => slipOf(one)).filter(slip => slip !== null))
}

/** A slip and a cheque of it are the same money: where both were found the cheques stand. */
function withoutDoubleSlips<Line, One extends Expected>(
  matches: readonly Match<Line, One>[],
): Match<Line, One>[] {
  const ofCheques = usedSlips(matches.filter(({ one }) => one.kind === 'cheque'))
  return matches.filter(({ one }) => one.kind !== 'deposit' || !ofCheques.has(one.id))
}
