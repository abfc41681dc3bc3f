import { Type } from 'typebox'
import type { EndpointDocs } from '../../http/openapi/openapi.ts'
import { AccessTokenView, InitView, ProductView } from './entry.schemas.ts'

/** What the reference says of hosted entry. */
const EXAMPLE_TOKEN = 'demo-school.Zk3v0cX9mJq1uT5yB7nR2eWsLhPdGfA8oKi4CxVtQwE'

const tokenAnswer = {
  data: AccessTokenView,
  example: {
    status: 'success',
    data: { access_token: EXAMPLE_TOKEN, expires_at: '2026-11-15T04:47:10.000Z' },
  },
}

const tokenText =
  'A token with which a browser opens the parents’ pages of this user at `/login-redirect`. It works once, within 15 ' +
  'minutes of real time. Ask for it at the moment you redirect, and never store or mail it. The key needs the scope `write`.'

export const getTokenDocs: EndpointDocs = {
  operationId: 'getAccessToken',
  tag: 'Students',
  summary: 'Get an access token for a user',
  description: `${tokenText} Every call makes a new one.`,
  errors: [404],
  answers: { 200: { description: 'A new token.', ...tokenAnswer } },
}

export const createTokenDocs: EndpointDocs = {
  operationId: 'createAccessToken',
  tag: 'Students',
  summary: 'Create an access token for a user',
  description: tokenText,
  errors: [404],
  answers: { 201: { description: 'A new token.', ...tokenAnswer } },
}

export const initDocs: EndpointDocs = {
  operationId: 'initHostedEntry',
  tag: 'Students',
  summary: 'Send a parent to the hosted pages',
  description:
    'Asks your fetch-student endpoint for the student (its answer must carry `data.user`), makes or updates student and ' +
    'user, and answers with the address for the parent’s browser. What your endpoint refuses, or cannot answer, is 409 ' +
    'with its texts and `data.erp_code`. Without a fetch URL the student must be registered here; its primary contact, or ' +
    'its only user, is let in.',
  exampleBody: {
    student: { identifier: 'ADM-1042', grade: '5' },
    options: { callback_url: 'https://erp.example.in/parent/home', product_type: 'pay' },
  },
  errors: [404],
  answers: {
    201: {
      description: 'The way in.',
      data: InitView,
      example: {
        status: 'success',
        data: {
          redirect_url: `https://pay.example.in/login-redirect?access_token=${EXAMPLE_TOKEN}`,
          expires_at: '2026-11-15T04:47:10.000Z',
        },
      },
    },
  },
}

export const productsDocs: EndpointDocs = {
  operationId: 'listProducts',
  tag: 'Students',
  summary: 'List the products of a student',
  description:
    'What the student has: payments of its dues begun on the parents’ pages, instalment plans, loan applications. Newest ' +
    'first, whole, at most 200 of each.',
  errors: [404],
  answers: {
    200: {
      description: 'What there is.',
      data: Type.Array(ProductView),
      example: {
        status: 'success',
        data: [
          {
            product_type: 'flex',
            id: 'plan_01k9zq4m0ve8sbn6yt2hw3c5da',
            status: 'active',
            amount: 60000,
            paid_amount: 12000,
            created_at: '2026-06-01T05:12:44.000Z',
          },
        ],
      },
    },
  },
}
