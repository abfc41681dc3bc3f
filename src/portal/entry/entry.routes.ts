import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ErpContext } from '../../erp/context.ts'
import { addRead, addWrite } from '../../http/endpoint.ts'
import { isHead } from '../../http/failures.ts'
import { all, created, one } from '../../http/reply.ts'
import { field, ifSent, input, optional, query } from '../../http/wire/input.ts'
import { outputOf } from '../../http/wire/output.ts'
import type { LoanContext } from '../../loans/context.ts'
import { isAllowedReturnUrl } from '../../orders/orders.rules.ts'
import type { Context } from '../../platform/context.ts'
import { isIdShaped } from '../../platform/ids.ts'
import { fill } from '../../platform/languages.ts'
import { pathOf, PRODUCTS } from '../sign-in/sign-in.rules.ts'
import {
  type AccessToken,
  endSession,
  enter,
  type EnteredSession,
  type Entry,
  isOwnToken,
  issueToken,
  openEntry,
  readSession,
  listProducts,
  type StudentProduct,
} from './entry.service.ts'
import { languageOf } from '../layout.ts'
import {
  cookieOf,
  HOME,
  sendMessage,
  SESSION_COOKIE,
  setCookie,
  wayBackIn,
  withParent,
} from '../parents/access.ts'
import { textsIn } from '../texts/texts.ts'
import { registrationParams, SCHOOL_YEAR, studentParams } from '../../students/student.input.ts'
import { isChild, listChildren } from '../../students/users/users.service.ts'

/** What hosted entry takes. */
const productField = field.oneOf(PRODUCTS, 'What to open: paying, instalments or a loan.').as('product')

const named = input(
  {
    identifier: field.identifier('Student identifier.', 'ADM-1042'),
    collector_code: ifSent(field.code('Branch code; chooses whose fetch-student endpoint is asked.', 'MAIN')),
    grade: ifSent(field.code('Grade code.', '5')),
    custom_identifier: ifSent(field.identifier('A second identifier of your own.', 'ROLL-17')),
    academic_year_start: ifSent(field.year('Start year.', 2026)),
    academic_year_end: ifSent(field.year('End year.', 2027)),
  },
  SCHOOL_YEAR,
)

const options = input({
  callback_url: optional(
    field.url('The pages offer a link back there; https in live mode.', 'https://erp.example.in/parent/home'),
  ),
  product_type: optional(productField),
})

const entryInput = input({
  student: field.object('Whom your fetch-student endpoint is asked for.', named).as('named'),
  options: optional(field.object('Where to lead the parent.', options), {
    callbackUrl: null,
    product: null,
  }),
})

const productsQuery = query({ product_type: optional(productField) })

/** What hosted entry answers with. */
const EXAMPLE_TOKEN = 'demo-school.Zk3v0cX9mJq1uT5yB7nR2eWsLhPdGfA8oKi4CxVtQwE'

const token = outputOf<AccessToken>()
const expiring = {
  expires_at: token.moment('Until when it can be used: 15 minutes from now.', '2026-11-15T04:47:10.000Z'),
}

const accessTokenOutput = token.object('AccessToken', {
  access_token: token.text(
    'Opens one hosted session at /login-redirect, once.',
    EXAMPLE_TOKEN,
    source => source.token,
  ),
  ...expiring,
})

const entry = outputOf<Entry>()
const entryOutput = entry.object('HostedEntry', {
  redirect_url: entry.text(
    "Send the parent's browser there, now.",
    `https://pay.example.in/login-redirect?access_token=${EXAMPLE_TOKEN}`,
  ),
  ...expiring,
})

const productOut = outputOf<StudentProduct>()
const productOutput = productOut.object('Product', {
  product_type: productOut.oneOf(PRODUCTS, 'Which productOut.', source => source.product),
  id: productOut.text('Of the order, plan or application.', 'plan_01k9zq4m0ve8sbn6yt2hw3c5da'),
  status: productOut.text(
    'pay: `unpaid`, `paid` or `closed`; flex: as in the plan; cred: as in the application.',
    'active',
  ),
  amount: productOut.optional.amount('Rupees in all; absent while it is not known.', 60000),
  paid_amount: productOut.optional.amount(
    'Rupees paid so far; not for cred.',
    12000,
    source => source.paidPaise,
  ),
  created_at: productOut.moment('When it was made.', '2026-06-01T05:12:44.000Z'),
})

const ERP = '/api/v1/integrations/erp'
const TOKEN_URL = `${ERP}/users/:registration_id/access_token`
const TOKEN_TEXT =
  'A token with which a browser opens the parents’ pages of this user at `/login-redirect`. It works once, within 15 ' +
  'minutes of real time. Ask for it at the moment you redirect, and never store or mail it.'

