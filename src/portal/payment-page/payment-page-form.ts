import type { Institute } from '../../institutes/institutes.rules.ts'
import { inputOfField, inputOfLine, longest, type Problem } from '../../payment-pages/page-form.rules.ts'
import { boundsOf, isKnownField, type PageField, type PageLine } from '../../payment-pages/pages.rules.ts'
import type { PageFile } from '../../payment-pages/pages.service.ts'
import { assertNever } from '../../platform/assert.ts'
import { formatRupees } from '../../platform/money.ts'
import type { PaymentPageWords } from './payment-page.texts.ts'
import { sayFee } from '../language.ts'
import { fill, type Language } from '../checkout/checkout.texts.ts'

/** What a public payment page shows, decided without touching anything. */
export type PaymentPageScene = {
  institute: Institute
  file: PageFile
  token: string
  /** What was typed, when the form comes back. */
  typed: (input: string) => string | undefined
  problems: readonly Problem[]
  /** Sent too often: the form comes back as it was. */
  isBusy: boolean
  isSandbox: boolean
  /** Whether this installation has a provider to pay with. */
  takesPayments: boolean
  path: string
  language: Language
}

/** The inputs of a public form, as the template draws them, and what is said of what was typed into them. */
export type Input = {
  id: string
  name: string
  kind: 'text' | 'number' | 'date' | 'choice' | 'box'
  label: string
  /** Without "(optional)". */
  bare: string
  hint?: string | undefined
  value: string
  type?: string | undefined
  inputMode?: string | undefined
  autocomplete?: string | undefined
  maxLength?: number | undefined
  options?: { value: string; isChosen: boolean }[] | undefined
}

/** Not yet numbered. */
type Drawn = Omit<Input, 'id'>

/** As the institute wrote it, else as people call that fee. */
export function nameOfLine({ label, componentType }: PageLine, language: Language): string {
  return label ?? sayFee(componentType, language)
}

const LONGEST_ECHO = 2_000

function typedInto({ typed }: PaymentPageScene, name: string): string | undefined {
  return typed(name)?.slice(0, LONGEST_ECHO)
}

/** What there is to choose of what is paid for. */
export function lineInputs(scene: PaymentPageScene, words: PaymentPageWords): Drawn[] {
  const isBack = scene.problems.length > 0 || scene.isBusy
  return scene.file.page.lines.flatMap((line): Drawn[] => {
    const { price, isOptional } = line
    const name = inputOfLine(line)
    const bare = nameOfLine(line, scene.language)
    const value = typedInto(scene, name)
    const label = isOptional ? fill(words.optional, { label: bare }) : bare
    if (price.kind === 'chosen') {
      const hint = boundsText(line, words)
      return [
        { name, kind: 'number', label, bare, hint, value: value ?? '', inputMode: 'decimal', maxLength: 20 },
      ]
    }
    const amount = formatRupees(price.amountPaise)
    const least = isOptional ? 0 : 1
    if (price.maxQuantity > 1) {
      const hint = fill(words.each, { amount, least: String(least), most: String(price.maxQuantity) })
      const many = { name, kind: 'number' as const, label: fill(words.howMany, { label: bare }), bare, hint }
      return [{ ...many, value: value ?? (isBack ? '' : String(least)), inputMode: 'numeric', maxLength: 3 }]
    }
    return isOptional ? [{ name, kind: 'box', label, bare, hint: amount, value: value ?? '' }] : []
  })
}

function boundsText({ price }: PageLine, words: PaymentPageWords): string {
  if (price.kind !== 'chosen') return ''
  const { least, most } = boundsOf(price)
  const values = { least: formatRupees(least), most: formatRupees(most) }
  if (price.maxPaise !== null) return fill(words.between, values)
  return fill(price.minPaise > 100 ? words.atLeast : words.inRupees, values)
}

/** Who pays, and what the institute asks beyond that. */
export function detailInputs(scene: PaymentPageScene, words: PaymentPageWords): Drawn[] {
  const contact = (name: 'name' | 'phone' | 'email', rest: Partial<Input>): Drawn => ({
    name,
    kind: 'text',
    label: words[name],
    bare: words[name],
    value: typedInto(scene, name) ?? '',
    maxLength: 500,
    ...rest,
  })
  return [
    contact('name', { autocomplete: 'name' }),
    contact('phone', { autocomplete: 'tel', type: 'tel' }),
    contact('email', { autocomplete: 'email', type: 'email' }),
    ...scene.file.page.fields.map(field => fieldInput(field, scene, words)),
  ]
}

function fieldInput(field: PageField, scene: PaymentPageScene, words: PaymentPageWords): Drawn {
  const { key, label: given, isRequired, options } = field
  const name = inputOfField(field)
  const bare = given ?? (isKnownField(key) ? words.known[key] : key)
  const label = isRequired ? bare : fill(words.optional, { label: bare })
  const value = typedInto(scene, name) ?? ''
  const shared = { name, label, bare, value }
  if (options.length > 0) {
    const choices = options.map(option => ({ value: option, isChosen: option === value }))
    return { ...shared, kind: 'choice', options: choices }
  }
  if (key === 'date_of_birth') return { ...shared, kind: 'date', type: 'date', autocomplete: 'off' }
  return { ...shared, kind: 'text', maxLength: longest(key), autocomplete: 'off' }
}

export function sayProblem(problem: Problem, input: Input, words: PaymentPageWords): string {
  const label = input.bare
  switch (problem.why) {
    case 'missing':
      return sayMissing(input, words)
    case 'too_long':
      return fill(words.tooLong, { label, most: String(input.maxLength ?? 500) })
    case 'phone':
      return words.badPhone
    case 'email':
      return words.badEmail
    case 'day':
      return fill(words.badDay, { label })
    case 'future':
      return fill(words.future, { label })
    case 'option':
      return fill(words.badOption, { label })
    case 'amount':
      return fill(words.badAmount, { label })
    case 'below':
      return fill(words.below, { label, bound: formatRupees(problem.bound) })
    case 'above':
      return fill(words.above, { label, bound: formatRupees(problem.bound) })
    case 'quantity':
      return fill(words.quantity, { label, least: String(problem.least), most: String(problem.most) })
    case 'nothing':
      return words.nothing
    default:
      return assertNever(problem)
  }
}

function sayMissing({ name, kind, bare }: Input, words: PaymentPageWords): string {
  if (name === 'name' || name === 'phone' || name === 'email') return words.missing[name]
  const how = kind === 'choice' ? 'option' : kind === 'number' ? 'amount' : 'answer'
  return fill(words.missing[how], { label: bare })
}
