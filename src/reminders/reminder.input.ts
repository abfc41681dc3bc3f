import { field, input, optional, query } from '../http/wire/input.ts'
import { LANGUAGES } from '../platform/languages.ts'
import { REMINDER_STATES, SCOPES } from './reminders.rules.ts'
import { CHANNELS } from './reminders.texts.ts'

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
export const runsQuery = query({ limit: field.pageSize(), cursor: field.cursor(RUN_ID) })
export const remindersQuery = query({
  state: optional(field.oneOf(REMINDER_STATES, 'Only in this state.')),
  limit: field.pageSize(),
  cursor: field.cursor('rem_01k9zq4m0ve8sbn6yt2hw3c5da'),
})