/** Sign-in for ERPs: a token for a registered user, or one init call that also pulls the student. */
export function entryRoutes(app: FastifyInstance, ctx: ErpContext): void {
  addRead(app, {
    url: TOKEN_URL,
    // A read-only key must not be able to pay, pause or cancel in a parent's name.
    scope: 'students',
    docs: {
      operationId: 'getAccessToken',
      tag: 'Hosted entry',
      summary: 'Get an access token for a user',
      description: `${TOKEN_TEXT} Every call makes a new one.`,
      errors: [404],
    },
    output: one(accessTokenOutput),
    params: registrationParams,
    answer: ({ caller, params }) =>
      issueToken(ctx, { instituteId: caller.institute.id }, caller.institute, params.registrationId),
  })
  addWrite(app, ctx, {
    method: 'POST',
    url: TOKEN_URL,
    scope: 'students',
    docs: {
      operationId: 'createAccessToken',
      tag: 'Hosted entry',
      summary: 'Create an access token for a user',
      description: TOKEN_TEXT,
      errors: [404],
    },
    output: created(accessTokenOutput),
    params: registrationParams,
    hasSecret: true,
    perform: (command, { caller, params }) =>
      issueToken(ctx, command, caller.institute, params.registrationId),
  })
  addWrite(app, ctx, {
    method: 'POST',
    url: `${ERP}/init`,
    scope: 'students',
    docs: {
      operationId: 'initHostedEntry',
      tag: 'Hosted entry',
      summary: 'Send a parent to the hosted pages',
      description:
        'Asks your fetch-student endpoint for the student (its answer must carry `data.user`), makes or updates student and ' +
        'user, and answers with the address for the parent’s browser. What your endpoint refuses, or cannot answer, is 409 ' +
        'with its texts and `data.erp_code`. Without a fetch URL the student must be registered here; its primary contact, or ' +
        'its only user, is let in.',
      errors: [404],
    },
    output: created(entryOutput),
    body: entryInput,
    hasSecret: true,
    perform: (command, { caller, body: { named, options } }) =>
      openEntry(ctx, command, caller.institute, { named, ...options }),
  })
}

/** A student's orders, plans and loans for the ERP. */
export function productRoutes(app: FastifyInstance, ctx: LoanContext): void {
  addRead(app, {
    url: '/api/v1/integrations/erp/students/:service_student_id/products',
    docs: {
      operationId: 'listProducts',
      tag: 'Hosted entry',
      summary: 'List the products of a student',
      description:
        'What the student has: payments of its dues begun on the parents’ pages, instalment plans, loan applications. Newest ' +
        'first, whole, at most 200 of each.',
      errors: [404],
    },
    output: all(productOutput),
    params: studentParams,
    query: productsQuery,
    answer: ({ caller, params, query }) =>
      listProducts(ctx, caller.institute, params.studentId, query.product),
  })
}

const MAX_URL = 2_048

/** Sign-in by token and sign-out. HEAD requests and browser prefetches must not spend the single-use token. */
export function signInRoutes(app: FastifyInstance, ctx: Context): void {
  app.get('/login-redirect', async (request, reply) => {
    if (isHead(request)) return reply.code(405).header('allow', 'GET').send('')
    reply.header('cache-control', 'no-store')
    if (isPrefetch(request)) return reply.code(503).send('')
    return signIn(ctx, request, reply)
  })
  app.post(
    `${HOME}/sign-out`,
    withParent(ctx, async ({ session, request, reply, language, texts }) => {
      await endSession(ctx, cookieOf(ctx, request))
      setCookie(ctx, reply, SESSION_COOKIE, null)
      const { outTitle: title, outHead: heading, outSay: say } = texts.access
      const link = await wayBackIn(ctx, session.institute.code, texts)
      return sendMessage(reply, language, { status: 200, title, heading, say, link, hasSwitch: false })
    }),
  )
  app.get(`${HOME}/sign-out`, async (_request, reply) => reply.redirect(HOME, 303))
}

function isPrefetch({ headers }: FastifyRequest): boolean {
  const purpose = [headers['sec-purpose'], headers['purpose']].flat().join(' ')
  return /prefetch|prerender|preview/i.test(purpose)
}

async function signIn(ctx: Context, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const language = languageOf(request, reply)
  const token = textOf(request, 'access_token')
  const cookie = cookieOf(ctx, request)
  const sent = textOf(request, 'callback_url')
  const isFine = sent !== undefined && sent.length <= MAX_URL && isAllowedReturnUrl(sent, ctx.mode)
  const entered = await enter(ctx, token, { cookie, callbackUrl: isFine ? sent : null })
  if (entered !== null) {
    setCookie(ctx, reply, SESSION_COOKIE, { value: entered.cookie })
    return reply.redirect(await destinationOf(ctx, entered, request), 303)
  }
  if (await isOwnToken(ctx, token, cookie)) return reply.redirect(HOME, 303)
  // An expired link does not end an existing session.
  const session = await readSession(ctx, cookie)
  const { access } = textsIn(language).parents
  return sendMessage(reply, language, {
    status: 403,
    title: access.usedTitle,
    heading: access.usedHead,
    say: session === null ? access.usedSay : `${access.usedSay} ${fill(access.open, { name: session.name })}`,
    link: session === null ? undefined : { url: HOME, text: access.goOn },
    hasSwitch: false,
  })
}

/** The destination stored with the token takes precedence over the query. */
async function destinationOf(
  ctx: Context,
  { institute, registrationId, studentId, product }: EnteredSession,
  request: FastifyRequest,
): Promise<string> {
  const user = { instituteId: institute.id, registrationIds: [registrationId] }
  const asked = textOf(request, 'service_student_id')
  const isAsked = asked !== undefined && isIdShaped(asked) && (await isChild(ctx, user, asked))
  const wanted = PRODUCTS.find(one => one === textOf(request, 'product_type')) ?? null
  const isApplying = textOf(request, 'create_application') === 'true'
  const toward = product ?? wanted ?? (isApplying ? 'cred' : null)
  const named = studentId ?? (isAsked ? asked : null)
  if (named !== null || toward === null) return pathOf(named, toward)
  // A product without a student is unambiguous for a parent with one child.
  const [only, another] = await listChildren(ctx, user)
  return pathOf(another === undefined ? (only ?? null) : null, toward)
}

function textOf({ query }: FastifyRequest, name: string): string | undefined {
  const value = (query as Record<string, unknown>)[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
