import type { FastifyInstance } from 'fastify'
import { addRead, addWrite } from '../../http/endpoint.ts'
import { created, one, all } from '../../http/reply.ts'
import type { ErpContext } from '../../erp/context.ts'
import { registrationParams, studentParams } from '../../students/student.input.ts'
import { entryInput, accessTokenOutput, entryOutput, productsQuery, productOutput } from './entry.schemas.ts'
import { issueToken, openEntry } from './entry.service.ts'
import type { LoanContext } from '../../loans/context.ts'
import { listProducts } from './products.service.ts'

const ERP = '/api/v1/integrations/erp'
const TOKEN = `${ERP}/users/:registration_id/access_token`
const TOKEN_TEXT =
  'A token with which a browser opens the parents’ pages of this user at `/login-redirect`. It works once, within 15 ' +
  'minutes of real time. Ask for it at the moment you redirect, and never store or mail it.'

/** Sign-in for ERPs: a token for a registered user, or one init call that also pulls the student. */
export function entryRoutes(app: FastifyInstance, ctx: ErpContext): void {
  addRead(app, {
    url: TOKEN,
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
    url: TOKEN,
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
