const SHORTEST = 12
export const LONGEST_PASSWORD = 200
/** More beside a common word than people add to it: the rest counts by itself. */
const MOST_AROUND = 8

/** What is wrong with a new password, or null. Length is what counts; rules about symbols only make people write it down. */
export function passwordFlaw(
  password: string,
  person: { email: string; name: string },
  common: ReadonlySet<string>,
): string | null {
  const length = Array.from(password).length
  if (length < SHORTEST) return `needs at least ${SHORTEST} characters`
  if (length > LONGEST_PASSWORD) return `can have at most ${LONGEST_PASSWORD} characters`
  const plain = password.normalize('NFKC').toLowerCase()
  if (new Set(plain).size < 5) return 'is too easy to guess: use more different characters'
  const [mailbox = ''] = person.email.split('@')
  if (plain === person.email || (mailbox.length >= 4 && plain.startsWith(mailbox) && length < 16))
    return 'is too close to your e-mail address'
  if (repeatedPart(plain).length < plain.length) return 'is too easy to guess: it repeats itself'
  const cores = coresOf(plain)
  const own = [mailbox, lettersOf(person.name.normalize('NFKC').toLowerCase())]
  if (cores.some(core => own.includes(core))) return 'is too close to your name'
  return cores.some(core => common.has(core))
    ? 'is too easy to guess: it is a common password. Use several words'
    : null
}

/** What is left of a password when everything is taken away that people put around a word: 'P@ssw0rd2026!' is 'password'. */
function coresOf(plain: string): string[] {
  const characters = Array.from(plain)
  const end = characters.findLastIndex(isLetter) + 1
  const inner = characters.slice(Math.max(characters.findIndex(isLetter), 0), end).join('')
  const withStart = characters.slice(0, end).join('')
  const cores = [inner, spellOut(inner), spellOut(withStart), lettersOf(plain)]
    .filter(core => core.length >= 4 && plain.length - core.length <= MOST_AROUND)
    .map(repeatedPart)
  return [plain, ...cores]
}

function lettersOf(text: string): string {
  return Array.from(text).filter(isLetter).join('')
}

function isLetter(character: string): boolean {
  return /^\p{L}$/u.test(character)
}

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

function spellOut(text: string): string {
  return Array.from(text)
    .map(character => SPELT[character] ?? character)
    .join('')
}

/** 'abc' of 'abcabc'; the text itself when it does not repeat a part of it. */
function repeatedPart(text: string): string {
  const length = (text + text).indexOf(text, 1)
  return text.slice(0, length)
}
