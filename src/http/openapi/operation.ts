import type { Scope } from '../../institutes/institutes.rules.ts'
import type { AnswerDocs } from '../reply.ts'
import { type AnyInput, nameComponent } from '../wire/input.ts'
import { type Deprecation, documentDeprecation } from './deprecation.ts'
import { objectSchema, type JsonSchema } from '../../platform/json.rules.ts'

/** What an operation says of itself in the API reference. */
export type EndpointDocs = {
  operationId: string
  tag: Tag
  summary: string
  description: string
  /** Statuses beyond those every operation may answer with. */
  errors?: readonly ErrorStatus[]
  deprecated?: Deprecation
}

const ERROR_TEXTS = {
  400: 'HUE00000: the request has to change; `errors` names the fields.',
  401: 'AUE00000: no active API key, or the wrong secret.',
  403: 'AUE00001: the API key lacks the scope of this operation.',
  404: 'HUE00001: no such resource in this institute.',
  409: 'HUE00002: the resource is in a state that does not allow it. IDE00001: the first request with this Idempotency-Key is still running.',
  413: 'HUE00004: the body is larger than 1 MiB.',
  422: 'IDE00000: the Idempotency-Key was used for another request.',
  429: 'RLE00000: too many requests for this API key.',
  500: 'SYE00000: our fault; retry, and quote the request id.',
  503: 'SYE00001: briefly unavailable, retry.',
} as const

const FIELD_PROBLEM = nameComponent(
  'FieldProblem',
  objectSchema({
    key: { type: 'string', description: 'Dotted path of the field.', examples: ['details.0.amount'] },
    message: { type: 'string', description: 'What is wrong with it.' },
  }),
)

const ERROR_ENVELOPE = objectSchema(
  {
    status: { type: 'string', const: 'error', description: 'Always "error".' },
    code: { type: 'string', description: 'A code of the error registry.', examples: ['HUE00000'] },
    message: { type: 'string', description: 'Tells a person what to change.' },
    errors: {
      type: 'array',
      items: FIELD_PROBLEM,
      description: 'The fields to change; present only for field problems.',
    },
    data: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Data that helps the caller, such as the id of the resource in the way.',
    },
    request_id: { type: 'string', description: 'Quote it when you ask for help.', examples: ['req_01k9…'] },
  },
  {
    optional: ['errors', 'data'],
    description: 'Every error, whatever its status, wears this envelope.',
  },
)

type DocumentedOperation = {
  docs: EndpointDocs
  /** The success answers by status. */
  answers: Partial<Record<200 | 201, AnswerDocs>>
  method?: string
  params?: AnyInput
  query?: AnyInput
  body?: AnyInput
}

/** The route schema that the OpenAPI document is generated from. Nothing validates by it: see reader.ts. */
export function documentEndpoint({
  docs,
  scope,
  ...parts
}: DocumentedOperation & { scope: Scope }): Record<string, unknown> {
  const { operationId, tag, summary, description, deprecated, errors = [] } = docs
  const isWrite = parts.method !== undefined
  const documented = documentScope(scope, description)
  return {
    operationId,
    tags: [tag],
    summary,
    ...documented,
    ...(deprecated && documentDeprecation(deprecated, documented.description)),
    ...(isWrite ? { headers: IDEMPOTENCY_HEADER } : {}),
    ...documentParts({ ...parts, errors }),
  }
}

/** Basic authentication has no scopes of its own: linters take a role that stands there for a mistake. */
function documentScope(scope: Scope, description = ''): { description: string; 'x-scope': Scope } {
  return {
    description: `${description}\n\nScope of the API key: \`${scope}\`.`.trim(),
    'x-scope': scope,
  }
}

/** What is sent and answered, for the walks over all routes: the part that the console's routes have too. */
export function documentParts(
  parts: Omit<DocumentedOperation, 'docs'> & Pick<EndpointDocs, 'errors'>,
): Record<string, unknown> {
  const { method, params, query, body, answers } = parts
  const errors = [...(parts.errors ?? []), ...(method === undefined ? [] : ([409, 413, 422] as const))]
  return {
    ...(params === undefined ? {} : { params: params.schema }),
    ...(query === undefined ? {} : { querystring: query.schema }),
    ...(body === undefined ? {} : { body: { ...body.schema, examples: [body.example] } }),
    response: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, success(answer)])),
      ...errorAnswers(errors),
    },
  }
}

/** The same for an operation that answers with a file. */
export function documentFile(
  file: Partial<Pick<EndpointDocs, 'operationId' | 'tag' | 'summary' | 'description'>> & {
    params: AnyInput
    mediaType: string
    /** Absent: it takes no API key. */
    scope?: Scope
  },
): Record<string, unknown> {
  const { mediaType, tag, params, scope, ...docs } = file
  const schema = { type: 'string', format: 'binary', description: 'The file.' }
  return {
    ...docs,
    ...(scope === undefined ? {} : documentScope(scope, docs.description)),
    params: params.schema,
    ...(tag === undefined ? {} : { tags: [tag] }),
    response: {
      200: { description: 'The file.', content: { [mediaType]: { schema } } },
      ...errorAnswers([404]),
    },
  }
}

