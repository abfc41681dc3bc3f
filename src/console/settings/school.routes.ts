import type { FastifyInstance } from 'fastify'
import { keptOr } from '../approvals/approval.list.ts'
import { noteOf } from '../approvals/approvals.routes.ts'
import { Kept, performOrKeep } from '../approvals/approvals.service.ts'
import { paymentRulesAct } from '../approvals/rule-acts.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { type ConsoleRole, EVERYONE } from '../console.rules.ts'
import { addConsoleFile, addConsoleUpload } from '../files.routes.ts'
import { drawQr } from '../orders/pages.routes.ts'
import { paymentRulesOutput } from '../../dues/dues.schemas.ts'
import { paymentRulesInput, toRules } from '../../dues/payment-rules.input.ts'
import { posterUrl, printPoster } from '../../dues/poster/poster.service.ts'
import { getPaymentRules, type PaymentRules } from '../../dues/payment-rules.service.ts'
import type { ConsoleContext } from '../context.ts'
import { created, from, one } from '../../http/reply.ts'
import { receiveFiles } from '../../http/upload.ts'
import { field, input, optional, query, type Read } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { familyPageUrl, setFamilyPages } from '../../institutes/institutes.service.ts'
import { LOGO_TYPE, type School } from '../../institutes/school/school.rules.ts'
import { schoolInput, schoolOutput } from '../../institutes/school/school.schemas.ts'
import * as service from '../../institutes/school/school.service.ts'
import type { Context } from '../../platform/context.ts'
import { LANGUAGES } from '../../platform/languages.ts'
import { studentParams } from '../../students/student.input.ts'
import {
  type FamilyLanguage,
  getFamilyLanguage,
  setFamilyLanguage,
  FAMILY_PAGE_CHANNELS,
  sendFamilyPage,
  type SentPage,
} from '../../students/users/family-language.service.ts'

const OWNERS: readonly ConsoleRole[] = ['owner']

/** What a school says of itself on pages, mails and receipts. */
export async function schoolRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  addConsoleRead(app, ctx, {
    url: '/school',
    roles: EVERYONE,
    output: one(schoolOutput),
    answer: ({ institute }) => service.getSchool(ctx, institute.id),
  })
  addConsoleWrite(app, ctx, {
    method: 'PUT',
    url: '/school',
    roles: OWNERS,
    body: schoolInput,
    perform: (command, { institute, body }) => service.changeSchool(ctx, command, institute, body),
    audit: ({ institute }, { before, after }: service.ChangedSchool) => ({
      what: 'school.changed',
      about: institute.code,
      before: schoolOutput.toJson(before),
      after: schoolOutput.toJson(after),
    }),
  })
  await app.register(async scope => {
    receiveFiles(scope, 'logo')
    addConsoleUpload(scope, ctx, {
      url: '/school/logo',
      roles: OWNERS,
      output: one(schoolOutput),
      query: query({}),
      mediaTypes: [LOGO_TYPE],
      perform: async (command, { institute, file }) =>
        service.setLogo(ctx, command, institute, await file.read(0, file.bytes)),
      audit: ({ logoTag }: School) => ({ what: 'school.logo_changed', about: logoTag ?? '' }),
    })
  })
  addConsoleWrite(app, ctx, {
    method: 'DELETE',
    url: '/school/logo',
    roles: OWNERS,
    output: one(schoolOutput),
    perform: (command, { institute }) => service.removeLogo(ctx, command, institute),
    audit: ({ institute }) => ({ what: 'school.logo_removed', about: institute.code }),
  })
}

const SENDERS: readonly ConsoleRole[] = ['owner', 'finance']

const familyPagesInput = input({
  language: optional(field.oneOf(LANGUAGES, 'What pages are written in until the payer chooses.')),
  sign_in: field.flag('Whether parents may sign in with a code that is sent to their phone or mail.', true),
  poster: optional(
    field.flag(
      'Whether who knows the admission number and the date of birth or phone number sees and pays the fees of a child; as it was if absent.',
      true,
    ),
  ),
})

