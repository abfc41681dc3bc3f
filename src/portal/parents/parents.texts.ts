import { en, type ParentsTexts } from './parents.texts.en.ts'
import { hi } from './parents.texts.hi.ts'
import type { Language } from '../checkout/checkout.texts.ts'

export type { ParentsTexts }

export const PARENTS_TEXTS: Record<Language, ParentsTexts> = { en, hi }