/** The same for an operation that takes a file. */
export function documentUpload(upload: {
  docs: EndpointDocs
  answers: DocumentedOperation['answers']
  scope: Scope
  query: AnyInput
  mediaTypes: readonly string[]
  maxBytes: number
}): Record<string, unknown> {
  const schema = { type: 'string', format: 'binary', description: 'The file itself.' }
  const documented = documentEndpoint({ ...upload, method: 'POST' })
  const tooLarge = `HUE00004: the file is larger than ${upload.maxBytes / 1_000_000} MB.`
  return {
    ...documented,
    body: { content: Object.fromEntries(upload.mediaTypes.map(type => [type, { schema }])) },
    response: { ...(documented['response'] as object), ...errorAnswer(413, tooLarge) },
  }
}

type ErrorStatus = keyof typeof ERROR_TEXTS

export const ERROR_STATUSES = Object.keys(ERROR_TEXTS).map(status => Number(status) as ErrorStatus)

export function errorText(status: string): string | undefined {
  return (ERROR_TEXTS as Record<string, string>)[status]
}

/** Most operations have the same ones: built once. */
const ERROR_ANSWERS = new Map<string, Record<string, unknown>>()

export function errorAnswers(extra: readonly ErrorStatus[]): Record<string, unknown> {
  const statuses = [...new Set<ErrorStatus>([400, 401, 403, 429, 500, 503, ...extra])]
  const key = statuses.join(' ')
  const built =
    ERROR_ANSWERS.get(key) ??
    Object.assign({}, ...statuses.map(status => errorAnswer(status, ERROR_TEXTS[status])))
  ERROR_ANSWERS.set(key, built)
  return built
}

function errorAnswer(status: ErrorStatus, description: string): Record<string, unknown> {
  return { [status]: { description, content: { 'application/json': { schema: ERROR_ENVELOPE } } } }
}

const IDEMPOTENCY_HEADER = objectSchema(
  {
    'idempotency-key': {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description:
        'Makes the request safe to repeat for 24 hours: the same key and request replay the first answer.',
      examples: ['fee-2026-ADM-1042'],
    },
  },
  { optional: ['idempotency-key'] },
)

const SUCCESS = { type: 'string', const: 'success', description: 'Always "success".' }

const PAGE = {
  has_more: { type: 'boolean', description: 'Whether another page follows.' },
  next_cursor: {
    type: 'string',
    description: 'Send it as `cursor` for the next page.',
    examples: ['order_01k9zq4m0ve8sbn6yt2hw3c5da'],
  },
}

function remark(example: string): JsonSchema {
  const description = 'A remark for a person; present only when there is one.'
  return { type: 'string', description, examples: [example] }
}

function success(answer: AnswerDocs): Record<string, unknown> {
  const schema = objectSchema(
    {
      status: SUCCESS,
      ...(answer.data === undefined ? {} : { data: answer.data }),
      ...(answer.remark === undefined ? {} : { message: remark(answer.remark) }),
      ...(answer.isList === true ? PAGE : {}),
    },
    { optional: ['message', 'next_cursor'] },
  )
  return {
    description: answer.description,
    content: {
      'application/json': {
        schema,
        examples: { answer: { value: { ...answer.example, message: answer.remark } } },
      },
    },
  }
}

/** The nouns of the API, in the order of the reference. */
export const TAGS = {
  'Pay orders': 'What a parent is to pay once, on a page that you send them to.',
  'Payment links': 'The same by a link that is sent to the parent, with an optional expiry.',
  Refunds:
    'Money that goes back to the parent, whole or in part, of whatever was paid, also by a dispute at the bank.',
  Settlements: 'What the bank paid out to a branch, payment by payment.',
  'Payment pages': 'Public pages on which anyone pays for an event, a trip or a form.',
  Students: 'The students of an academic year, and the users (parents) they belong to.',
  Fees: 'The fee components of a student and what is still due of them, late fees included.',
  'Direct payments': 'Fees that were paid elsewhere, such as cash at the counter.',
  'Academic years': 'Taking students over into the next year.',
  Catalogue: 'Branches, grades, fee components and discounts, by the codes that other calls use.',
  Imports: 'Students, fees, payments and links from a CSV or XLSX file.',
  'ERP fetch': 'Your fetch-student endpoint, which is asked whenever a family comes.',
  'Hosted entry': 'Sending a parent to our pages, signed in.',
  Flex: 'Plans of monthly instalments that are debited by a mandate.',
  Cred: 'Loans of a lender that pays the fees at once.',
  Webhooks: 'Subscriptions to events.',
  Deliveries: 'The events that happened, and how delivering them went.',
  Requests: 'What you asked, for finding out what went wrong.',
  Sandbox: 'What only a sandbox has: the clock, the bank, the lender and the mailbox.',
  Events: 'What we send to your webhooks.',
} as const

type Tag = Exclude<keyof typeof TAGS, 'Events'>
