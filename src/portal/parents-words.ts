import { en, type ParentsWords } from './parents-words-en.ts'
import { hi } from './parents-words-hi.ts'
import type { Language } from './words.ts'

export type { ParentsWords }

export const PARENTS_WORDS: Record<Language, ParentsWords> = { en, hi }
