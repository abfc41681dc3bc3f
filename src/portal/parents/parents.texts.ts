import { en, type ParentsWords } from './parents.texts.en.ts'
import { hi } from './parents.texts.hi.ts'
import type { Language } from '../checkout/checkout.texts.ts'

export type { ParentsWords }

export const PARENTS_WORDS: Record<Language, ParentsWords> = { en, hi }
