import type { Institute } from '../../institutes/institutes.rules.ts'
import { inputOfField, inputOfLine, longest, type Problem } from '../../payment-pages/page-form.rules.ts'
import { boundsOf, isKnownField, type PageField, type PageLine } from '../../payment-pages/pages.rules.ts'
import type { PageFile } from '../../payment-pages/pages.service.ts'
import { assertNever } from '../../platform/assert.ts'
import { formatRupees } from '../../platform/money.ts'
import { fill, type Language } from '../../platform/languages.ts'
import type { PaymentPageTexts } from '../texts/texts.ts'
import { feeName } from '../../messages/words.ts'

/** Everything a payment page depends on; describing it is pure. */
export type PaymentPageData = {
  institute: Institute
  file: PageFile
  token: string
  /** The submitted values, when the form is shown again. */
  typed: (input: string) => string | undefined
  problems: readonly Problem[]
  /** Rate limited: the form is shown again with its input. */
  isBusy: boolean
  isSandbox: boolean
  /** Whether this installation has a provider to pay with. */
  takesPayments: boolean
  path: string
  language: Language
}

/** A form field as the template renders it. */
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

type Drawn = Omit<Input, 'id'>

/** The institute's label, else the usual name of the fee. */
export function nameOfLine({ label, componentType }: PageLine, language: Language): string {
  return label ?? feeName(componentType, language)
}

const LONGEST_ECHO = 2_000

function typedInto({ typed }: PaymentPageData, name: string): string | undefined {
  return typed(name)?.slice(0, LONGEST_ECHO)
}

/** Inputs of the lines that leave a choice. */
export function lineInputs(pageData: PaymentPageData, texts: PaymentPageTexts): Drawn[] {
  const isBack = pageData.problems.length > 0 || pageData.isBusy
  return pageData.file.page.lines.flatMap((line): Drawn[] => {
    const { price, isOptional } = line
    const name = inputOfLine(line)
    const bare = nameOfLine(line, pageData.language)
    const value = typedInto(pageData, name)
    const label = isOptional ? fill(texts.optional, { label: bare }) : bare
    if (price.kind === 'chosen') {
      const hint = boundsText(line, texts)
      return [
        { name, kind: 'number', label, bare, hint, value: value ?? '', inputMode: 'decimal', maxLength: 20 },
      ]
    }
    const amount = formatRupees(price.amountPaise)
    const least = isOptional ? 0 : 1
    if (price.maxQuantity > 1) {
      const hint = fill(texts.each, { amount, least: String(least), most: String(price.maxQuantity) })
      const many = { name, kind: 'number' as const, label: fill(texts.howMany, { label: bare }), bare, hint }
      return [{ ...many, value: value ?? (isBack ? '' : String(least)), inputMode: 'numeric', maxLength: 3 }]
    }
    return isOptional ? [{ name, kind: 'box', label, bare, hint: amount, value: value ?? '' }] : []
  })
}

function boundsText({ price }: PageLine, texts: PaymentPageTexts): string {
  if (price.kind !== 'chosen') return ''
  const { least, most } = boundsOf(price)
  const values = { least: formatRupees(least), most: formatRupees(most) }
  if (price.maxPaise !== null) return fill(texts.between, values)
  return fill(price.minPaise > 100 ? texts.atLeast : texts.inRupees, values)
}

/** Contact details and the institute's own fields. */
export function detailInputs(pageData: PaymentPageData, texts: PaymentPageTexts): Drawn[] {
  const contact = (name: 'name' | 'phone' | 'email', rest: Partial<Input>): Drawn => ({
    name,
    kind: 'text',
    label: texts[name],
    bare: texts[name],
    value: typedInto(pageData, name) ?? '',
    maxLength: 500,
    ...rest,
  })
  return [
    contact('name', { autocomplete: 'name' }),
    contact('phone', { autocomplete: 'tel', type: 'tel' }),
    contact('email', { autocomplete: 'email', type: 'email' }),
    ...pageData.file.page.fields.map(field => fieldInput(field, pageData, texts)),
  ]
}

function fieldInput(field: PageField, pageData: PaymentPageData, texts: PaymentPageTexts): Drawn {
  const { key, label: given, isRequired, options } = field
  const name = inputOfField(field)
  const bare = given ?? (isKnownField(key) ? texts.known[key] : key)
  const label = isRequired ? bare : fill(texts.optional, { label: bare })
  const value = typedInto(pageData, name) ?? ''
  const shared = { name, label, bare, value }
  if (options.length > 0) {
    const choices = options.map(option => ({ value: option, isChosen: option === value }))
    return { ...shared, kind: 'choice', options: choices }
  }
  if (key === 'date_of_birth') return { ...shared, kind: 'date', type: 'date', autocomplete: 'off' }
  return { ...shared, kind: 'text', maxLength: longest(key), autocomplete: 'off' }
}

export function problemText(problem: Problem, input: Input, texts: PaymentPageTexts): string {
  const label = input.bare
  switch (problem.why) {
    case 'missing':
      return missingText(input, texts)
    case 'too_long':
      return fill(texts.tooLong, { label, most: String(input.maxLength ?? 500) })
    case 'phone':
      return texts.badPhone
    case 'email':
      return texts.badEmail
    case 'day':
      return fill(texts.badDay, { label })
    case 'future':
      return fill(texts.future, { label })
    case 'option':
      return fill(texts.badOption, { label })
    case 'amount':
      return fill(texts.badAmount, { label })
    case 'below':
      return fill(texts.below, { label, bound: formatRupees(problem.bound) })
    case 'above':
      return fill(texts.above, { label, bound: formatRupees(problem.bound) })
    case 'quantity':
      return fill(texts.quantity, { label, least: String(problem.least), most: String(problem.most) })
    case 'nothing':
      return texts.nothing
    default:
      return assertNever(problem)
  }
}

function missingText({ name, kind, bare }: Input, texts: PaymentPageTexts): string {
  if (name === 'name' || name === 'phone' || name === 'email') return texts.missing[name]
  const how = kind === 'choice' ? 'option' : kind === 'number' ? 'amount' : 'answer'
  return fill(texts.missing[how], { label: bare })
}
