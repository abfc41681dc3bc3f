import type { PageAnswer } from '../../../../../src/payment-pages/page.schemas.ts'
import type { Values } from '../../../ui/form/field.tsx'
import { plainAmount } from '../../../ui/form/amount.ts'

/** The form's values, all as text until they are sent. */
export type PageLine = {
  id: number
  component_type: string
  label: string
  isChosen: boolean
  amount: string
  min_amount: string
  max_amount: string
  max_quantity: string
  is_optional: boolean
}

export type PageField = { id: number; key: string; label: string; is_required: boolean; options: string }

export type PageForm = { values: Values; lines: PageLine[]; fields: PageField[]; isPublished: boolean }

let count = 0

export function newLine(): PageLine {
  return {
    id: ++count,
    component_type: '',
    label: '',
    isChosen: false,
    amount: '',
    min_amount: '',
    max_amount: '',
    max_quantity: '1',
    is_optional: false,
  }
}

export function newField(): PageField {
  return { id: ++count, key: 'student_name', label: '', is_required: true, options: '' }
}

export function emptyForm(): PageForm {
  return { values: {}, lines: [newLine()], fields: [], isPublished: true }
}

const TEXTS = ['title', 'slug', 'description', 'callback_url', 'success_message'] as const

export function formOf(page: PageAnswer): PageForm {
  const texts = Object.fromEntries(TEXTS.map(key => [key, page[key] ?? '']))
  return {
    values: {
      ...texts,
      collector_code: page.collector_code,
      closes_at: page.closes_at === undefined ? '' : indianTime(page.closes_at),
      max_payments: page.max_payments === undefined ? '' : String(page.max_payments),
    },
    lines: page.details.map(line => ({
      ...newLine(),
      component_type: line.component_type,
      label: line.label ?? '',
      isChosen: line.amount === undefined,
      amount: textOf(line.amount),
      min_amount: textOf(line.min_amount),
      max_amount: textOf(line.max_amount),
      max_quantity: textOf(line.max_quantity ?? 1),
      is_optional: line.is_optional,
    })),
    fields: page.fields.map(field => ({
      ...newField(),
      key: field.key,
      label: field.label ?? '',
      is_required: field.is_required,
      options: (field.options ?? []).join(', '),
    })),
    isPublished: page.is_published,
  }
}

function textOf(value: number | undefined): string {
  return value === undefined ? '' : String(value)
}

const INDIA_MS = 5.5 * 3_600_000

/** A field for date and time shows it so; the API reads it as Indian time too. */
function indianTime(iso: string): string {
  return new Date(Date.parse(iso) + INDIA_MS).toISOString().slice(0, 16)
}

/** What the API is sent; when a page is changed, what was emptied is sent as null. */
export function bodyOf(form: PageForm, { isNew }: { isNew: boolean }): Record<string, unknown> {
  const { values } = form
  const nothing = isNew ? undefined : null
  const text = (key: string): string | null | undefined => values[key]?.trim() || nothing
  return {
    title: values['title'],
    slug: values['slug']?.trim() || undefined,
    description: text('description'),
    callback_url: text('callback_url'),
    success_message: text('success_message'),
    closes_at: text('closes_at'),
    max_payments: values['max_payments'] ? Number(values['max_payments']) : nothing,
    ...(isNew
      ? { collector_code: values['collector_code'] || undefined, is_published: form.isPublished }
      : {}),
    details: form.lines.map(lineBody),
    fields: form.fields.map(field => ({
      key: field.key,
      label: field.label.trim() || undefined,
      is_required: field.is_required,
      options: optionsOf(field.options),
    })),
  }
}

function lineBody(line: PageLine): Record<string, unknown> {
  return {
    component_type: line.component_type,
    label: line.label.trim() || undefined,
    is_optional: line.is_optional,
    ...(line.isChosen
      ? { min_amount: amountOf(line.min_amount), max_amount: amountOf(line.max_amount) }
      : { amount: plainAmount(line.amount), max_quantity: Number(line.max_quantity) || 1 }),
  }
}

function amountOf(text: string): string | undefined {
  return plainAmount(text) || undefined
}

function optionsOf(text: string): string[] | undefined {
  const options = text
    .split(',')
    .map(option => option.trim())
    .filter(option => option !== '')
  return options.length === 0 ? undefined : options
}

/** Fields that the checkout knows words for, in both languages; any other needs a label. */
export const KNOWN_FIELDS = [
  { value: 'student_name', label: 'Name of the student' },
  { value: 'identifier', label: 'Admission no.' },
  { value: 'grade', label: 'Class' },
  { value: 'stream', label: 'Stream' },
  { value: 'date_of_birth', label: 'Date of birth' },
  { value: 'custom_identifier', label: 'Second identifier' },
]
