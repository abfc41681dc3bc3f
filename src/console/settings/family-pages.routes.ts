import type { FastifyInstance } from 'fastify'
import { created, from, one } from '../../http/reply.ts'
import { field, input, optional } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { familyPageUrl, setFamilyPages } from '../../institutes/institutes.service.ts'
import type { Context } from '../../platform/context.ts'
import { LANGUAGES } from '../../platform/languages.ts'
import { studentParams } from '../../students/student.input.ts'
import {
  FAMILY_PAGE_CHANNELS,
  sendFamilyPage,
  type SentPage,
} from '../../students/users/family-page.service.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { EVERYONE, type ConsoleRole } from '../console.rules.ts'
import { addConsoleFile } from '../files.routes.ts'
import { drawQr } from '../orders/qr.ts'

const OWNERS: readonly ConsoleRole[] = ['owner']
const SENDERS: readonly ConsoleRole[] = ['owner', 'finance']

const body = input({
  language: optional(field.oneOf(LANGUAGES, 'What pages are written in until the payer chooses.')),
  sign_in: field.flag('Whether parents may sign in with a code that is sent to their phone or mail.', true),
})

type FamilyPages = Pick<Institute, 'familyLanguage' | 'hasParentSignIn'> & { url: string }
const out = outputOf<FamilyPages>()
const familyPagesOutput = out.object({
  language: out.optional.text(
    'What pages are written in until the payer chooses.',
    'kn',
    p => p.familyLanguage,
  ),
  sign_in: out.flag('Whether parents may sign in with a code.', true, p => p.hasParentSignIn),
  url: out.text('Where they do.', 'https://fees.example.in/school/sunrise'),
})
export type FamilyPagesAnswer = Shown<typeof familyPagesOutput>

const sent = outputOf<SentPage>()
const sentOutput = sent.object({ recipients: sent.texts('Where the messages go.', ['sms 9876543210']) })
export type SentPageAnswer = Shown<typeof sentOutput>

/** The pages of families: their language, and whether a code opens them. */
export function familyPagesRoutes(app: FastifyInstance, ctx: Context): void {
  const shown = (institute: Institute): FamilyPages => ({ ...institute, url: familyPageUrl(ctx, institute) })
  addConsoleRead(app, ctx, {
    url: '/family-pages',
    roles: EVERYONE,
    output: one(familyPagesOutput),
    answer: ({ institute }) => Promise.resolve(shown(institute)),
  })
  addConsoleWrite(app, ctx, {
    method: 'PUT',
    url: '/family-pages',
    roles: OWNERS,
    body,
    output: from(one(familyPagesOutput), shown),
    perform: (command, { institute, body: { language, signIn } }) =>
      setFamilyPages(ctx, command, institute.code, { familyLanguage: language, hasParentSignIn: signIn }),
    audit: ({ institute }, changed: Institute) => ({
      what: 'family_pages.changed',
      about: institute.code,
      before: familyPagesOutput.toJson(shown(institute)),
      after: familyPagesOutput.toJson(shown(changed)),
    }),
  })
  addConsoleFile(app, ctx, {
    url: '/family-pages/qr',
    roles: EVERYONE,
    mediaType: 'image/svg+xml',
    isShown: true,
    answer: async ({ institute }) => ({
      name: `qr-${institute.code}.svg`,
      content: await drawQr(familyPageUrl(ctx, institute)),
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/students/:service_student_id/family-page',
    roles: SENDERS,
    params: studentParams,
    body: input({
      channels: field.choices('How to send it.', field.oneOf(FAMILY_PAGE_CHANNELS, 'E-mail or SMS.'), {
        min: 1,
      }),
    }),
    output: created(sentOutput),
    perform: (command, { institute, params, body: { channels } }) =>
      sendFamilyPage(ctx, command, { institute, ...params }, channels),
    audit: ({ params }, { recipients }: SentPage) => ({
      what: 'family_page.sent',
      about: params.studentId,
      after: { recipients },
    }),
  })
}
