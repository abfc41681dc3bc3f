import { field, input, optional } from '../http/wire/input.ts'
import { LANGUAGES } from '../platform/languages.ts'
import { SCOPES } from './reminders.rules.ts'
import { CHANNELS } from './reminders.texts.ts'
import { outputOf, type Shown } from '../http/wire/output.ts'
import type { Preview, SchoolText } from './runs.service.ts'

const RUN_ID = 'run_01k9zq4m0ve8sbn6yt2hw3c5da'

const language = optional(field.oneOf(LANGUAGES, 'In which language; English if absent.'), 'en')
const wording = {
  subject: field.text(
    'Of the mail; the name of the school stands before it.',
    'Fees of {total} are due',
    150,
  ),
  body: field.text(
    'Of the mail, between greeting and signature, with {details} and other placeholders.',
    'These fees are due:\n\n{details}',
    4_000,
  ),
}

export const textInput = input({ language, ...wording })

export const messageFields = {
  language,
  ...wording,
  scope: optional(field.oneOf(SCOPES, 'What is overdue, or all that no plan takes.'), 'overdue'),
  channels: field.choices('How families are reached.', field.oneOf(CHANNELS, 'E-mail or phone.'), { min: 1 }),
}

export const runFields = {
  ...messageFields,
  force: optional(field.flag('Families that were reminded today are reminded again.', false), false).as(
    'isForced',
  ),
}

export const runParams = input({ run_id: field.resourceId('Id of the run.', RUN_ID) })

const sample = outputOf<NonNullable<Preview['sample']>>()
const sampleOutput = sample.object({
  to: sample.text('Where it would go.', 'asha@example.in, 9876543210'),
  subject: sample.text('Of the mail.', 'Sunrise School: Fees of ₹45,000 are due'),
  body: sample.text('The whole mail.', 'Dear Asha Rao, …'),
  short: sample.text('The message to the phone.', 'Sunrise School: fees of ₹45,000 are due for Kabir Rao.'),
})

const preview = outputOf<Preview>()
export const previewOutput = preview.object({
  families: preview.integer('Families that it would reach.', 40),
  students: preview.integer('Students that were chosen.', 52),
  sample: preview.optional.one('To one of them.', sampleOutput),
})
export type PreviewAnswer = Shown<typeof previewOutput>

const text = outputOf<SchoolText>()
export const textOutput = text.object({
  language: text.oneOf(LANGUAGES, 'In which language.'),
  subject: text.text('Of the mail.', 'Fees of {total} are due'),
  body: text.text('Of the mail.', 'These fees are due:\n\n{details}'),
  is_ours: text.flag('The school has not worded its own.', true),
})
export type TextAnswer = Shown<typeof textOutput>
