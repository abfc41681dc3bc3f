import { randomFillSync } from 'node:crypto'

/**
 * Prefixed ids such as `order_01k9…`: the microsecond and 75 random bits in base 32, so they sort by creation and
 * cannot be guessed. Randomness is drawn for many ids at once: every request makes some.
 */
export type IdPrefix =
  | 'order'
  | 'student'
  | 'user'
  | 'wh'
  | 'evt'
  | 'dlv'
  | 'msg'
  | 'pay'
  | 'pa'
  | 'va'
  | 'rfd'
  | 'stl'
  | 'bank'
  | 'plan'
  | 'inst'
  | 'mdt'
  | 'loan'
  | 'disb'
  | 'dsp'
  | 'lend'
  | 'page'
  | 'late'
  | 'acct'
  | 'dep'
  | 'stmt'
  | 'line'
  | 'report'
  | 'fetch'
  | 'check'
  | 'imp'
  | 'roll'
  | 'batch'
  | 'staff'
  | 'sess'
  | 'pkey'
  | 'tok'
  | 'login'
  | 'code'
  | 'invite'
  | 'audit'
  | 'run'
  | 'rem'
  | 'apr'
  | 'given'
  | 'view'
  | 'move'
  | 'family'
  | 'take'
  | 'drawer'
  | 'pdc'
  | 'lvg'
  | 'adv'
  | 'opt'
  | 'bill'
  | 'enr'
  | 'req'
  | 'key_live'
  | 'key_test'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_CHARACTERS = 11
const RANDOM_CHARACTERS = 15
const POOL = Buffer.alloc(RANDOM_CHARACTERS * 256)
let used = POOL.length
let lastMicros = 0

export function newId(prefix: IdPrefix): string {
  // The clock tells milliseconds; counting up within one keeps the ids of a process in order.
  lastMicros = Math.max(lastMicros + 1, Date.now() * 1_000)
  return `${prefix}_${encodeTime(lastMicros)}${drawRandom()}`
}

/** Below every id of this prefix that was made at that moment or later: ids sort by creation. */
export function firstIdAt(prefix: IdPrefix, moment: Date): string {
  return `${prefix}_${encodeTime(moment.getTime() * 1_000)}`
}

/** The ids in a text as if they had been made that much later; their order and their random part stay. */
export function moveIds(text: string, byMs: number): string {
  return text.replaceAll(
    /_([0-9a-hjkmnp-tv-z]{11})(?=[0-9a-hjkmnp-tv-z]{15}(?![0-9a-z]))/g,
    (_, time: string) => `_${encodeTime(decodeTime(time) + byMs * 1_000)}`,
  )
}

/** When an id was made, by the clock of its process; null when it is none of ours. */
export function momentOf(id: string): Date | null {
  const time = /_([0-9a-hjkmnp-tv-z]{11})/.exec(id)?.[1]
  if (time === undefined) return null
  const moment = new Date(Math.floor(decodeTime(time) / 1_000))
  return Number.isNaN(moment.getTime()) ? null : moment
}

function decodeTime(time: string): number {
  let micros = 0
  for (const character of time) micros = micros * 32 + ALPHABET.indexOf(character)
  return micros
}

function encodeTime(micros: number): string {
  let text = ''
  // Within what its characters and a number can hold: a filter may name the year 9999.
  let rest = Math.min(Math.max(0, micros), Number.MAX_SAFE_INTEGER)
  for (let i = 0; i < TIME_CHARACTERS; i++) {
    text = ALPHABET.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/** One random byte a character, of which five bits count. */
function drawRandom(): string {
  if (used === POOL.length) {
    randomFillSync(POOL)
    used = 0
  }
  let text = ''
  for (const end = used + RANDOM_CHARACTERS; used < end; used++)
    text += ALPHABET.charAt(POOL.readUInt8(used) & 31)
  return text
}

const PATH_ID = /^[A-Za-z0-9_.-]{1,64}$/

/** Whether a text can be an id at all; one that can may still name nothing. */
export function isIdShaped(text: string): boolean {
  return PATH_ID.test(text)
}