type FamilyPages = Pick<Institute, 'familyLanguage' | 'hasParentSignIn' | 'hasPoster'> & {
  url: string
  posterUrl: string
}
const out = outputOf<FamilyPages>()
const familyPagesOutput = out.object({
  language: out.optional.text(
    'What pages are written in until the payer chooses.',
    'kn',
    p => p.familyLanguage,
  ),
  sign_in: out.flag('Whether parents may sign in with a code.', true, p => p.hasParentSignIn),
  url: out.text('Where they do.', 'https://fees.example.in/school/sunrise'),
  poster: out.flag('Whether families pay from the poster.', true, p => p.hasPoster),
  poster_url: out.text(
    'Where its code leads.',
    'https://fees.example.in/school/sunrise/pay',
    p => p.posterUrl,
  ),
})
export type FamilyPagesAnswer = Shown<typeof familyPagesOutput>

const sent = outputOf<SentPage>()
const sentOutput = sent.object({ recipients: sent.texts('Where the messages go.', ['sms 9876543210']) })
export type SentPageAnswer = Shown<typeof sentOutput>

/** The pages of families: their language, and whether a code opens them. */
export function familyPagesRoutes(app: FastifyInstance, ctx: Context): void {
  const shown = (institute: Institute): FamilyPages => ({
    ...institute,
    url: familyPageUrl(ctx, institute),
    posterUrl: posterUrl(ctx, institute),
  })
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
    body: familyPagesInput,
    output: from(one(familyPagesOutput), shown),
    perform: (command, { institute, body: { language, signIn, poster } }) =>
      setFamilyPages(ctx, command, institute.code, {
        familyLanguage: language,
        hasParentSignIn: signIn,
        hasPoster: poster ?? institute.hasPoster,
      }),
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
  addConsoleFile(app, ctx, {
    url: '/family-pages/poster',
    roles: EVERYONE,
    query: query({
      language: optional(field.oneOf(LANGUAGES, "Beside English; the school's first language if absent.")),
    }),
    mediaType: 'application/pdf',
    isShown: true,
    answer: ({ institute, query: { language: beside } }) => printPoster(ctx, institute, beside ?? undefined),
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

const language = outputOf<FamilyLanguage>()
const familyLanguageOutput = language.object({
  language: language.optional.oneOf(
    LANGUAGES,
    "What was chosen; the school's first language if absent.",
    one => one.chosen?.language,
  ),
  chosen_by: language.optional.text(
    'Who chose it: the family or the office.',
    'family',
    one => one.chosen?.chosenBy,
  ),
  written_in: language.oneOf(LANGUAGES, 'In which language the family is written to.', one => one.writtenIn),
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

const RULE_MAKERS: readonly ConsoleRole[] = ['owner', 'finance']
const rulesBody = input({
  ...paymentRulesInput.fields,
  reason: field.text('Why; stands in the audit log.', 'Decided by the management'),
})

const requestOf = ({ reason, ...rules }: Read<typeof rulesBody>) => ({ ...toRules(rules), reason })

/** How parents may pay what is due, and what becomes of money beyond it. */
export function paymentRulesRoutes(app: FastifyInstance, ctx: ConsoleContext): void {
  addConsoleRead(app, ctx, {
    url: '/payment-rules',
    roles: EVERYONE,
    output: one(paymentRulesOutput),
    answer: ({ institute }) => getPaymentRules(ctx, institute),
  })
  addConsoleWrite(app, ctx, {
    method: 'PUT',
    url: '/payment-rules',
    roles: RULE_MAKERS,
    body: rulesBody,
    output: keptOr(one(paymentRulesOutput)),
    perform: (command, { body, ...by }) =>
      performOrKeep(ctx, command, by, {
        name: 'payment_rules',
        about: by.institute.code,
        request: requestOf(body),
      }),
    audit: ({ institute, body }, result: PaymentRules | Kept) =>
      result instanceof Kept
        ? noteOf(result.approval)
        : paymentRulesAct.note({ institute, about: institute.code }, requestOf(body), result),
  })
}
