import { largestOf } from '../../platform/lists.ts'
const SHORTEST = 12
export const LONGEST_PASSWORD = 200
/** Below this a program that knows what people do finds it; a sentence of three words has 11 and more. */
const FEWEST_POINTS = 10
const WORD_POINTS = 3
const DIGIT_POINTS = 0.5
/** More beside a common word than people add to it: the rest counts by itself. */
const MOST_AROUND = 8

/** Whose password it is to be. */
export type PasswordOwner = { email: string; name: string; institutes: readonly string[] }

/** What is wrong with a new password, or null. Length is what counts; rules about symbols only make people write it down. */
export function passwordFlaw(
  password: string,
  owner: PasswordOwner,
  common: ReadonlySet<string>,
): string | null {
  const plain = toPlain(password)
  const length = Array.from(plain).length
  if (length < SHORTEST) return `needs at least ${SHORTEST} characters`
  if (length > LONGEST_PASSWORD) return `can have at most ${LONGEST_PASSWORD} characters`
  const [mailbox = ''] = owner.email.split('@')
  if (plain === owner.email || (mailbox.length >= 4 && plain.startsWith(mailbox) && length < 16))
    return 'is too close to your e-mail address'
  if (new Set(plain).size < 5) return 'is too easy to guess: use more different characters'
  // A text that repeats a part of it is found in itself, shifted.
  if ((plain + plain).indexOf(plain, 1) < plain.length) return 'is too easy to guess: it repeats itself'
  const letters = Array.from(plain).filter(isLetter).join('')
  const isOneWord = common.has(letters) && length - letters.length <= MOST_AROUND
  return isOneWord || pointsOf(plain, ownWords(owner), common) < FEWEST_POINTS
    ? 'is too easy to guess: use several words that have nothing to do with you or your institute'
    : null
}

function toPlain(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

function isLetter(character: string): boolean {
  return /^\p{L}$/u.test(character)
}

const OBVIOUS = [
  'password passwort passwd qwerty qwertz admin administrator letmein welcome iloveyou login master root user guest test',
  'demo school college bursar fees finance account accounts office india bharat hello secret changeme abc',
].flatMap(line => line.split(' '))

function ownWords({ email, name, institutes }: PasswordOwner): ReadonlySet<string> {
  const texts = [email.split('@')[0] ?? '', name, ...institutes]
  const words = texts.flatMap(text => toPlain(text).split(/[^\p{L}\p{M}\p{N}]/u))
  return new Set([...OBVIOUS, ...words.filter(word => word.length >= 3)])
}

/**
 * How much there is to guess: a character counts one, a digit half, and a common word three; a word of one's own, a year, a run such as
 * 'abcd', '4321' or 'qwer', and what stood there before count one as a whole.
 */
function pointsOf(plain: string, own: ReadonlySet<string>, common: ReadonlySet<string>): number {
  let points = 0
  for (let at = 0; at < plain.length;) {
    const rest = plain.slice(at)
    const cheap = Math.max(
      wordLength(rest, own, 3),
      runLength(rest),
      repeatLength(plain, at),
      /^(?:19|20)\d\d/.test(rest) ? 4 : 0,
    )
    const word = wordLength(rest, common, 4)
    points += word > cheap ? WORD_POINTS : cheap === 0 && isDigit(rest) ? DIGIT_POINTS : 1
    at += Math.max(word, cheap, 1)
  }
  return points
}

function isDigit(text: string): boolean {
  return /^\d/.test(text)
}

const LONGEST_WORD = 32
const SPELT: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}

/** The length of the longest word that the text begins with, letters spelt as digits or not; 0: none. */
function wordLength(text: string, words: ReadonlySet<string>, shortest: number): number {
  const start = text.slice(0, LONGEST_WORD)
  const spelt = Array.from(start, character => SPELT[character] ?? character).join('')
  for (let length = start.length; length >= shortest; length--)
    if (words.has(start.slice(0, length)) || words.has(spelt.slice(0, length))) return length
  return 0
}

const ROWS = ['abcdefghijklmnopqrstuvwxyz', '01234567890', '`1234567890-=', '~!@#$%^&*()_+']
  .concat(['qwertyuiop[]', "asdfghjkl;'", 'zxcvbnm,./'])
  .flatMap(row => [row, Array.from(row).toReversed().join('')])

/** The length of a row of the alphabet or the keyboard in either direction, or of one character repeated; 0: less than three. */
function runLength(text: string): number {
  let same = 1
  while (same < text.length && text[same] === text[0]) same++
  const rows = ROWS.map(row => sharedLength(text, row.slice(Math.max(row.indexOf(text.charAt(0)), 0))))
  const longest = Math.max(same, largestOf(rows))
  return longest >= 3 ? longest : 0
}

function sharedLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && length < other.length && one[length] === other[length]) length++
  return length
}

/** The length of what begins here and stood further up; 0: less than three characters. */
function repeatLength(plain: string, at: number): number {
  let length = 0
  while (at + length < plain.length && plain.slice(0, at).includes(plain.slice(at, at + length + 1))) length++
  return length >= 3 ? length : 0
}
