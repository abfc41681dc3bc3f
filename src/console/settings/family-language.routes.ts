import type { FastifyInstance } from 'fastify'
import { one } from '../../http/reply.ts'
import { field, input, optional } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { Context } from '../../platform/context.ts'
import { LANGUAGES } from '../../platform/languages.ts'
import { studentParams } from '../../students/student.input.ts'
import {
  getFamilyLanguage,
  setFamilyLanguage,
  type FamilyLanguage,
} from '../../students/users/family-language.service.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { EVERYONE, type ConsoleRole } from '../console.rules.ts'

const SENDERS: readonly ConsoleRole[] = ['owner', 'finance']

const out = outputOf<FamilyLanguage>()
const familyLanguageOutput = out.object({
  language: out.optional.oneOf(
    LANGUAGES,
    "What was chosen; the school's first language if absent.",
    one => one.chosen?.language,
  ),
  chosen_by: out.optional.text(
    'Who chose it: the family or the office.',
    'family',
    one => one.chosen?.chosenBy,
  ),
  written_in: out.oneOf(LANGUAGES, 'In which language the family is written to.', one => one.writtenIn),
})
export type FamilyLanguageAnswer = Shown<typeof familyLanguageOutput>

/** A student's family is written to in the language chosen here. */
export function familyLanguageRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/students/:service_student_id/family-language',
    roles: EVERYONE,
    params: studentParams,
    output: one(familyLanguageOutput),
    answer: ({ institute, params }) => getFamilyLanguage(ctx, { institute, ...params }),
  })
  addConsoleWrite(app, ctx, {
    method: 'PUT',
    url: '/students/:service_student_id/family-language',
    roles: SENDERS,
    params: studentParams,
    body: input({ language: optional(field.oneOf(LANGUAGES, "The school's first language if absent.")) }),
    output: one(familyLanguageOutput),
    perform: (command, { institute, params, body: { language } }) =>
      setFamilyLanguage(ctx, command, { institute, ...params }, language ?? null),
    audit: ({ params, body: { language } }) => ({
      what: 'family_language.changed',
      about: params.studentId,
      after: { language: language ?? null },
    }),
  })
}
