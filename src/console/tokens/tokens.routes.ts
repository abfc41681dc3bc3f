import type { FastifyInstance } from 'fastify'
import { all, created } from '../../http/reply.ts'
import { field, input, optional } from '../../http/wire/input.ts'
import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { Context } from '../../platform/context.ts'
import { addConsoleRead, addConsoleWrite } from '../auth/access.routes.ts'
import { AT_COUNTER } from '../console.rules.ts'
import { proofInput } from '../team/team.schemas.ts'
import { LONGEST_DAYS, scopesFor, TOKEN_SCOPES, type ScopeMeaning } from './tokens.rules.ts'
import {
  createToken,
  listTokens,
  revokeToken,
  type CreatedToken,
  type PersonalToken,
} from './tokens.service.ts'

/** Tokens with which a person lets assistants ask and act in their name at this institute. */
export function tokenRoutes(app: FastifyInstance, ctx: Context): void {
  addConsoleRead(app, ctx, {
    url: '/tokens',
    roles: AT_COUNTER,
    output: all(tokenOutput),
    answer: place => listTokens(ctx, place),
  })
  addConsoleRead(app, ctx, {
    url: '/tokens/scopes',
    roles: AT_COUNTER,
    output: all(scopeOutput),
    answer: async ({ role }) => scopesFor(role),
  })
  addConsoleWrite(app, ctx, {
    method: 'POST',
    url: '/tokens',
    roles: AT_COUNTER,
    body: newTokenInput,
    hasSecret: true,
    output: created(createdTokenOutput),
    perform: (command, { body, ...place }) => createToken(ctx, command, place, body),
    audit: (_call, { id, name, scopes, expiresAt }) => ({
      what: 'token.created',
      about: id,
      after: { name, scopes: ['read', ...scopes], expires_at: expiresAt },
    }),
  })
  addConsoleWrite(app, ctx, {
    method: 'DELETE',
    url: '/tokens/:token_id',
    roles: AT_COUNTER,
    params: tokenParams,
    perform: (command, { params, ...place }) => revokeToken(ctx, command, place, params.tokenId),
    audit: (_call, { id, name, scopes }) => ({
      what: 'token.ended',
      about: id,
      before: { name, scopes: ['read', ...scopes] },
    }),
  })
}

const TOKEN_ID = 'tok_01k9zq4m0ve8sbn6yt2hw3c5da'
const tokenParams = input({ token_id: field.resourceId('Id of the token.', TOKEN_ID) })

const newTokenInput = input({
  name: field.text('Which assistant has it; stands in the audit log.', 'Assistant on my laptop', 60),
  scopes: optional(
    field.choices(
      'What it may do beyond reading.',
      field.oneOf(TOKEN_SCOPES, 'See people, or a kind of act.'),
    ),
    [],
  ),
  days: field.wholeNumber('For how many days it is good.', 90, [1, LONGEST_DAYS]),
  ...proofInput.fields,
})

const token = outputOf<PersonalToken>()
const tokenFields = {
  id: token.text('Id of the token.', TOKEN_ID),
  name: token.text('Which assistant has it.', 'Assistant on my laptop'),
  scopes: token.texts('What it may do beyond reading.', ['personal'], ({ scopes }) => [...scopes]),
  created_at: token.moment('Made, UTC.', '2026-11-15T04:32:10.000Z'),
  expires_at: token.moment('Good until, UTC.', '2027-02-13T04:32:10.000Z'),
  last_used_at: token.optional.moment('Last used, to the minute, UTC.', '2026-11-15T04:40:00.000Z'),
}
const tokenOutput = token.object(tokenFields)

const made = outputOf<CreatedToken>()
const createdTokenOutput = made.object({
  ...tokenFields,
  token: made.text('The token itself, shown this once.', 'demo-school.sbn6yt2hw3c5da'),
})

const scope = outputOf<ScopeMeaning>()
const scopeOutput = scope.object({
  scope: scope.oneOf(TOKEN_SCOPES, 'A scope that you may give a token.'),
  means: scope.text('What it may do with it.', 'Remind families of their dues.'),
})

export type TokenAnswer = Shown<typeof tokenOutput>
export type CreatedTokenAnswer = Shown<typeof createdTokenOutput>
export type TokenScopeAnswer = Shown<typeof scopeOutput>
