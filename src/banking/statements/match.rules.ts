import { daysBetween } from '../../platform/calendar.ts'
import type { Paise } from '../../platform/money.ts'

export const EXPECTED_KINDS = [
  'settlement',
  'deposit',
  'cheque',
  'cheque_return',
  'transfer',
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
}

export type OpenLine = {
  id: string
  day: string
  amountPaise: Paise
  text: string
  reference: string | null
}

export type Match = { lineId: string; kind: ExpectedKind; id: string }

/** How many days a booking may lie before and after what it is matched with. */
const BY_REFERENCE = { before: 5, after: 30 }
const BY_AMOUNT = { before: 0, after: 7 }
/** Shorter ones stand in too many texts by chance. */
const LEAST_REFERENCE = 6

/**
 * Only what leaves no doubt: the same amount with the reference in the line's text; else a deposit whose amount no other
 * line and no other deposit of those days has. The order of either list does not matter.
 */
export function matchLines(lines: readonly OpenLine[], expected: readonly Expected[]): Match[] {
  const byReference = pairUp(lines, expected, isByReference)
  const taken = new Set(byReference.map(({ lineId }) => lineId))
  const used = new Set(byReference.map(match => keyOf(match)))
  const slips = usedSlips(byReference, expected)
  const isLeft = (one: Expected): boolean =>
    !used.has(keyOf(one)) && !slips.has(slipOf(one) ?? '') && one.kind !== 'transfer'
  const byAmount = pairUp(
    lines.filter(line => !taken.has(line.id)),
    expected.filter(isLeft),
    isByAmount,
  )
  return withoutDoubleSlips([...byReference, ...byAmount], expected)
}

type Fits = (line: OpenLine, expected: Expected) => boolean

/** Pairs in which each side fits the other alone. */
function pairUp(lines: readonly OpenLine[], expected: readonly Expected[], fits: Fits): Match[] {
  const byAmount = Map.groupBy(expected, one => one.amountPaise)
  const pairs = lines.flatMap(line =>
    (byAmount.get(line.amountPaise) ?? []).filter(one => fits(line, one)).map(one => ({ line, one })),
  )
  const ofLine = Map.groupBy(pairs, ({ line }) => line.id)
  const ofExpected = Map.groupBy(pairs, ({ one }) => keyOf(one))
  return pairs
    .filter(({ line, one }) => ofLine.get(line.id)?.length === 1 && ofExpected.get(keyOf(one))?.length === 1)
    .map(({ line, one }) => ({ lineId: line.id, kind: one.kind, id: one.id }))
}

function isByReference(line: OpenLine, { reference, day, kind }: Expected): boolean {
  if (reference === null || !isWithin(line.day, day, BY_REFERENCE)) return false
  const isCheque = kind === 'cheque' || kind === 'cheque_return'
  return isCheque ? hasNumber(line, reference) : hasReference(line, reference)
}

function isByAmount(line: OpenLine, { kind, day }: Expected): boolean {
  return kind === 'deposit' && isWithin(line.day, day, BY_AMOUNT)
}

function isWithin(booked: string, expected: string, { before, after }: typeof BY_AMOUNT): boolean {
  const days = daysBetween(expected, booked)
  return days >= -before && days <= after
}

function hasReference({ text, reference }: OpenLine, wanted: string): boolean {
  const sought = squeeze(wanted)
  if (sought.length < LEAST_REFERENCE) return false
  return squeeze(text).includes(sought) || squeeze(reference ?? '').includes(sought)
}

/** As a number of its own, with or without the zeros before it. */
function hasNumber({ text, reference }: OpenLine, wanted: string): boolean {
  const sought = wanted.replaceAll(/\D/g, '').replace(/^0+/, '')
  if (sought.length < 3) return false
  const numbers = `${reference ?? ''} ${text}`.match(/\d+/g) ?? []
  return numbers.some(number => number.replace(/^0+/, '') === sought)
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

function keyOf({ kind, id }: { kind: ExpectedKind; id: string }): string {
  return `${kind} ${id}`
}

function slipOf({ kind, id, depositId }: Expected): string | null {
  if (kind === 'deposit') return id
  return kind === 'cheque' ? depositId : null
}

function usedSlips(matches: readonly Match[], expected: readonly Expected[]): Set<string> {
  const byKey = new Map(expected.map(one => [keyOf(one), one]))
  const slips = matches.map(match => {
    const one = byKey.get(keyOf(match))
    return one === undefined ? null : slipOf(one)
  })
  return new Set(slips.filter(slip => slip !== null))
}

/** A slip and a cheque of it are the same money: where both were found the cheques stand. */
function withoutDoubleSlips(matches: readonly Match[], expected: readonly Expected[]): Match[] {
  const ofCheques = usedSlips(
    matches.filter(({ kind }) => kind === 'cheque'),
    expected,
  )
  return matches.filter(({ kind, id }) => kind !== 'deposit' || !ofCheques.has(id))
}
